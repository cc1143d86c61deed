"""The lines of a results file: what they say of a cell, and which cells they settle."""

from collections.abc import Iterable, Mapping
from typing import Any

from tffs.config import RunConfig
from tffs.evaluation.figures import METRICS
from tffs.experiments.grid import Cell

HEAD = ("dataset", "method", "support_size", "num_selected", "split")
# What is null where a method has none, and everywhere on the line of a cell that failed.
FIGURES = (
    *("seed", "target_task", "validation_task", *METRICS, "selected", "seconds"),
    *("stability", "best_step", "steps", "select_seconds"),
)


def head(cell: Cell) -> dict[str, Any]:
    """Say which cell a line is of."""
    return {name: getattr(cell, name) for name in HEAD}


def cell_of(line: dict[str, Any]) -> Cell:
    """Tell which cell a line is of."""
    return Cell(**{name: line[name] for name in HEAD})


def failed_line(cell: Cell, why: str) -> dict[str, Any]:
    """Write the line of a cell that failed."""
    return {**head(cell), **dict.fromkeys(FIGURES), "status": "failed", "error": why}


def done_cells(lines: Iterable[dict[str, Any]], runs: Mapping[str, RunConfig]) -> dict[Cell, dict[str, Any]]:
    """Find the cells that need no more work, and their lines.

    Args:
        lines: what there is; a cell that failed is done again, and so is one of another seed or length.
        runs: the run of each dataset of the grid.
    """
    done = {}
    for line in lines:
        run = runs.get(line.get("dataset", ""))
        if run is None or line.get("status") != "ok" or not line.keys() >= {*HEAD, "seed", "steps"}:
            continue
        if (line["seed"], line["steps"]) == (run.seed + line["split"], run.training.steps):
            done[cell_of(line)] = line
    return done


def failed_cells(lines: Iterable[dict[str, Any]]) -> dict[Cell, str]:
    """Find the cells that failed when they were last run, and why."""
    last = {cell_of(line): line for line in lines if line.keys() >= {*HEAD, "status"}}
    return {cell: str(line.get("error")) for cell, line in last.items() if line["status"] != "ok"}
