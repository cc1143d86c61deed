"""Which column plays which part."""

import dataclasses
import difflib
from collections import Counter
from collections.abc import Sequence

from data_builders.table.options import TableOptions
from tffs.errors import listed


@dataclasses.dataclass(frozen=True)
class Parts:
    """The positions of a file's columns by their part.

    Attributes:
        features: in the order of the header, or of --feature_columns where given.
        task: or None where the file is one task.
        label: or None.
        problems: one sentence each.
    """

    features: tuple[int, ...]
    task: int | None
    label: int | None
    problems: tuple[str, ...]


def named(header: Sequence[str]) -> tuple[str, ...]:
    """Write names in one line each, and name columns that have none, as the row numbers that pandas writes."""
    return tuple(
        " ".join(name.split()) or f"unnamed {position}" for position, name in enumerate(header, start=1)
    )


def assign(header: Sequence[str], options: TableOptions) -> Parts:
    """Find the features, the task and the label among the columns.

    Args:
        header: the names of all columns.
        options: what the person said; the task column must be in it unless the file is one task.

    Returns:
        The parts, with everything that is wrong about them.
    """
    problems = []
    twice = [name for name, count in Counter(header).items() if count > 1]
    if twice:
        problems.append(
            f"{len(twice)} column name(s) stand more than once: {listed(twice)}: give every column a name of "
            "its own."
        )
    positions = {name: position for position, name in reversed(list(enumerate(header)))}
    asked = {
        "task_column": (options.task_column,) if options.task_column is not None else (),
        "label_column": (options.label_column,) if options.label_column is not None else (),
        "feature_columns": options.feature_columns,
        "ignore_columns": options.ignore_columns,
    }
    for flag, names in asked.items():
        unknown = [name for name in names if name not in positions]
        if unknown:
            problems.append(_unknown(flag, unknown, header))
    taken: dict[str, str] = {}
    for flag, names in asked.items():
        for name in names:
            if name in taken:
                problems.append(f"--{taken[name]} and --{flag} both name '{name}': a column has one part only.")
            taken.setdefault(name, flag)
    chosen = options.feature_columns or [name for name in positions if name not in taken]
    features = tuple(dict.fromkeys(positions[name] for name in chosen if name in positions))
    if not features and not problems:
        problems.append("no column is left as a feature: name some with --feature_columns.")
    if not options.feature_columns:
        features = tuple(sorted(features))
    return Parts(
        features,
        positions.get(options.task_column) if options.task_column is not None else None,
        positions.get(options.label_column) if options.label_column is not None else None,
        tuple(problems),
    )


def _unknown(flag: str, unknown: Sequence[str], header: Sequence[str]) -> str:
    close = difflib.get_close_matches(unknown[0], header, 1)
    hint = f"did you mean '{close[0]}'?" if close else f"its columns: {listed(list(header), 20)}."
    return f"--{flag} names {listed(unknown)}, which the table does not have: {hint}"
