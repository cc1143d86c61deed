"""Measure training with rows on the disk beside training with rows in memory, by speed and by memory.

Both train the same model on the same episodes and take turns, each time in a process of its own.

    python -m benchmarks.streaming [--small]
"""

import argparse
import os
import shutil
import tempfile
import time
from typing import Any, NamedTuple

from benchmarks import machine

WORKER = "benchmarks.streaming_worker"
COMMAND = "python -m benchmarks.streaming"
PACKAGES = ("tensorflow", "tensorflow-datasets", "pyarrow", "numpy")


class TableSize(NamedTuple):
    """The size of a table.

    Attributes:
        name: what has this size.
        tasks: how many.
        rows: of all tasks together.
        features: columns beside the task's.
    """

    name: str
    tasks: int
    rows: int
    features: int


FULL = (
    TableSize("MNIST-r", 6, 6_000, 256),
    TableSize("Isolet", 5, 7_800, 617),
    TableSize("many rows", 8, 1_000_000, 256),
    TableSize("wide rows", 8, 100_000, 4_096),
)
SMALL = (TableSize("small", 4, 800, 64),)


def main() -> None:
    """Measure every size and write the results page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="one tiny size, results in a new folder")
    arguments = parser.parse_args()
    sizes, rounds, seconds = (SMALL, 1, 0.5) if arguments.small else (FULL, 2, 6.0)
    began = time.perf_counter()
    results: dict[str, Any] = {"about": machine.describe(PACKAGES), "rounds": rounds, "train_seconds": seconds}
    with tempfile.TemporaryDirectory(prefix="tffs-streaming-") as folder:
        results["sizes"] = [_measure(size, rounds, seconds, folder) for size in sizes]
    results["seconds"] = time.perf_counter() - began
    _report(results, machine.output_folder(arguments.small))


def _measure(size: TableSize, rounds: int, seconds: float, folder: str) -> dict[str, Any]:
    """Measure every way to train on one table."""
    path = os.path.join(folder, f"{size.name}.parquet")
    place = [path, f"--data_dir={folder}/prepared"]
    sizes = [f"--{name}={getattr(size, name)}" for name in ("tasks", "rows", "features")]
    machine.run_child(WORKER, ["make", *place, *sizes])
    every, one = sorted(os.sched_getaffinity(0)), [machine.last_core()]
    ways = {
        "memory": ["--cache=memory", _cores(every)],
        "stream": ["--cache=stream", _cores(every)],
        "memory, one core": ["--cache=memory", _cores(one)],
        "stream, one core": ["--cache=stream", _cores(one)],
        "stream, cold": ["--cache=stream", _cores(every), "--cold"],
    }
    taken: dict[str, list[dict[str, float]]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, flags in ways.items():
            taken[way].append(machine.run_child(WORKER, ["train", *place, *flags, f"--seconds={seconds}"]))
            print(f"{size.name}, {way}: {taken[way][-1]}", flush=True)
    shutil.rmtree(f"{folder}/prepared")
    os.remove(path)
    return {
        **size._asdict(),
        "megabytes": 4e-6 * size.rows * size.features,
        "rounds": taken,
        "ways": {way: _best(times) for way, times in taken.items()},
    }


def _best(times: list[dict[str, float]]) -> dict[str, float]:
    """Take the round that was disturbed least, figure by figure, and the largest memory."""
    best = {"steps_a_second": max, "peak_mb": max}
    return {figure: best.get(figure, min)(one[figure] for one in times) for figure in times[0]}


def _rate(size: dict[str, Any], way: str) -> str:
    """Write the steps a second of the fastest round, and of the slowest; nothing for what was not measured."""
    rates = [one["steps_a_second"] for one in size["rounds"].get(way, [])]
    return f"{max(rates):.0f} ({min(rates):.0f})" if rates else ""


def _cores(cores: list[int]) -> str:
    return f"--cores={','.join(map(str, cores))}"


def _report(results: dict[str, Any], folder: str) -> None:
    lines = [
        f"K=50, N_S=4, N_Q=60, compiled, one thread; {results['train_seconds']:.0f} s of training after the "
        f"first chunks, the best of {results['rounds']} round(s) in which all take turns. Rows are drawn and "
        "read on another thread than the one that trains; CPU is that of both. 'Cold' begins with none of the "
        "rows in the page cache. In brackets is the slowest round. Start is from the flags to a settled run "
        "(rows read, their statistics known), before the model is made; peak memory is what it takes, start "
        "included, above the imports.",
        "",
        "| size | rows | M | MB of rows | cache | CPU ms/step | of memory | steps/s | on one core "
        "| from a cold start | start s | peak MB |",
        "|---|---:|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for size in results["sizes"]:
        ways = size["ways"]
        for cache in ("memory", "stream"):
            here, base = ways[cache], ways["memory"]
            lines.append(
                f"| {size['name']} | {size['rows']} | {size['features']} | {size['megabytes']:.0f} | {cache} "
                f"| {here['cpu_ms_a_step']:.2f} | {here['cpu_ms_a_step'] / base['cpu_ms_a_step']:.2f} "
                f"| {_rate(size, cache)} | {_rate(size, f'{cache}, one core')} "
                f"| {_rate(size, f'{cache}, cold')} | {here['start_s']:.1f} | {here['peak_mb']:.0f} |"
            )
    text = "\n".join(lines)
    print(f"\n{text}")
    opening = machine.header("Rows on the disk and rows in memory", COMMAND, results["about"])
    opening.insert(-1, f"- Time: {results['seconds']:.0f} s")
    machine.write_json(os.path.join(folder, "streaming.json"), results)
    with open(os.path.join(folder, "streaming.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(opening) + f"\n{text}\n")
    print(f"\nWritten to {os.path.relpath(folder)}.")


if __name__ == "__main__":
    main()
