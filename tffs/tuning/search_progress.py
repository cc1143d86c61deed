"""Where a search stands, as a line for a person."""

import dataclasses
from collections.abc import Sequence

from tffs.training.progress import duration
from tffs.tuning.budget import Budget
from tffs.tuning.trial import DEFAULT, Job, Row, best_of, named


@dataclasses.dataclass(frozen=True)
class SearchProgress:
    """Where a search stands.

    Attributes:
        rows: the trials that have ended, the default with them.
        at_work: the jobs at work, and the share of their steps that are done, or None if that is not known.
        budget: of the search.
        workers: how many trials are trained at a time.
    """

    rows: Sequence[Row]
    at_work: Sequence[tuple[Job, float | None]]
    budget: Budget
    workers: int

    def seconds_left(self) -> float | None:
        """Estimate by the seconds a step took so far, or give None before anything was measured."""
        measured = [(row.steps, row.figures.seconds) for row in self.rows if row.figures is not None]
        if not measured:
            return None
        a_step = sum(seconds for _, seconds in measured) / sum(steps for steps, _ in measured)
        left = self.budget.total_steps + self.budget.steps  # the default's
        left -= sum(row.steps for row in self.rows)
        begun = sum(job.steps * (share or 0.0) for job, share in self.at_work)
        return max(left - begun, 0.0) * a_step / max(self.workers, 1)

    def line(self) -> str:
        """Write it as a line."""
        trials = [row for row in self.rows if row.trial != DEFAULT]
        failed = sum(row.figures is None for row in trials)
        parts = [f"{len(trials)}/{self.budget.trainings} trials"]
        if failed:
            parts.append(f"{failed} failed")
        best = best_of(self.rows, self.budget.steps)
        if best is not None:
            parts.append(f"best {best.loss:.4g} ({named(best.trial)})")
        left = self.seconds_left()
        if left is not None:
            parts.append(f"{duration(left)} left")
        parts += [named(job.trial) + _percent(share) for job, share in self.at_work]
        return "  ".join(parts)


def _percent(share: float | None) -> str:
    return "" if share is None else f" ({100.0 * share:.0f} %)"
