"""Read what --mode=experiment wrote into a folder: measurements, commands and pictures."""

import pathlib
from typing import Any

import pandas as pd

from reproduction.names import METRICS
from tffs.errors import UserError
from tffs.experiments.results_file import read_lines

CELL = ["dataset", "method", "support_size", "num_selected", "split"]
FIRST = "main"  # the file whose lines stand where several files hold the same cell
OTHERS = (".runs.jsonl", ".pictures.jsonl")


def load_lines(folder: str) -> pd.DataFrame:
    """Give one row a measurement, from all results files of a folder; `file` says from which.

    In one file a later line replaces an earlier one of the same cell and method. Where several files hold the
    same, trained for the same number of steps, `main` stands before the others, and they by name. A failure
    only stands where there is no figure.
    """
    frames = [_measurements(folder, name) for name in _names(folder)]
    lines = pd.concat(frames, ignore_index=True)
    if lines.empty:
        raise UserError(f"{folder} holds no results: its files have no whole line yet.")
    lines["ok"] = lines["status"] == "ok"
    lines = lines.drop_duplicates([*CELL, "ok", "steps"])
    measured = lines[lines["ok"]].set_index(CELL).index
    return lines[lines["ok"] | ~lines.set_index(CELL).index.isin(measured)].reset_index(drop=True)


def load_runs(folder: str) -> pd.DataFrame:
    """Give one row a command; the line at its end replaces that of its start."""
    runs = pd.DataFrame(_records(folder, ".runs.jsonl"))
    return runs if runs.empty else runs.drop_duplicates(["file", "started", "command"], keep="last")


def load_pictures(folder: str) -> list[dict[str, Any]]:
    """Give the reconstructed images; a later line replaces an earlier one of the same cell and method."""
    return list(
        {tuple(line[key] for key in CELL): line for line in _records(folder, ".pictures.jsonl")}.values()
    )


def _names(folder: str) -> list[str]:
    """List the results files without their ending, `main` first."""
    found = [path.name for path in pathlib.Path(folder).glob("*.jsonl") if not path.name.endswith(OTHERS)]
    if not found:
        raise UserError(
            f"{folder} holds no results: expected a folder with files like {FIRST}.jsonl, which "
            "`python -m tffs.main --mode=experiment` writes."
        )
    names = sorted(name.removesuffix(".jsonl") for name in found)
    return sorted(names, key=lambda name: name != FIRST)


def _records(folder: str, ending: str) -> list[dict[str, Any]]:
    """Read the lines of all files with this ending."""
    return [
        {"file": name, **line}
        for name in sorted(_names(folder))
        for line in read_lines(f"{folder}/{name}{ending}")
    ]


def _measurements(folder: str, name: str) -> pd.DataFrame:
    path = f"{folder}/{name}.jsonl"
    lines = read_lines(path)
    for number, line in enumerate(lines, 1):
        missing = [key for key in (*CELL, "status") if line.get(key) is None]
        if missing:
            raise UserError(
                f"Line {number} of {path} has no '{missing[0]}', which every line of --mode=experiment has: "
                "take that line out, or run its cell again."
            )
    figures = [*METRICS, "seed", "steps"]
    frame = pd.DataFrame(lines, columns=[*CELL, "target_task", "status", "error", "commit", *figures])
    frame[figures] = frame[figures].astype(float)
    return frame.assign(file=name).drop_duplicates(CELL, keep="last")
