"""The two trees of same_as.py, and how a command is run in one of them."""

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from benchmarks import machine
from benchmarks.same_as_cases import OLDER_NAMES, ONLY_NEW, Case, write_table

MIRROR = "TFFS_DATA_MIRROR"
PLACES = {
    "run": ("--threads=1", "--workdir={output}"),
    "experiment": ("--mode=experiment", "--experiment=same_as", "--results_dir={output}", "--workers=1"),
    "tune": ("--mode=tune", "--workdir={output}", "--workers=1"),
}


class Tree(NamedTuple):
    """A version of the code.

    Attributes:
        name: `older` or `new`.
        path: its folder.
        folder: where its commands read and write.
        table: the table of the cases that need one.
    """

    name: str
    path: str
    folder: str
    table: str

    def output(self, case: Case) -> str:
        """Give the folder that the command of a case writes to."""
        return os.path.join(self.folder, case.name.replace(" ", "_"))

    def start(self, case: Case, *more: str, prefix: Sequence[str] = ()) -> subprocess.Popen[str]:
        """Start the command of a case; `prefix` is what starts it in turn, like taskset."""
        own = ONLY_NEW[case.kind] if self.name == "new" else ()
        flags = [
            self._named(flag).format(table=self.table, output=self.output(case))
            for flag in (*case.flags, *PLACES[case.kind], *own, *more)
        ]
        return subprocess.Popen(
            [*prefix, sys.executable, "-m", "tffs.main", *flags, f"--data_dir={self.folder}/data"],
            **self._place(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def _named(self, flag: str) -> str:
        """Give a flag with the name that this tree has for it."""
        name, separator, value = flag.partition("=")
        return (OLDER_NAMES.get(name, name) if self.name == "older" else name) + separator + value

    def check_imports(self) -> None:
        """Make sure that commands run this tree's code and not an installed one."""
        code = "import tffs, data_builders; print(tffs.__file__, data_builders.__file__)"
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, **self._place(), capture_output=True, text=True, check=True)
        if not all(path.startswith(self.path) for path in done.stdout.split()):
            raise RuntimeError(f"Python imports {done.stdout.strip()} instead of the code in {self.path}.")

    def _place(self) -> dict[str, Any]:
        """Give the folder and the environment in which this tree's code is imported."""
        mirror = {MIRROR: found} if (found := _mirror()) else {}
        return {"cwd": self.path, "env": {**os.environ, **mirror, "PYTHONPATH": self.path}}


@contextlib.contextmanager
def checked_out(commit: str) -> Iterator[tuple[Tree, Tree]]:
    """Give the tree of an older commit, for as long as the block runs, and this tree."""
    with tempfile.TemporaryDirectory(prefix="tffs-same-as-") as folder:
        table, checkout = f"{folder}/table.csv", f"{folder}/checkout"
        write_table(table)
        git("worktree", "add", "--detach", checkout, commit)
        try:
            older = Tree("older", checkout, f"{folder}/older", table)
            new = Tree("new", machine.ROOT, f"{folder}/new", table)
            for tree in (older, new):
                os.makedirs(tree.folder)
                tree.check_imports()
            yield older, new
        finally:
            git("worktree", "remove", "--force", checkout)


def has_data(case: Case) -> bool:
    """Tell whether the files that a case needs are there."""
    return not case.real_data or _mirror() is not None


def git(*arguments: str) -> str:
    """Run git in this tree."""
    done = subprocess.run(["git", *arguments], cwd=machine.ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"git {' '.join(arguments)} failed: {done.stderr.strip()}")
    return done.stdout.strip()


def _mirror() -> str | None:
    """Find the paper's files: where the environment says, or beside the clone."""
    beside = os.path.join(os.path.dirname(machine.ROOT), "shared", "data")
    folder = os.path.abspath(os.environ.get(MIRROR, beside))
    return folder if os.path.isdir(os.path.join(folder, "mnist_r")) else None
