"""The tasks of a dataset as a table for people."""

from collections.abc import Sequence

LISTED_TASKS = 50


def task_table(names: Sequence[str], counts: Sequence[int]) -> str:
    """Write the tasks and their rows, the first of many."""
    shown = list(zip(names, counts, strict=True))[:LISTED_TASKS]
    width = max((len(name) for name, _ in shown), default=0)
    lines = [f"  {name:<{width}}  {count} row{'s' * (count != 1)}" for name, count in shown]
    if len(names) > LISTED_TASKS:
        rest = counts[LISTED_TASKS:]
        lines.append(f"  and {len(rest)} more, of {min(rest)} to {max(rest)} rows")
    return "\n".join(lines)
