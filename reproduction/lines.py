"""Read what the experiment grid wrote: results, invocations and pictures, from the files of one folder."""

import os
from collections.abc import Callable
from typing import Any, TypeVar

from tffs.errors import UserError
from tffs.experiments.results_file import read_lines
from tffs.tables.records import Picture, Result, Run

RUNS, PICTURES, LINES = ".runs.jsonl", ".pictures.jsonl", ".jsonl"
FIRST = "main"  # the file whose lines stand where several files hold the same cell

Record = TypeVar("Record")


def load(results_dir: str) -> list[Result]:
    """Read the lines of all results files of a folder, one for each measurement.

    In one file a later line replaces an earlier one of the same dataset, method, N_S, K and split. Where
    several files hold the same, trained for the same number of steps, `main` stands before the others, and they
    by name; a failure only stands where there is no figure.
    """
    kept: dict[tuple, Result] = {}
    for name in sorted(_names(results_dir), key=lambda name: (name != FIRST, name)):
        latest = {result.key: result for result in _records(results_dir, name, LINES, Result.from_line)}
        for result in latest.values():
            kept.setdefault((*result.key, result.ok, result.steps), result)
    if not kept:
        raise UserError(
            f"--results_dir={results_dir} holds no results: its files have no whole line yet; "
            "--mode=experiment writes them."
        )
    measured = {result.key for result in kept.values() if result.ok}
    return [result for result in kept.values() if result.ok or result.key not in measured]


def load_runs(results_dir: str) -> list[Run]:
    """Read which commands wrote the results; the line at the end of one replaces that of its start."""
    runs = {}
    for name in sorted(_names(results_dir)):
        for run in _records(results_dir, name, RUNS, Run.from_line):
            runs[name, run.started, run.command] = run
    return list(runs.values())


def load_pictures(results_dir: str) -> list[Picture]:
    """Read the reconstructed images; a later line replaces an earlier one of the same cell and method."""
    pictures = {}
    for name in sorted(_names(results_dir)):
        for picture in _records(results_dir, name, PICTURES, Picture.from_line):
            pictures[(*picture.cell, picture.method)] = picture
    return list(pictures.values())


def _names(results_dir: str) -> list[str]:
    """List the results files, without their ending."""
    if not os.path.isdir(results_dir):
        raise UserError(
            f"--results_dir={results_dir} is no folder: give the one that --mode=experiment wrote to."
        )
    names = [name for name in os.listdir(results_dir) if name.endswith(LINES)]
    names = [name.removesuffix(LINES) for name in names if not name.endswith((RUNS, PICTURES))]
    if not names:
        raise UserError(
            f"--results_dir={results_dir} holds no results: expected files like {FIRST}{LINES}, which "
            "--mode=experiment writes."
        )
    return names


def _records(
    results_dir: str, name: str, ending: str, make: Callable[[str, dict[str, Any]], Record]
) -> list[Record]:
    path = os.path.join(results_dir, f"{name}{ending}")
    records = []
    for number, line in enumerate(read_lines(path), 1):
        try:
            records.append(make(name, line))
        except (TypeError, ValueError) as error:
            raise UserError(
                f"Line {number} of {path} is not what --mode=experiment writes ({error}): take that line out, "
                "or run its cell again."
            ) from error
    return records
