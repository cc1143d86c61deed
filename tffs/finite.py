"""Figures as JSON can hold them: it has no word for infinity and NaN."""

import math
from typing import Any


def finite(value: Any) -> Any:
    """Put None in the place of every number that is not finite, in lists and objects of any depth."""
    if isinstance(value, dict):
        return {name: finite(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
