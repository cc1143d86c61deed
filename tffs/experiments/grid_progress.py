"""Where a grid stands, as a line for a person."""

import dataclasses

from tffs.experiments.grid import Cell
from tffs.training.progress import duration


@dataclasses.dataclass(frozen=True)
class GridProgress:
    """Where a grid stands.

    Attributes:
        done: cells that have their line, failed ones included.
        failed: cells that failed.
        total: cells to be done, with those.
        at_work: the cells at work, and the share of their steps that are done.
        seconds_left: an estimate, or None.
    """

    done: int
    failed: int
    total: int
    at_work: tuple[tuple[Cell, float], ...]
    seconds_left: float | None

    def line(self) -> str:
        """Write it as a line."""
        parts = [f"{self.done}/{self.total} cells"]
        if self.failed:
            parts.append(f"{self.failed} failed")
        if self.seconds_left is not None:
            parts.append(f"{duration(self.seconds_left)} left")
        parts += [f"{cell} ({100.0 * share:.0f} %)" for cell, share in self.at_work]
        return "  ".join(parts)
