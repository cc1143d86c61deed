"""Which rows train, validate, or are the target's: the paper's protocols, and one without validation."""

import dataclasses

import numpy as np

from tffs.config.run import FOLDS, NO_TARGET
from tffs.data.tasks import TaskRows, Tasks
from tffs.errors import UserError, listed

SHOWN_TASKS = 10
KEPT = 0.8  # of the rows of each source task (appendix B)


@dataclasses.dataclass(frozen=True)
class Split:
    """Who plays which part.

    Attributes:
        train: rows that training episodes are drawn from.
        validation: rows that validation episodes are drawn from.
        target_support: int64 [N_S] row numbers of the target's support set, empty without a target.
        target_test: int64 row numbers of all other target rows.
    """

    train: TaskRows
    validation: TaskRows
    target_support: np.ndarray
    target_test: np.ndarray


def choose_tasks(
    task_names: tuple[str, ...], target: str | None, validation: str | None, protocol: str, seed: int
) -> tuple[str | None, str | None]:
    """Settle the target and the validation task, drawing from `seed` what is not given.

    Args:
        task_names: all tasks.
        target: a name, `"none"` or `"folds"` to hold no task out, or None to draw one.
        validation: a name, or None to draw one; must be None for protocol `rows`.
        protocol: `task` (one source task validates) or `rows` (20 % of each source task validate).
        seed: what the draws depend on.

    Returns:
        The target task (None where none is held out) and the validation task (None for `rows`).
    """
    reserved = [name for name in (NO_TARGET, FOLDS) if name in task_names]
    if reserved:
        raise UserError(
            f"A task is called '{reserved[0]}', which --target_task keeps for holding no task out: give it "
            "another name."
        )
    if target in (NO_TARGET, FOLDS):
        target = NO_TARGET
    for flag, name in (("target_task", target), ("validation_task", validation)):
        if name is not None and name not in task_names and (flag, name) != ("target_task", NO_TARGET):
            raise UserError(
                f"--{flag}={name} is not a task of this dataset; its tasks: {listed(task_names, 20)}."
            )
    if validation is not None and protocol == "rows":
        raise UserError(
            f"--validation_task={validation} goes with --validation=task, but --validation=rows was given, "
            "which validates on rows of every source task: drop one of the two."
        )
    if target is not None and target == validation:
        raise UserError(
            f"--target_task and --validation_task are both {target}: the target must stay unseen, "
            "so choose another validation task."
        )
    rng = np.random.default_rng([seed, 1])
    shuffled = [task_names[i] for i in rng.permutation(len(task_names))]
    if target is None:
        target = next((name for name in shuffled if name != validation), shuffled[0])
    if protocol == "task" and validation is None:
        validation = next((name for name in shuffled if name != target), None)
    held_out = {target, validation} - {None, NO_TARGET}
    if len(task_names) - len(held_out) < 1:
        raise UserError(
            f"This dataset has {len(task_names)} task(s) and {len(held_out)} would be held out, so none is "
            "left to train on: add tasks, or use --validation=rows or --target_task=none."
        )
    return (None if target == NO_TARGET else target), validation


def split_tasks(
    tasks: Tasks, target: str | None, validation: str | None, protocol: str, support_size: int, seed: int
) -> Split:
    """Split the rows as appendix B does.

    Args:
        tasks: all rows.
        target: the held-out task, or None.
        validation: the validation task; None for protocol `rows`.
        protocol: `task` or `rows`.
        support_size: N_S; every task must have at least one row more.
        seed: what the draws depend on.

    Returns:
        The split; a source task too small for an episode is an error that names it.
    """
    shuffled = _shuffled(tasks, seed)
    train_rows, validation_rows = {}, {}
    for name, rows in shuffled.items():
        kept = round(KEPT * len(rows))
        if name == target:
            continue
        if protocol == "rows":
            train_rows[name], validation_rows[name] = rows[:kept], rows[kept:]
        elif name == validation:
            validation_rows[name] = rows[:kept]
        else:
            train_rows[name] = rows[:kept]
    target_rows = np.zeros(0, np.int64) if target is None else shuffled[target]
    usable = {name: len(rows) for name, rows in train_rows.items()}
    if target is not None:
        usable[target] = len(target_rows)
    large = {name: rows for name, rows in validation_rows.items() if len(rows) > support_size}
    if not large:
        name, rows = max(validation_rows.items(), key=lambda item: len(item[1]))
        usable[name] = min(len(rows), usable.get(name, len(rows)))
    _check_sizes({name: len(rows) for name, rows in shuffled.items()}, usable, support_size)
    return Split(
        train=TaskRows.from_lists(tuple(train_rows), list(train_rows.values())),
        validation=TaskRows.from_lists(tuple(large), list(large.values())),
        target_support=target_rows[:support_size],
        target_test=target_rows[support_size:],
    )


def whole_tasks(tasks: Tasks, target: str | None, support_size: int, seed: int) -> Split:
    """Learn from all rows of all tasks except the target, and validate on none.

    Args:
        tasks: all rows; a task may have one.
        target: the held-out task, or None.
        support_size: N_S; a target with fewer than two support sets of rows gives half of them.
        seed: what the draws depend on; the target's support is that of `split_tasks`.
    """
    shuffled = {name: rows for name, rows in _shuffled(tasks, seed).items() if len(rows)}
    if target is not None and target not in shuffled:
        raise UserError(f"--target_task={target} has no rows to measure on: choose another task.")
    if not shuffled.keys() - {target}:
        raise UserError("No task has rows to learn from: add rows.")
    target_rows = np.zeros(0, np.int64) if target is None else shuffled.pop(target)
    size = min(support_size, len(target_rows) // 2)
    return Split(
        train=TaskRows.from_lists(tuple(shuffled), list(shuffled.values())),
        validation=TaskRows.from_lists((), []),
        target_support=target_rows[:size],
        target_test=target_rows[size:],
    )


def _shuffled(tasks: Tasks, seed: int) -> dict[str, np.ndarray]:
    """Give the row numbers of each task, in an order that is drawn."""
    rng = np.random.default_rng([seed, 2])
    return {name: rng.permutation(rows) for name, rows in tasks.rows_by_task().items()}


def _check_sizes(rows: dict[str, int], usable: dict[str, int], support_size: int) -> None:
    """Name every task that is too small for an episode."""
    needed = support_size + 1
    small = [name for name in rows if usable.get(name, needed) < needed]
    if not small:
        return
    shown = [
        f"{name} has {rows[name]}"
        + (f" ({usable[name]} after the split)" if usable[name] != rows[name] else "")
        for name in small[:SHOWN_TASKS]
    ]
    more = f" and {len(small) - SHOWN_TASKS} more" if len(small) > SHOWN_TASKS else ""
    raise UserError(
        f"{len(small)} task(s) have too few rows: {', '.join(shown)}{more}; an episode needs at least {needed} "
        f"(--support_size={support_size} and one query row): add rows, leave the tasks out or lower "
        "--support_size."
    )
