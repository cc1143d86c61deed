"""The page a person reads at the end of a search."""

from collections.abc import Sequence

from tffs.errors import listed
from tffs.training.progress import duration
from tffs.tuning.budget import Budget
from tffs.tuning.trial import DEFAULT, Row, named

SHOWN = 20  # rows; trials.jsonl has all


def table(rows: Sequence[Row], best: Row, budget: Budget, loss_name: str) -> str:
    """Write the outcome: the best first, the default beside it, then the others.

    Args:
        rows: all trials that have ended, the default first.
        best: one of them.
        budget: of the search.
        loss_name: what the validation loss is called.
    """
    default = rows[0]
    others = sorted(
        (row for row in rows if row.figures is not None and row not in (best, default)),
        key=lambda row: (-row.steps, row.loss),
    )
    order = [best, *([default] if default is not best else []), *others]
    head = ["trial", "steps", f"validation {loss_name}", "distinct", *default.flags]
    lines = _aligned([head, *(_cells(row) for row in order[:SHOWN])])
    if len(order) > SHOWN:
        lines.append(f"... and {len(order) - SHOWN} more")
    return "\n".join([*lines, "", *_sentences(rows, best, budget, loss_name)])


def _cells(row: Row) -> list[str]:
    figures = ["failed", ""] if row.figures is None else [f"{row.loss:.4g}", f"{row.figures.distinct:.1f}"]
    return [row.trial, str(row.steps), *figures, *map(str, row.flags.values())]


def _aligned(cells: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in cells
    ]


def _sentences(rows: Sequence[Row], best: Row, budget: Budget, loss_name: str) -> list[str]:
    default, *trials = rows
    steps = budget.folds * sum(row.steps for row in trials)
    seconds = sum(row.figures.seconds for row in rows if row.figures is not None)
    lines = [
        f"{len(trials)} trials of {steps} steps in all, as many as {steps / budget.steps:.3g} full trainings; "
        f"with the default {duration(seconds)} of training."
    ]
    if budget.folds > 1:
        lines.append(
            f"Every loss is the mean of {budget.folds} trainings, each validated on another source task."
        )
    if len(trials) < budget.trainings:
        lines.append(
            f"It ended before {budget.trainings} trials: there was nothing new to try in the space, or too "
            "many failed to choose from."
        )
    short = sum(row.steps < budget.steps for row in trials)
    if short:
        lines.append(f"{short} of them were shortened: only those of {budget.steps} steps can be the best.")
    failed = [row for row in rows if row.figures is None]
    if failed:
        names = listed([row.trial for row in failed])
        lines.append(f"{len(failed)} failed ({names}), the first because: {failed[0].error}")
    figure = f"validation {loss_name} {best.loss:.4g}"
    if best.trial == DEFAULT:
        lines.append(f"Nothing was better than the default: {figure} after {budget.steps} steps.")
    elif default.figures is None:
        lines.append(f"Best: {named(best.trial)}, {figure}; the default failed.")
    else:
        gain = 100.0 * (1.0 - best.loss / default.loss)
        lines.append(
            f"Best: {named(best.trial)}, {figure}, {gain:.1f} % below the default's {default.loss:.4g}, both "
            f"after {budget.steps} steps."
        )
    return lines
