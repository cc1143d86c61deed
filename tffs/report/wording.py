"""Figures and lists as people read them."""

import math
from collections.abc import Sequence

from tffs.printable import percent

NONE = "–"


def share(value: float | None) -> str:
    """Write a share in percent."""
    return NONE if value is None else percent(value)


def amount(value: float | None) -> str:
    """Write a number in a feature's own unit."""
    return NONE if value is None else f"{value:.3g}"


def novelty(value: float | None) -> str:
    """Write a number between 0 and 1; it is cut, so that 0.95 is at least that."""
    return NONE if value is None else f"{math.floor(100.0 * value + 1e-9) / 100.0:.2f}"


def listed(names: Sequence[str], most: int = 8) -> str:
    """Name some, and say how many more there are."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return ", ".join([*names[:-2], " and ".join(names[-2:])]) if names else "none"


def known_rows(count: int) -> str:
    """Say of how many rows something is known."""
    if not count:
        return "nothing is known"
    return f"{many(count, 'row')} {'is' if count == 1 else 'are'} known"


def many(count: int, what: str) -> str:
    """Write a number of things."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"
