"""Folds of a search: one source task after the other validates, so that no single one decides.

What a search finds with one validation task may suit that task alone; the mean over several is nearer to what
a new task will see.
"""

import dataclasses

from tffs.errors import UserError
from tffs.planning.plan import plan
from tffs.planning.setting import Setting
from tffs.training.progress import Status, Watch


def folds_of(setting: Setting, count: int, query_size: int | None) -> list[Setting]:
    """Let source tasks validate in turn, the run's own validation task first.

    Rows are scaled alike in all folds: the scaling is learned from training and validation rows together.

    Args:
        setting: the run, which holds one task out for validation.
        count: how many folds; 1 is the run itself.
        query_size: N_Q as the flags give it; the smallest training task of a fold may shrink it.
    """
    data = setting.config.data
    if count == 1:
        return [setting]
    if data.validation_task is None:
        raise UserError(
            f"--tune_folds={count} lets source tasks validate in turn, but --validation={data.validation} "
            "validates on rows of all of them: drop one of the two."
        )
    sources = [
        name for name in setting.tasks.task_names if name not in (data.target_task, data.validation_task)
    ]
    if count > len(sources) + 1:
        raise UserError(
            f"--tune_folds={count} needs as many source tasks, but there are {len(sources) + 1}: choose at "
            f"most {len(sources) + 1}."
        )
    return [setting, *(_validated_on(setting, name, query_size) for name in sources[: count - 1])]


def _validated_on(setting: Setting, name: str, query_size: int | None) -> Setting:
    """Give the run with another validation task."""
    data = dataclasses.replace(setting.config.data, validation_task=name, query_size=query_size)
    planned = plan(dataclasses.replace(setting.config, data=data), setting.tasks, lambda sentence: None)
    return dataclasses.replace(setting, config=planned.config, split=planned.split)


class PartOfProgress:
    """Tells how far all folds of a trial are while one of them is trained.

    Args:
        whole: is told.
        number: of the fold, counted from 0.
        count: of the folds.
    """

    def __init__(self, whole: Watch, number: int, count: int) -> None:
        self._whole = whole
        self._number = number
        self._count = count

    def update(self, status: Status, final: bool = False) -> None:
        """Tell where all folds together stand."""
        step, steps = self._number * status.steps + status.step, self._count * status.steps
        left = (steps - step) / status.steps_per_second if self._count > 1 else status.seconds_left
        last = self._number == self._count - 1
        self._whole.update(status._replace(step=step, steps=steps, seconds_left=left), final and last)

    def end(self) -> None:
        """Do nothing: other folds may follow."""
