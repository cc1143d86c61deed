"""Do one job of data.py in a process of its own, and print what it took as one line of JSON."""

import argparse
import contextlib
import json
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

TASK = "task"
BATCH = 100  # episodes a batch, as many as a chunk has steps
DRAWN = 5  # drawing is faster than training, so it goes on for longer


def main() -> None:
    """Run the job that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    jobs = parser.add_subparsers(dest="job", required=True)
    make = jobs.add_parser("make", help="write a table of random numbers")
    make.add_argument("paths", nargs="+")
    for size in ("rows", "features", "tasks"):
        make.add_argument(f"--{size}", type=int, required=True)
    read = jobs.add_parser("read", help="read one table's files with pandas, and prepare them with tffs")
    read.add_argument("paths", nargs="+")
    read.add_argument("--rounds", type=int, required=True)
    read.add_argument("--peer_rows", type=int, required=True, help="how many rows plain TFDS writes")
    draw = jobs.add_parser("draw", help="draw episodes and chunks without training, and train")
    draw.add_argument("--size", required=True)
    draw.add_argument("--core", type=int, required=True)
    draw.add_argument("--rounds", type=int, required=True)
    draw.add_argument("--chunks", type=int, required=True, help="chunks to train a round")
    for job in ("prepare", "start"):
        parts = jobs.add_parser(job)
        parts.add_argument("path")
        parts.add_argument("--data_dir", required=True)
    arguments = vars(parser.parse_args())
    job = {"make": make_table, "read": read_table, "draw": draw_episodes, "prepare": prepare, "start": start}
    print(json.dumps(job[arguments.pop("job")](**arguments)))


def make_table(paths: list[str], rows: int, features: int, tasks: int) -> None:
    """Write random numbers of six decimals, with as many rows for every task, to CSV or Parquet files."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    x = np.random.default_rng(0).random((features, rows)).round(6)
    task = pa.array([f"task {row % tasks}" for row in range(rows)])
    table = pa.table({TASK: task, **{f"x{feature}": values for feature, values in enumerate(x)}})
    for path in paths:
        write = pyarrow.csv.write_csv if path.endswith(".csv") else pyarrow.parquet.write_table
        write(table, path)


def read_table(paths: list[str], rounds: int, peer_rows: int) -> dict[str, dict[str, Any]]:
    """Time pandas and tffs on every file, and plain TFDS on rows in memory, taking turns.

    Returns:
        For each of them rows, and the median wall and CPU seconds.
    """
    from tffs.startup import start_tensorflow

    start_tensorflow()
    import numpy as np
    import pandas

    readers = {".csv": pandas.read_csv, ".parquet": pandas.read_parquet}
    frame = pandas.read_parquet(next(path for path in paths if path.endswith(".parquet")))
    rows = len(frame)
    frame = frame.head(peer_rows)
    x, tasks = frame.drop(columns=TASK).to_numpy(np.float32), frame[TASK].tolist()
    with tempfile.TemporaryDirectory() as folder:  # what the first call of anything costs is not measured
        tiny = [os.path.join(folder, f"tiny{ending}") for ending in readers]
        make_table(tiny, 20, 2, 2)
        for path in tiny:
            readers[os.path.splitext(path)[1]](path)
            _prepare(path, folder)
        _write_with_tfds(x[:20], tasks[:20], folder)
    taken: dict[str, list[dict[str, float]]] = {}
    for _ in range(rounds):
        for path in paths:
            ending = os.path.splitext(path)[1]
            with _measured(taken, f"pandas {ending}"):
                readers[ending](path)
            with tempfile.TemporaryDirectory() as folder, _measured(taken, f"tffs {ending}"):
                _prepare(path, folder)
        with tempfile.TemporaryDirectory() as folder, _measured(taken, "TFDS"):
            _write_with_tfds(x, tasks, folder)
    return {who: {"rows": len(x) if who == "TFDS" else rows, **_medians(times)} for who, times in taken.items()}


def _prepare(path: str, data_dir: str) -> None:
    """Prepare a table as `tffs.data.datasets.load` does."""
    from data_builders.table.options import TableOptions
    from data_builders.table.table import Table
    from data_builders.table.table_dataset_builder import prepare_table

    table = Table(TableOptions(path, TASK))
    prepare_table(table, table.dataset(), data_dir, lambda doing, share: None)


def _write_with_tfds(x: Any, tasks: list[str], data_dir: str) -> None:
    """Write rows as a builder does that leaves the writing to TFDS."""
    import numpy as np
    import tensorflow_datasets as tfds

    from data_builders.preparation import run_builder

    class Builder(tfds.core.GeneratorBasedBuilder, skip_registration=True):
        VERSION = tfds.core.Version("1.0.0")
        name = "peer"

        def _info(self) -> tfds.core.DatasetInfo:
            features = {
                "x": tfds.features.Tensor(shape=x.shape[1:], dtype=np.float32),
                "task": tfds.features.Text(),
                "id": tfds.features.Text(),
            }
            return tfds.core.DatasetInfo(
                builder=self, features=tfds.features.FeaturesDict(features), disable_shuffling=True
            )

        def _split_generators(self, dl_manager: Any) -> dict[str, Any]:
            return {"rows": self._generate_examples()}

        def _generate_examples(self) -> Iterator[tuple[int, dict[str, Any]]]:
            for number, (row, task) in enumerate(zip(x, tasks, strict=True)):
                yield number, {"x": row, "task": task, "id": str(number)}

    run_builder(Builder(data_dir=data_dir))


def draw_episodes(size: str, core: int, rounds: int, chunks: int) -> dict[str, dict[str, float]]:
    """Time episodes alone, chunks with their noise, and training, on one core and one thread, taking turns.

    Returns:
        For each of them how many steps' worth was drawn or trained, and the median wall and CPU seconds.
    """
    os.sched_setaffinity(0, {core})
    from benchmarks.peers import tffs_step
    from benchmarks.peers.problem import SIZES

    peer = tffs_step.make(SIZES[size], "jit")
    episodes = tffs_step.make_episodes(SIZES[size])
    alone = iter(episodes.dataset(BATCH))
    whole = iter(tffs_step.make_chunks(SIZES[size], episodes).dataset(0))
    jobs: dict[str, tuple[int, int, Callable[[], Any]]] = {
        # calls a round, steps a call
        "episodes": (DRAWN * chunks, BATCH, lambda: next(alone)),
        "chunks": (DRAWN * chunks, peer.chunk, lambda: next(whole)),
        "training": (chunks, peer.chunk, peer.run),
    }
    for _, _, call in jobs.values():
        call()
    taken: dict[str, list[dict[str, float]]] = {}
    for _ in range(rounds):
        for what, (count, _, call) in jobs.items():
            call()  # takes what was drawn ahead, so that what follows is drawn while the clock runs
            with _measured(taken, what):
                for _ in range(count):
                    call()
    return {what: {"steps": jobs[what][0] * jobs[what][1], **_medians(times)} for what, times in taken.items()}


def prepare(path: str, data_dir: str) -> dict[str, float]:
    """Measure preparing a table, imports apart."""
    from tffs.startup import start_tensorflow

    start_tensorflow()
    import tffs.planning.setting  # noqa: F401

    return _alone(lambda: _prepare(path, data_dir))


def start(path: str, data_dir: str) -> dict[str, float]:
    """Measure from the flags to the first step with a prepared table, imports apart."""
    from tffs.startup import start_tensorflow

    start_tensorflow()
    from tffs import flags
    from tffs.planning.setting import settle

    command = flags.parse(["tffs", f"--table={path}", f"--task_column={TASK}", f"--data_dir={data_dir}"])
    return _alone(lambda: settle(command.run, command.place, lambda sentence: None))


def _alone(call: Callable[[], Any]) -> dict[str, float]:
    """Time the only call of a process, and its peak memory above what the imports took."""
    before = _peak_mb()
    taken: dict[str, list[dict[str, float]]] = {}
    with _measured(taken, "call"):
        call()
    return {**taken["call"][0], "peak_mb": _peak_mb() - before}


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@contextlib.contextmanager
def _measured(taken: dict[str, list[dict[str, float]]], what: str) -> Iterator[None]:
    """Add the wall and CPU seconds of a block to a list of them."""
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    times = {"wall_s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu}
    taken.setdefault(what, []).append(times)


def _medians(times: list[dict[str, float]]) -> dict[str, float]:
    return {kind: statistics.median(one[kind] for one in times) for kind in ("wall_s", "cpu_s")}


if __name__ == "__main__":
    main()
