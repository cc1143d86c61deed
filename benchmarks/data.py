"""Measure the data's way: from a table's file to a prepared dataset, to a run's start, to episodes.

Reading is compared with pandas and with plain TFDS, drawing with training, and starting with itself at other
sizes, all in the same run. Whatever is measured has a process of its own.

    python -m benchmarks.data [--small]
"""

import argparse
import os
import tempfile
import time
from typing import Any, NamedTuple

from benchmarks import data_report, machine
from benchmarks.peers.problem import SIZES

WORKER = "benchmarks.data_worker"
PACKAGES = ("tensorflow", "tensorflow-datasets", "pandas", "pyarrow", "numpy")
KINDS = (".csv", ".parquet")
DRAWN_SIZE = "M=256 K=50"


class TableSize(NamedTuple):
    """The size of a table.

    Attributes:
        tasks: how many.
        rows: of all tasks together.
        features: columns beside the task's.
    """

    tasks: int
    rows: int
    features: int


class Plan(NamedTuple):
    """How much to measure.

    Attributes:
        read: tables to read.
        peer_rows: rows that plain TFDS writes at most.
        grow: tables of one width and more and more rows, to start with.
        wide: a table of many features, to start with.
        rounds: how often reading and drawing are repeated; medians count.
        chunks: chunks to train a round, and a fixed multiple of it to draw.
    """

    read: tuple[TableSize, ...]
    peer_rows: int
    grow: tuple[TableSize, ...]
    wide: TableSize
    rounds: int
    chunks: int


FULL = Plan(
    read=(TableSize(100, 200_000, 16), TableSize(10, 300, 20_000)),
    peer_rows=20_000,
    # The last is so large that what every run costs no longer hides how the cost grows.
    grow=(
        *(TableSize(tasks, 20 * tasks, 16) for tasks in (10, 1_000, 10_000)),
        TableSize(2_000, 5_000_000, 16),
    ),
    wide=TableSize(10, 500, 20_000),
    rounds=2,
    chunks=20,
)
SMALL = Plan(
    read=(TableSize(10, 2_000, 16),),
    peer_rows=200,
    grow=tuple(TableSize(tasks, 20 * tasks, 16) for tasks in (10, 20)),
    wide=TableSize(3, 60, 200),
    rounds=1,
    chunks=2,
)


def main() -> None:
    """Measure everything and write the results page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="tiny sizes, results in a new folder")
    parser.add_argument("--core", type=int, default=machine.last_core(), help="where episodes are drawn")
    arguments = parser.parse_args()
    plan = SMALL if arguments.small else FULL
    began = time.perf_counter()
    results: dict[str, Any] = {"about": machine.describe(PACKAGES), "rounds": plan.rounds}
    with tempfile.TemporaryDirectory(prefix="tffs-data-") as folder:
        results["reading"] = [_read(size, plan, folder) for size in plan.read]
        results["drawing"] = _draw(plan, arguments.core)
        results["growing"] = [_start(size, folder) for size in plan.grow]
        results["wide"] = _start(plan.wide, folder)
    results["seconds"] = time.perf_counter() - began
    data_report.report(results, machine.output_folder(arguments.small))


def _read(size: TableSize, plan: Plan, folder: str) -> dict[str, Any]:
    """Measure reading one table from files of every kind."""
    paths = _make(size, folder, *KINDS)
    peer_rows = min(size.rows, plan.peer_rows)
    times = _child("read", *paths, f"--rounds={plan.rounds}", f"--peer_rows={peer_rows}")
    megabytes = {kind: os.path.getsize(path) / 1e6 for kind, path in zip(KINDS, paths, strict=True)}
    print(f"{size.rows} x {size.features}: {times}", flush=True)
    return {**size._asdict(), "megabytes": megabytes, "times": times}


def _draw(plan: Plan, core: int) -> dict[str, Any]:
    """Measure drawing and training at the sizes of MNIST-r."""
    drawn = _child(
        "draw", f"--size={DRAWN_SIZE}", f"--core={core}", f"--rounds={plan.rounds}", f"--chunks={plan.chunks}"
    )
    print(f"{DRAWN_SIZE}: {drawn}", flush=True)
    size = SIZES[DRAWN_SIZE]
    return {"size": f"{DRAWN_SIZE} N_S={size.support} N_Q={size.query}", "times": drawn}


def _start(size: TableSize, folder: str) -> dict[str, Any]:
    """Measure preparing a CSV and starting from what was prepared, each in a new process."""
    (path,) = _make(size, folder, ".csv")
    place = f"--data_dir={path}.prepared"
    row = {**size._asdict(), "prepare": _child("prepare", path, place), "start": _child("start", path, place)}
    print(row, flush=True)
    return row


def _make(size: TableSize, folder: str, *kinds: str) -> list[str]:
    """Write the same table to a file of every kind."""
    paths = [os.path.join(folder, "-".join(map(str, size)) + kind) for kind in kinds]
    _child("make", *paths, *(f"--{name}={value}" for name, value in size._asdict().items()))
    return paths


def _child(*arguments: str) -> Any:
    """Run one job with one thread for TensorFlow and all cores for Arrow, as the command line has them."""
    return machine.run_child(WORKER, list(arguments), {"OMP_NUM_THREADS": str(os.cpu_count())})


if __name__ == "__main__":
    main()
