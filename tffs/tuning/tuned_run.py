"""A run with other values of some flags, or with fewer steps."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from tffs.config import RunConfig
from tffs.config.run import RUN_OPTIONS, settle_jit
from tffs.tuning.space import Space


def own_flags(space: Space, run: RunConfig) -> dict[str, Any]:
    """Give what the run itself has for the tuned flags, in the same form."""
    values = run.to_flags()
    return {
        part.flag: ",".join(map(str, value)) if isinstance(value := values[part.flag], tuple) else value
        for part in space
    }


def with_flags(run: RunConfig, flags: Mapping[str, Any]) -> RunConfig:
    """Give the run with other values of some flags; several numbers may be one text, like 32,32."""
    values = {
        name: RUN_OPTIONS[name].parse(value.split(","))
        if RUN_OPTIONS[name].several and isinstance(value, str)
        else value
        for name, value in flags.items()
    }
    return RunConfig.from_flags({**run.to_flags(), **values})


def shortened(run: RunConfig, steps: int, jit: str) -> RunConfig:
    """Give the run with fewer steps: the temperature falls over all of them, and it validates as often.

    Args:
        run: in its full length.
        steps: how many are wanted; those of the run leave it as it is.
        jit: as the flags give it; `auto` goes by the new number of steps.
    """
    every = math.ceil(run.training.eval_every * steps / run.training.steps)
    training = dataclasses.replace(run.training, steps=steps, eval_every=every, jit=settle_jit(jit, steps))
    return dataclasses.replace(run, training=training)
