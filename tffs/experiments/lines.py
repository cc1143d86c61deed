"""The lines of a results file: what they say of a cell, and which cells they settle."""

from collections.abc import Iterable
from typing import Any

from tffs.experiments.grid import Cell

# What is null where a method has none, and everywhere on the line of a cell that failed.
FIGURES = (
    *("seed", "target_task", "validation_task", "msre", "ari", "nmi", "distinct", "selected", "seconds"),
    *("accuracy", "stability", "best_step", "steps", "select_seconds"),
)


def head(cell: Cell) -> dict[str, Any]:
    """Say which cell a line is of."""
    return {
        "dataset": cell.dataset,
        "method": cell.method,
        "support_size": cell.support_size,
        "num_selected": cell.num_selected,
        "split": cell.split,
    }


def failed_line(cell: Cell, why: str) -> dict[str, Any]:
    """Write the line of a cell that failed."""
    return {**head(cell), **dict.fromkeys(FIGURES), "status": "failed", "error": why}


def done_cells(lines: Iterable[dict[str, Any]]) -> set[Cell]:
    """Find the cells that need no more work; one that failed is tried again."""
    done = set()
    for line in lines:
        if line.get("status") == "ok":
            done.add(Cell(**{name: line[name] for name in Cell.__dataclass_fields__}))
    return done
