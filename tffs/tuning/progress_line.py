"""Where a search stands, as a line for a person."""

from collections.abc import Sequence

from tffs.training.progress import duration
from tffs.tuning.budget import Budget
from tffs.tuning.trial import DEFAULT, Job, Row, best_of, named


def progress_line(
    rows: Sequence[Row], at_work: Sequence[tuple[Job, float | None]], budget: Budget, workers: int
) -> str:
    """Say how many trials have ended, which is best, how long the rest will take, and what is at work.

    Args:
        rows: the trials that have ended, the default with them.
        at_work: the jobs at work, and the share of their steps that are done, or None if that is not known.
        budget: of the search.
        workers: how many trials are trained at a time.
    """
    trials = [row for row in rows if row.trial != DEFAULT]
    failed = sum(row.figures is None for row in trials)
    parts = [f"{len(trials)}/{budget.trainings} trials"]
    if failed:
        parts.append(f"{failed} failed")
    best = best_of(rows, budget.steps)
    if best is not None:
        parts.append(f"best {best.loss:.4g} ({named(best.trial)})")
    measured = [(row.steps, row.figures.seconds) for row in rows if row.figures is not None]
    if measured:
        a_step = sum(seconds for _, seconds in measured) / sum(steps for steps, _ in measured)
        left = budget.total_steps + budget.steps  # the default's
        left -= sum(row.steps for row in rows)
        begun = sum(job.steps * (share or 0.0) for job, share in at_work)
        parts.append(f"{duration(max(left - begun, 0.0) * a_step / max(workers, 1))} left")
    parts += [
        named(job.trial) + ("" if share is None else f" ({100.0 * share:.0f} %)") for job, share in at_work
    ]
    return "  ".join(parts)
