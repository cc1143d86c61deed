"""What a grid leaves behind: its result lines, the pictures of one cell, and which run wrote them."""

import os
import time
from typing import Any

from tffs.experiments.results_file import ResultsFile

PICTURE_KEYS = ("dataset", "method", "support_size", "num_selected", "split", "target_task")


class Ledger:
    """Keeps the lines of one run of a grid, each with the commit that made it.

    Args:
        results: open for appending; `<name>.runs.jsonl` and `<name>.pictures.jsonl` stand beside it.
        about: the run: `started`, `command`, `commit`, `machine`, `workers`, `versions`.

    Attributes:
        written: lines of this run.
        failed: those of cells that failed.
    """

    def __init__(self, results: ResultsFile, about: dict[str, Any]) -> None:
        self._results = results
        self._about = about
        self._base = os.path.splitext(results.path)[0]
        self._began = time.monotonic()
        self.written = 0
        self.failed = 0
        self._note_run(None, None)  # so that a killed run has left a trace

    def keep(self, line: dict[str, Any]) -> None:
        """Keep a line, and its picture in a file of its own."""
        picture = line.pop("picture", None)
        if picture is not None:
            of_cell = {key: line[key] for key in PICTURE_KEYS}
            with ResultsFile(f"{self._base}.pictures.jsonl").open() as pictures:
                pictures.append({**of_cell, **picture})
        self._results.append({**line, "commit": self._about["commit"]})
        self.written += 1
        self.failed += line["status"] != "ok"

    def seconds(self) -> float:
        """Give how long the run has lasted."""
        return time.monotonic() - self._began

    def close(self) -> None:
        """Note how long the run lasted and how many lines it wrote."""
        self._note_run(round(self.seconds(), 1), self.written)

    def _note_run(self, seconds: float | None, cells: int | None) -> None:
        with ResultsFile(f"{self._base}.runs.jsonl").open() as runs:
            runs.append({**self._about, "wall_seconds": seconds, "cells": cells})
