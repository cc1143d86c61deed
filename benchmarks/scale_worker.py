"""Do one job of scale.py in a process of its own, and print what it took as one line of JSON."""

import argparse
import json
import os
import resource
import tempfile
import time
from typing import Any

import numpy as np

BLOCK_BYTES = 32 * 2**20  # of rows that are read at a time
SETTLING, CALLS = 5, 40  # calls before the clock starts, and timed calls


def main() -> None:
    """Run the job that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    jobs = parser.add_subparsers(dest="job", required=True)
    sizes = {
        "fit": ("tasks", "rows", "features", "rank"),
        "answer": ("features", "rank", "count"),
        "read": ("rows", "features"),
    }
    for job, names in sizes.items():
        one = jobs.add_parser(job)
        for name in names:
            one.add_argument(f"--{name}", type=int, required=True)
    arguments = vars(parser.parse_args())
    print(json.dumps({"fit": fit, "answer": answer, "read": read}[arguments.pop("job")](**arguments)))


class CountedRows:
    """Rows in memory, and how many of them were read.

    Args:
        matrix: [rows, features].
    """

    def __init__(self, matrix: np.ndarray) -> None:
        self._matrix = matrix
        self.shape = matrix.shape
        self.read = 0

    def __len__(self) -> int:
        return len(self._matrix)

    def __getitem__(self, rows: Any) -> np.ndarray:
        found = self._matrix[rows]
        self.read += len(found)
        return found


def fit(tasks: int, rows: int, features: int, rank: int) -> dict[str, Any]:
    """Fit once on one thread, and tell the pass that sums up from the rest."""
    from benchmarks.posterior_worker import drawn

    _startup(rank)
    from tffs.posterior.fitting import fit_posterior, source_of

    x, named = drawn(tasks, rows, features)
    counted = CountedRows(x)
    before = _peak_mb()
    source, watching = source_of(counted, named, None, None, 0)
    began = time.process_time()
    _ = source.sums
    summed = time.process_time()
    fitted = fit_posterior(source, watching, "standard", min(10, features), 0)
    ended = time.process_time()
    return {
        "sums_s": summed - began,
        "rest_s": ended - summed,
        "passes": counted.read / len(x),
        "peak_mb": _peak_mb() - before,
        "recipe": fitted.recipe.facts(),
    }


def answer(features: int, rank: int, count: int) -> dict[str, Any]:
    """Time the choice of K features for one task of four rows: CPU time, on one thread."""
    from benchmarks.posterior_worker import drawn

    _startup(rank)
    import tensorflow as tf

    from tffs.posterior.recipe import Kitchen, Recipe
    from tffs.posterior.source import Source

    x, named = drawn(4, max(2 * rank // 4, 200), features)
    kitchen = Kitchen(Source.of(x, named, np.arange(4)), np.ones(features), 0)
    model = kitchen.model(Recipe(), count)
    chosen = tf.function(model.select, autograph=False)
    support = tf.constant(x[None, :4])
    times = []
    for call in range(SETTLING + CALLS):
        began = time.process_time()
        np.asarray(chosen(support))
        if call >= SETTLING:
            times.append(time.process_time() - began)
    weights = sum(int(np.prod(weight.shape)) for weight in model.weights)
    return {"ms": 1e3 * float(np.median(times)), "model_mb": 4 * weights / 2**20}


def read(rows: int, features: int) -> dict[str, Any]:
    """Read a prepared table once, in order and block by block, as a fit with `--cache=stream` does."""
    from benchmarks.streaming_worker import TASK, make_table

    _startup(1)
    from tffs import flags
    from tffs.planning.setting import settle

    with tempfile.TemporaryDirectory(prefix="tffs-scale-") as folder:
        path, data_dir = os.path.join(folder, "table.parquet"), os.path.join(folder, "data")
        make_table(path, data_dir, 8, rows, features)
        place = (f"--table={path}", f"--task_column={TASK}", f"--data_dir={data_dir}", "--cache=stream")
        command = flags.parse(["tffs", *place, "--method=posterior", "--scaling=none"])
        setting = settle(command.run, command.place, lambda sentence: None)
        matrix = setting.tasks.matrix
        size = max(BLOCK_BYTES // (4 * features), 1)
        began = time.process_time()
        for start in range(0, len(matrix), size):
            _ = matrix[np.arange(start, min(start + size, len(matrix)))]
        seconds = time.process_time() - began
    return {"read_s": seconds, "rows": len(matrix)}


def _startup(rank: int) -> None:
    """Start TensorFlow on one thread, and set the rank of W where it is not a full matrix."""
    from tffs.startup import start_tensorflow

    start_tensorflow(1)
    from tffs.posterior import sketch

    sketch.RANK = rank


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
