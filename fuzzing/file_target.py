"""What targets that are files have in common."""

import abc
import os
import random
import shutil
import tempfile

from fuzzing.broken import Broken
from fuzzing.case import Case
from fuzzing.files import Change, changed_content, lay_down, listed
from fuzzing.target import REFUSED, Outcome, Target
from tffs.errors import UserError

# Of all kinds of tables.
FILE_WORDS = (
    *(b'"', b'""', b"\r\n", b";", b"1,5", b"1.000", b"NaN", b"inf", b"\xef\xbb\xbf", b"\x00", "größe".encode()),
    *(
        b"\x93NUMPY",
        b"'descr': '<f8'",
        b"'shape': (2, 4)",
        b"PAR1",
        b"x.npy",
        b"task.npy",
        b"feature_names.npy",
    ),
)


class FileTarget(Target, abc.ABC):
    """Lays an input down as a file in a folder of its own, where nothing else may be found afterwards."""

    memory = 2048
    words = FILE_WORDS

    def __init__(self) -> None:
        super().__init__()
        memory = "/dev/shm"  # a disk is slow at making files
        place = memory if os.path.isdir(memory) else None
        self._folder = tempfile.TemporaryDirectory(prefix="tffs-fuzz-", dir=place)

    @abc.abstractmethod
    def read(self, path: str, case: Case) -> Outcome:
        """Read the file."""

    def change(self, case: Case, source: random.Random, change: Change) -> Case:
        """Change the file."""
        return Case(case.kind, case.asked, changed_content(case, source, change))

    def answer(self, case: Case) -> Outcome:
        """Lay the file down and read it."""
        path = lay_down(case, self._folder.name)
        before = listed(self._folder.name)
        try:
            return self.read(path, case)
        except UserError as error:
            return Outcome(REFUSED, str(error).replace(self._folder.name, ""))
        finally:
            after = listed(self._folder.name)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
            if after != before:
                raise Broken("files were left behind or taken away")
