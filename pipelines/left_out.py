"""What the Trainer measured on source tasks, each of which was left out once."""

import json
import os
from collections.abc import Callable
from typing import Any, NamedTuple

from pipelines.scaled_rows import fingerprint
from tffs.evaluation.left_out import measured_on_left_out
from tffs.evaluation.result import OF_UNSEEN, result_of
from tffs.finite import finite
from tffs.methods.catalogue import Posterior, method_of_runs
from tffs.methods.posterior import FittedPosterior
from tffs.planning.setting import Setting
from tffs.whole_file import replacing

FILE = "left_out.json"  # in the Model artifact, beside what is served


class LeftOut(NamedTuple):
    """The figures of source tasks that were left out in turn.

    Attributes:
        exam: a digest of the rows and of how supports were drawn: figures of the same exam can be compared.
        result: what `result.json` would hold.
    """

    exam: str
    result: dict[str, Any]

    @property
    def tasks(self) -> dict[str, dict[str, Any]]:
        """The figures of each task."""
        return {one["task"]: one for one in self.result["tasks"]}

    @property
    def without_error(self) -> list[str]:
        """The tasks on which the model's error is not a finite number, though the mean makes one."""
        return [
            name
            for name, one in self.tasks.items()
            if one["relative_error"] is None and one["error_of_mean"] != 0.0
        ]

    @classmethod
    def measured(cls, setting: Setting, fitted: Any, share: Callable[[str, float], None]) -> "LeftOut | None":
        """Leave every source task out once, in `--folds` folds.

        Args:
            setting: the run.
            fitted: its model.
            share: is called with what is being done and the share of it that is done.

        Returns:
            The figures; None for a method that is too slow to be fitted for every fold, and for one task.
        """
        method = method_of_runs(setting.config)
        if not isinstance(method, Posterior) or not isinstance(fitted, FittedPosterior):
            return None
        found = measured_on_left_out(method, setting, fitted, {}, share)
        if found is None:
            return None
        config = setting.config
        drawn = f"{config.data.support_size} of a task, {config.data.folds} folds, seed {config.seed}"
        exam = f"{fingerprint(setting.tasks)}, {drawn}"
        unseen = {name: part for name, part in found.unseen.items() if name in OF_UNSEEN}
        return cls(exam, result_of(setting, fitted, found.own, found.yardsticks, unseen))

    def write(self, folder: str) -> None:
        """Write the figures beside a model."""
        with replacing(os.path.join(folder, FILE)) as path, open(path, "w", encoding="utf-8") as file:
            json.dump(finite(self._asdict()), file, indent=1, allow_nan=False)

    @classmethod
    def read(cls, folder: str) -> "LeftOut | None":
        """Read the figures beside a model; None where its Trainer left none."""
        path = os.path.join(folder, FILE)
        if not os.path.exists(path):
            return None
        with open(path, encoding="utf-8") as file:
            return cls(**json.load(file))
