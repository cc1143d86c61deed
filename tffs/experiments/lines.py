"""The lines of a results file: what they say of a cell, and which cells they settle."""

from collections.abc import Iterable
from typing import Any

from tffs.experiments.grid import Cell

HEAD = ("dataset", "method", "support_size", "num_selected", "split")
# What is null where a method has none, and everywhere on the line of a cell that failed.
FIGURES = (
    *("seed", "target_task", "validation_task", "msre", "ari", "nmi", "distinct", "selected", "seconds"),
    *("accuracy", "stability", "best_step", "steps", "select_seconds"),
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


def done_cells(lines: Iterable[dict[str, Any]]) -> set[Cell]:
    """Find the cells that need no more work; one that failed, or whose line lacks its name, is done again."""
    return {cell_of(line) for line in lines if line.get("status") == "ok" and line.keys() >= set(HEAD)}
