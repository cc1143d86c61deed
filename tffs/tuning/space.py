"""A search space: what each tuned flag may be."""

import dataclasses
from collections.abc import Mapping
from typing import Any

DIGITS = 4  # of a tuned number: readable in a flag file, and finer than any loss can tell


@dataclasses.dataclass(frozen=True)
class Range:
    """A flag that takes numbers from `low` to `high`.

    Attributes:
        flag: its name.
        low: the lowest value.
        high: the highest value; an int, like `low`, for a flag of whole numbers.
        step: the distance of two values, or their ratio where `scale` is `log`; None for any number.
        scale: `linear` or `log`.
    """

    flag: str
    low: float
    high: float
    step: float | None = None
    scale: str = "linear"

    @property
    def whole(self) -> bool:
        """Tell whether the flag takes whole numbers."""
        return isinstance(self.low, int)

    def settled(self, proposed: Any) -> float:
        """Round what an oracle proposes, which may lie just outside of the range."""
        rounded = round(proposed) if self.whole else float(f"{proposed:.{DIGITS}g}")
        return min(max(rounded, self.low), self.high)

    def described(self) -> dict[str, Any]:
        """Give what the space's file says."""
        return {"low": self.low, "high": self.high, "step": self.step, "scale": self.scale}


@dataclasses.dataclass(frozen=True)
class Choices:
    """A flag that takes one of a few values.

    Attributes:
        flag: its name.
        choices: the values, all of them numbers or all texts.
    """

    flag: str
    choices: tuple[Any, ...]

    def settled(self, proposed: Any) -> Any:
        """Find the choice that was proposed; a number may have lost digits on its way through gRPC."""
        if isinstance(proposed, str):
            return proposed
        return min(self.choices, key=lambda choice: abs(choice - proposed))

    def described(self) -> dict[str, Any]:
        """Give what the space's file says."""
        return {"choices": list(self.choices)}


Space = tuple[Range | Choices, ...]


def tuned_flags(space: Space, proposed: Mapping[str, Any]) -> dict[str, Any]:
    """Give the tuned flags of what an oracle proposes."""
    return {part.flag: part.settled(proposed[part.flag]) for part in space}


def space_of(described: Mapping[str, Mapping[str, Any]]) -> Space:
    """Build a space from what `described` of its parts gave, by their flags."""
    return tuple(
        Choices(flag, tuple(part["choices"])) if "choices" in part else Range(flag, **part)
        for flag, part in described.items()
    )
