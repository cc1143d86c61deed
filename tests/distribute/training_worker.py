"""One worker of a tiny training: what multi_worker_test.py starts, once a worker.

    python -m tests.distribute.training_worker FOLDER

It trains straight, trains until worker 1 wants to stop and goes on, and writes all it got to FOLDER.
"""

import os
import pathlib
import shutil
import sys

import numpy as np

from tests.training import parts
from tffs.distribute.cluster import read_cluster
from tffs.distribute.joining import join
from tffs.errors import Interrupted
from tffs.startup import start_tensorflow

EPISODES, STOP_AFTER = 4, 2


class Curve:
    """A watch that notes the losses."""

    def __init__(self):
        self.points = {}

    def update(self, status, final=False):
        self.points[status.step] = (status.loss, status.validation_loss)

    def end(self):
        pass


def trained(directory, **options):
    """Train and give the curve and the final weights by name."""
    curve = Curve()
    trainer, model = parts.make_trainer(directory, per_step=EPISODES, watch=curve, **options)
    summary = trainer.fit()
    arrays = {f"weight {i}": weight for i, weight in enumerate(parts.weights(model))}
    arrays["curve"] = np.array([curve.points[step] for step in sorted(curve.points)])
    arrays["best"] = np.array([summary.best_step, summary.validation_loss])
    return arrays


def stopped_and_resumed(directory, workers):
    """Train until the last worker wants to stop, and then what is left."""
    asked = []

    def should_stop():
        asked.append(True)
        return workers.index == workers.count - 1 and len(asked) == STOP_AFTER

    try:
        trained(directory, workers=workers, should_stop=should_stop)
    except Interrupted as stopped:
        if directory:
            shutil.copytree(directory, directory.with_name("half"))
        return {**trained(directory, workers=workers), "stopped at": np.array(stopped.step)}
    raise AssertionError("nothing stopped")


def main():
    """Train everything."""
    folder = pathlib.Path(sys.argv[1])
    start_tensorflow(1)
    workers = join(read_cluster(os.environ), print, seconds=60.0)
    chief = workers.index == 0
    outcome = {
        "straight": trained(folder / "straight" if chief else None, workers=workers),
        "stopped": stopped_and_resumed(folder / "stopped" if chief else None, workers),
    }
    named = {f"{way} {name}": array for way, arrays in outcome.items() for name, array in arrays.items()}
    np.savez(folder / f"worker{workers.index}.npz", **named)


if __name__ == "__main__":
    main()
