"""A folder in which the examples of the documentation are run, as a reader would run them."""

import contextlib
import io
import os
import pathlib
import re
import shlex
import shutil
from typing import Any, Self

import numpy as np
import pandas as pd
import requests

from docs.making.blocks import RUN, Block, blocks, commands
from tests.serving.server.running_server import RunningServer
from tffs.main import main

TABLE = "parkinsons_updrs.data"
MODEL = "runs/parkinsons_updrs"
FEATURES = (
    *("Jitter(%)", "Jitter(Abs)", "Jitter:RAP", "Jitter:PPQ5", "Jitter:DDP", "Shimmer", "Shimmer(dB)"),
    *("Shimmer:APQ3", "Shimmer:APQ5", "Shimmer:APQ11", "Shimmer:DDA", "NHR", "HNR", "RPDE", "DFA", "PPE"),
)
OTHERS = ("age", "sex", "test_time", "motor_UPDRS", "total_UPDRS")
PROGRAM = "python -m tffs.main"


class Workspace:
    """Runs the blocks of pages in one folder, with the table that the pages are about.

    Args:
        folder: an empty one.
        table: the real table; a small made one with the same columns if not given.
    """

    def __init__(self, folder: pathlib.Path, table: pathlib.Path | None = None) -> None:
        self.folder = folder
        if table is None:
            made_table().to_csv(folder / TABLE, index=False)
        else:
            shutil.copy(table, folder / TABLE)
        rows = pd.read_csv(folder / TABLE)
        last = rows[rows["subject#"] == rows["subject#"].max()].loc[:, list(FEATURES)]
        last.head(4).to_csv(folder / "new_person.csv", index=False)
        last.tail(20)[["Shimmer", "Jitter(%)", "PPE"]].to_csv(folder / "values.csv", index=False)
        self._ran: dict[str, dict[int, str]] = {}
        self._server: RunningServer | None = None
        self._open = contextlib.ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def run(self, page: str, slow: bool = False) -> dict[int, str]:
        """Run a page, once; give what its blocks print, by their lines."""
        if page not in self._ran:
            printed: dict[int, str] = {}
            namespace: dict[str, Any] = {}
            # Prepared tables are kept below the home folder.
            home, os.environ["HOME"] = os.environ.get("HOME"), str(self.folder)
            try:
                with contextlib.chdir(self.folder):
                    for block in blocks(page):
                        if block.note == "file":
                            pathlib.Path(block.about).write_text(block.text, encoding="utf-8")
                        elif block.language in RUN and (not block.note or (slow and block.note == "slow")):
                            printed[block.line] = self._run_block(block, namespace)
            finally:
                os.environ["HOME"] = home or ""
            self._ran[page] = printed
        return self._ran[page]

    def _run_block(self, block: Block, namespace: dict[str, Any]) -> str:
        text = self._with_server(block.text)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            if block.language == "python":
                # Line numbers of a traceback are those of the page.
                exec(compile("\n" * (block.line - 1) + text, block.page, "exec"), namespace)
            else:
                for command in commands(block._replace(text=text)):
                    print(self._run_command(command, block), end="")
        return out.getvalue()

    def _run_command(self, command: str, block: Block) -> str:
        words = shlex.split(command)
        if command.startswith(PROGRAM):
            out, err = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = main(["tffs", *words[3:]])
            assert code == 0, f"{block.name}: {command} ended with {code}: {err.getvalue()}"
            return out.getvalue()
        assert words[:2] == ["curl", "-d"], (
            f"{block.name}: {command!r} is neither run nor marked; see docs/making/blocks.py"
        )
        # What curl does with these words; not every machine has it.
        answer = requests.post(words[3], data=pathlib.Path(words[2].removeprefix("@")).read_bytes(), timeout=60)
        assert answer.ok, f"{block.name}: {command} was answered with {answer.text}"
        return answer.text

    def _with_server(self, text: str) -> str:
        """Start a server for a block that asks one, and put its ports into the block."""
        if "localhost:85" not in text:
            return text
        if self._server is None:
            self._server = self._open.enter_context(RunningServer(self.folder / MODEL / "export"))
        ports = {"8501": self._server.server.rest_port, "8500": self._server.server.grpc_port}
        return re.sub(r"localhost:(8501|8500)", lambda found: f"localhost:{ports[found[1]]}", text)


def made_table(people: int = 6, rows: int = 60) -> pd.DataFrame:
    """Make a small table with the columns of the real one, in which all features follow three others."""
    rng = np.random.default_rng(0)
    mixing = rng.normal(size=(3, len(FEATURES)))
    level = rng.normal(size=(people, 1, len(FEATURES)))
    drives = rng.normal(size=(people, rows, 3))
    values = 5.0 + 0.5 * level + drives @ mixing + 0.2 * rng.normal(size=(people, rows, len(FEATURES)))
    values[2, 7, 9] += 50.0  # a typing error, which a run points out
    table = pd.DataFrame(values.reshape(-1, len(FEATURES)), columns=list(FEATURES))
    table.insert(0, "subject#", np.repeat(np.arange(1, people + 1), rows))
    for place, name in enumerate(OTHERS, start=1):
        table.insert(place, name, rng.integers(1, 50, size=len(table)))
    return table
