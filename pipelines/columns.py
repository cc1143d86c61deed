"""What the pipeline's examples hold: one named float a column, and the names of task and label."""

import re
from collections.abc import Iterable

TASK, LABEL = "task", "label"
SOURCE, HELD_OUT = "source", "held_out"  # the splits
ROWS, STATISTICS = "x", "statistics"  # of transformed examples: all features in one, and see `preprocessing`


def feature_order(names: Iterable[str]) -> list[str]:
    """Put feature names in the order of a model's features.

    Args:
        names: of all columns; task and label are left out.
    """
    return natural_order(name for name in names if name not in (TASK, LABEL))


def natural_order(names: Iterable[str]) -> list[str]:
    """Sort by name, numbers in them by value."""

    def key(name: str) -> tuple[list[tuple[int, int, str]], str]:
        parts = re.split(r"(\d+)", name)
        # The name itself decides between f1 and f01, whatever their order was.
        return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts], name

    return sorted(names, key=key)
