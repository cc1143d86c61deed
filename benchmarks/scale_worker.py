"""Do one job of scale.py in a process of its own, and print what it took as one line of JSON."""

import argparse
import ctypes
import gc
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:  # importing these starts TensorFlow, which waits for its threads to be set
    from tffs.data.sums import Arrays, Wanted

BLOCK_BYTES = 32 * 2**20  # of rows that are read at a time
SETTLING, CALLS = 5, 40  # calls before the clock starts, and timed calls


def main() -> None:
    """Run the job that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    jobs = parser.add_subparsers(dest="job", required=True)
    sizes = {
        "fit": ("tasks", "rows", "features", "rank"),
        "together": ("tasks", "rows", "features", "rank"),
        "answer": ("features", "rank", "count"),
        "read": ("rows", "features"),
    }
    for job, names in sizes.items():
        one = jobs.add_parser(job)
        for name in names:
            one.add_argument(f"--{name}", type=int, required=True)
    arguments = vars(parser.parse_args())
    called: dict[str, Callable[..., dict[str, Any]]] = {
        "fit": fit,
        "together": together,
        "answer": answer,
        "read": read,
    }
    print(json.dumps(called[arguments.pop("job")](**arguments)))


class CountedRows:
    """Rows in memory, and how many of them were read.

    Args:
        matrix: [rows, features].
    """

    def __init__(self, matrix: np.ndarray) -> None:
        self._matrix = matrix
        self.shape = matrix.shape
        self.read = 0
        self.passes: SharedPasses | None = None

    def __len__(self) -> int:
        return len(self._matrix)

    def __getitem__(self, rows: Any) -> np.ndarray:
        found = self._matrix[rows]
        self.read += len(found)
        return found


class SharedPasses:
    """Computes the sums of all folds at once, as `tffs.data.beam_sums.BeamPasses` does, but here without Beam.

    Args:
        rows: that are summed.
    """

    def __init__(self, rows: CountedRows) -> None:
        self._rows = rows

    def begin(self, doing: str, about: int) -> None:
        """Show nothing."""

    def sums(self, wanted: "Sequence[Wanted]") -> "list[Arrays]":
        """Compute all sums."""
        from tffs.data.sums import summed

        self._hash([one.means for one in wanted if one.means is not None])
        return summed(self._rows, wanted)

    @staticmethod
    def _hash(means: list[np.ndarray]) -> None:
        """Copy task means to hash them, as `Jobs.told_apart_by` does: two copies are in memory at a time."""
        for array in means:
            copied = array.tobytes()
            hashlib.sha256(copied)


def fit(tasks: int, rows: int, features: int, rank: int) -> dict[str, Any]:
    """Fit once on one thread, and tell the pass that sums up from the rest."""
    from benchmarks.posterior_worker import drawn

    _startup(rank)
    x, named = drawn(tasks, rows, features)
    counted = CountedRows(x)
    return {**_fitted(counted, named), "passes": counted.read / len(x)}


def together(tasks: int, rows: int, features: int, rank: int) -> dict[str, Any]:
    """Fit as the main process of a run with Beam does, all folds at once, for the memory it takes."""
    from benchmarks.posterior_worker import drawn

    _startup(rank)
    x, named = drawn(tasks, rows, features)
    counted = CountedRows(x)
    counted.passes = SharedPasses(CountedRows(x))
    return _fitted(counted, named)


def _fitted(counted: CountedRows, named: Any) -> dict[str, Any]:
    """Fit, and measure."""
    from tffs.posterior.fitting import fit_posterior, source_of

    before = restart_peak()
    source, watching = source_of(counted, named, None, None, 0)
    began = time.process_time()
    _ = source.sums
    summed = time.process_time()
    fitted = fit_posterior(source, watching, "standard", min(10, counted.shape[1]), 0)
    ended = time.process_time()
    return {
        "sums_s": summed - began,
        "rest_s": ended - summed,
        "peak_mb": peak_mb() - before,
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


def restart_peak() -> float:
    """Forget the peak of memory until now, and give what is in use, in MB.

    Memory that was freed is given back first: a fit would use it again, and its peak would look lower.
    """
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")
    return _status_mb("VmRSS")


def peak_mb() -> float:
    """Give the most memory in use since `restart_peak`, in MB."""
    return _status_mb("VmHWM")


def _status_mb(name: str) -> float:
    with open("/proc/self/status", encoding="utf-8") as file:
        found = next(line for line in file if line.startswith(f"{name}:"))
    return int(found.split()[1]) / 1024


if __name__ == "__main__":
    main()
