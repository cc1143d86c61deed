"""The model of a run in raw units, and what it says of itself."""

from typing import Any

from tffs.methods.fitted import FittedRun
from tffs.models import RawUnitsSelector
from tffs.planning.setting import Setting
from tffs.serving.description import Description
from tffs.serving.export import describe
from tffs.serving.training_facts import training_facts


def described_run(
    setting: Setting, fitted: FittedRun, result: dict[str, Any] | None
) -> tuple[RawUnitsSelector, Description]:
    """Give a run's model in raw units with its description, as its first version.

    Args:
        setting: the run.
        fitted: its model.
        result: what result.json holds, if the run was evaluated.
    """
    model = setting.in_raw_units(fitted.model)
    description = describe(
        model,
        setting.tasks.feature_names,
        (setting.config.data.support_size,),
        1,
        setting.config.data.scaling or "none",
        setting.statistics,
        setting.classes,
        training_facts(setting, fitted, result),
    )
    return model, description
