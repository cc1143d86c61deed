"""results/<name>.jsonl: one line a cell and method, appended so that a kill costs no line."""

import contextlib
import errno
import json
import os
from collections.abc import Iterator
from io import FileIO
from typing import Any

from tffs.errors import UserError
from tffs.file_lock import open_locked


def read_lines(path: str) -> list[dict[str, Any]]:
    """Read a results file; a last line that a kill cut short is passed over.

    Args:
        path: the file; one that is not there has no lines.
    """
    try:
        with open(path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UserError(
            f"{path} cannot be read ({error.strerror}): fix that, or move the file away."
        ) from error
    whole = content[: content.rfind(b"\n") + 1]
    lines = []
    for number, text in enumerate(whole.splitlines(), 1):
        try:
            line = json.loads(text)
        except (ValueError, RecursionError):
            line = None
        if not isinstance(line, dict):
            raise UserError(
                f"Line {number} of {path} is no JSON object: take that line out (its cell will run again)."
            )
        lines.append(line)
    return lines


class ResultsFile:
    """Appends lines to a results file, each of them on the disk before the next.

    Args:
        path: the file; its folder is made.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._file: FileIO | None = None

    @contextlib.contextmanager
    def open(self) -> Iterator["ResultsFile"]:
        """Open for appending, alone; what a kill left of a last line is cut off."""
        try:
            os.makedirs(os.path.dirname(os.path.abspath(self.path)), exist_ok=True)
            file = open_locked(self.path, wait=False)
        except BlockingIOError as error:
            raise UserError(
                f"Another process is writing to {self.path}: wait for it, or choose another --experiment."
            ) from error
        except OSError as error:
            raise self._not_written(error) from error
        with file:
            file.truncate(file.read().rfind(b"\n") + 1)
            self._file = file
            yield self
        self._file = None

    def append(self, line: dict[str, Any]) -> None:
        """Append one line, whole or not at all."""
        assert self._file is not None
        text = json.dumps(line, allow_nan=False).encode() + b"\n"
        end = self._file.seek(0, os.SEEK_END)
        try:
            if self._file.write(text) < len(text):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._file.fileno())
        except OSError as error:
            self._file.truncate(end)
            raise self._not_written(error) from error

    def _not_written(self, error: OSError) -> UserError:
        return UserError(
            f"{self.path} could not be written ({error.strerror or error}): --results_dir must be a folder "
            "that can be written to, with space left; the same command goes on from the lines that are there."
        )
