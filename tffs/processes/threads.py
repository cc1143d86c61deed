"""How many threads TensorFlow should have for a run."""

from tffs.config import RunConfig
from tffs.processes.one_thread import usable_cores

LARGE_UNITS, LARGE_EPISODES = 256, 8


def threads_for(run: RunConfig, workers: int = 1) -> int:
    """Choose TensorFlow's threads: one beats more by 2 to 3 times at the paper's sizes.

    Args:
        run: what is trained.
        workers: how many share the episodes of a step.
    """
    units = max(run.model.embedding_units, *run.model.decoder_units)
    large = units >= LARGE_UNITS or run.data.episodes_per_step // workers >= LARGE_EPISODES
    return usable_cores() if large else 1
