"""Whether the workers of a training train the same run on the same rows."""

import hashlib
import json

import numpy as np

from tffs.errors import UserError
from tffs.planning.setting import Setting
from tffs.training.workers import Workers


def check_same_run(setting: Setting, workers: Workers) -> None:
    """Check that all workers train the same, or what they make together would be neither's.

    Their rows are the same if each task has as many and the source's least, greatest and mean values agree.
    """
    tasks, statistics = setting.tasks, setting.statistics
    named = (setting.config.identity(), tasks.task_names, tasks.offsets.tolist(), tasks.feature_names)
    digest = hashlib.sha256(json.dumps(named, sort_keys=True).encode())
    for figures in (statistics.low, statistics.high, statistics.mean):
        digest.update(np.asarray(figures).tobytes())
    own = float(int(digest.hexdigest()[:12], 16))  # as many digits as a float64 keeps
    if workers.any(workers.from_chief([own])[0] != own):
        raise UserError(
            "The workers were started with different flags or have different data: give each the command of "
            "worker 0, with another index in TF_CONFIG."
        )
