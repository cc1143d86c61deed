"""Whether a model may be pushed: against absolute bars, and against the model last blessed.

What decides are medians over tasks that a model has not learned from, so no single task does. With few of them
held out, the source tasks that its Trainer left out in turn count as well, each like a held-out one.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from pipelines.configs import Bars
from pipelines.left_out import LeftOut

ENOUGH = 5  # held-out tasks that decide alone: two odd ones do not move the median of five beyond the others
COVERED = 0.9  # what intervals are to cover
ROUNDING = 1e-4  # a share by which errors may differ where two fits computed in another order

Figures = Mapping[str, Mapping[str, Any]]


class Standing(NamedTuple):
    """What some tasks say of a model.

    Attributes:
        tasks: how many they are.
        error: the median of the errors, as shares of the mean's; None where the mean makes none.
        coverage: the share of values that its 90 % intervals cover, on average over the tasks; None for a model
            that gives none.
    """

    tasks: int
    error: float | None
    coverage: float | None

    @classmethod
    def on(cls, figures: Figures) -> "Standing":
        """Summarize the figures of tasks."""
        errors = [one["relative_error"] for one in figures.values() if one["relative_error"] is not None]
        covered = [one["coverage"] for one in figures.values() if one["coverage"] is not None]
        return cls(
            len(figures),
            float(np.median(errors)) if errors else None,
            float(np.mean(covered)) if covered else None,
        )


class Compared(NamedTuple):
    """A model and the one last blessed on the same tasks.

    Attributes:
        where: which tasks these are, in words.
        now: the model.
        before: the one last blessed.
    """

    where: str
    now: Standing
    before: Standing


@dataclasses.dataclass(frozen=True)
class Evidence:
    """What was measured of a model on tasks that it did not learn from.

    Attributes:
        held_out: by task the figures of the exported model.
        left_out: those of the source tasks; None for a method that cannot be fitted for every fold.
    """

    held_out: Figures
    left_out: LeftOut | None

    @property
    def deciding(self) -> Figures:
        """The tasks that decide: held-out ones, and with few of them those that were left out."""
        if len(self.held_out) >= ENOUGH or self.left_out is None:
            return self.held_out
        return {**self.held_out, **self.left_out.tasks}

    @property
    def where(self) -> str:
        """Which tasks decide, in words."""
        others = len(self.deciding) - len(self.held_out)
        beside = f" and {counted(others, 'source task left out in turn')}" if others else ""
        return counted(len(self.held_out), "task held out") + beside

    def compared(self, last: "Evidence") -> list[Compared]:
        """Compare with the model last blessed.

        It has figures of source tasks from when it was trained. If these were measured on the same rows and
        supports, they count as held-out tasks do. If not, a higher error may be due to the rows: then the
        held-out tasks, on whose present rows both models were measured, must say the same.

        Returns:
            The comparisons. A model is worse if it is worse in all of them.
        """
        held_out = Compared(
            counted(len(self.held_out), "task held out"), Standing.on(self.held_out), Standing.on(last.held_out)
        )
        ours, theirs = self.left_out, last.left_out
        if len(self.held_out) >= ENOUGH or ours is None or theirs is None:
            return [held_out]
        if ours.exam == theirs.exam:
            return [Compared(self.where, Standing.on(self.deciding), Standing.on(last.deciding))]
        both = ours.tasks.keys() & theirs.tasks.keys()
        where = f"{counted(len(both), 'source task left out in turn')}, on other rows or supports than then"
        of_both = (Standing.on({name: one.tasks[name] for name in both}) for one in (ours, theirs))
        return [held_out, *([Compared(where, *of_both)] if both else [])]


def objections(candidate: Evidence, last: Evidence | None, bars: Bars) -> list[str]:
    """List what speaks against a model, one sentence each; none if it is to be blessed.

    Args:
        candidate: what was measured of it.
        last: the same of the model last blessed, on the same held-out tasks; None where there is none.
        bars: what it must reach.
    """
    found = [
        f"on {task} its MSRE is {figures['msre']}"
        for task, figures in candidate.held_out.items()
        if not np.isfinite(figures["msre"])
    ]
    if candidate.left_out is not None:
        found += [
            f"on {task}, a source task left out in turn, its error is not a finite number"
            for task in candidate.left_out.without_error
        ]
    error, coverage = Standing.on(candidate.deciding)[1:]
    if error is not None and not error <= bars.max_relative_error:
        found.append(
            f"its median error over {candidate.where} is {error:.3g} of the mean's, above the bar of "
            f"{bars.max_relative_error:g}"
        )
    if coverage is not None and not coverage >= bars.min_coverage:
        found.append(
            f"its 90 % intervals cover {coverage:.3g} of the values over {candidate.where}, below the bar of "
            f"{bars.min_coverage:g}"
        )
    distinct = float(np.mean([figures["distinct"] for figures in candidate.held_out.values()]))
    if distinct < bars.min_distinct:
        found.append(f"it chooses {distinct:.3g} distinct features, below the bar of {bars.min_distinct:g}")
    return found + ([] if last is None else _regressions(candidate.compared(last), bars))


def _regressions(compared: list[Compared], bars: Bars) -> list[str]:
    """Say in what a model is worse than the one last blessed, in all comparisons."""
    found = []
    first = compared[0]
    if all(_has_more_error(one, bars.max_regression) for one in compared):
        allowed = f" and {bars.max_regression:.3g} of that more" if bars.max_regression else ""
        found.append(
            f"its median error of {first.now.error:.4g} over {first.where} is above the "
            f"{first.before.error:.4g} of the model last blessed{allowed}"
        )
    if all(_covers_less(one, bars.max_coverage_loss) for one in compared):
        found.append(
            f"its 90 % intervals cover {first.now.coverage:.3g} of the values over {first.where}, and those of "
            f"the model last blessed {first.before.coverage:.3g}: more than {bars.max_coverage_loss:g} is lost"
        )
    return found


def _has_more_error(one: Compared, allowed: float) -> bool:
    if one.now.error is None or one.before.error is None:
        return False
    return not one.now.error <= one.before.error * (1.0 + allowed) * (1.0 + ROUNDING)


def _covers_less(one: Compared, allowed: float) -> bool:
    """Tell whether intervals miss their 90 % by more; those that cover more than that are no better."""
    if one.now.coverage is None or one.before.coverage is None:
        return False
    return not min(one.now.coverage, COVERED) >= min(one.before.coverage, COVERED) - allowed


def counted(number: int, what: str) -> str:
    """Write how many there are of what `what` names, such as `task held out`."""
    return f"{number} {what}" if number == 1 else f"{number} {what.replace('task', 'tasks', 1)}"
