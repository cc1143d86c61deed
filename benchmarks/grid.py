"""Measure what a grid of the paper's comparison costs in core-hours: trainings alone, and as a grid runs them.

Up to 0.9.0 a grid ran each training by itself. Now those of N_S = 2, 4 and 6 take turns, draw once what is the
same in all, and use the loops that an earlier split compiled. Both ways are stepped in the same process, a
chunk of each at a time and either of them first in turn, so that other work of the machine slows both alike,
and their weights are compared. CPU time of all threads is counted. Without internet set TFFS_DATA_MIRROR.

    python -m benchmarks.grid [--quick]

It goes on from benchmarks/results/grid.json: delete that to measure anew.
"""

import argparse
import json
import os
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks import machine

DATASETS, METHODS = ("mnist_r", "isolet", "amazon_reviews"), ("ours", "cae_s")
MEASURED_K = (10, 50)
GRID_K, SPLITS, SUPPORT_SIZES = (2, 10, 20, 30, 40, 50), 20, (2, 4, 6)
STEPS, CHUNK = 50_000, 100
CHUNKS, QUICK_CHUNKS = 24, 3
LOOK_SECONDS = 0.02
LOOKS, STILL_SECONDS = 3, 0.001  # nothing is drawn any more if so many looks find no more CPU time than this
MOST_LOOKS = 1000
# A split of the whole comparison has about 96 groups, and each of two processes does 150 before another takes
# its place, so a loop is compiled anew in every third split.
COMPILED_ANEW = 1 / 3


def main() -> None:
    """Measure every size, each in a process of its own, and write the page; or one, as a child process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few chunks, results in a new folder")
    parser.add_argument("--size", help="measure dataset,method,K here and print JSON")
    parser.add_argument("--core", type=int, default=machine.last_core())
    arguments = parser.parse_args()
    chunks = QUICK_CHUNKS if arguments.quick else CHUNKS
    if arguments.size:
        os.sched_setaffinity(0, {arguments.core})
        print(json.dumps(measure(*arguments.size.split(","), chunks)))
        return
    folder = machine.output_folder(arguments.quick)
    path = os.path.join(folder, "grid.json")
    about = machine.describe(("tensorflow", "keras", "numpy"))
    results = machine.read_json(path) or {"about": about, "chunks": chunks, "sizes": {}}
    for dataset in DATASETS:
        for method in METHODS:
            for size in (f"{dataset},{method},{k}" for k in MEASURED_K):
                if size in results["sizes"]:
                    continue
                child = [
                    f"--size={size}",
                    f"--core={arguments.core}",
                    *(["--quick"] if arguments.quick else []),
                ]
                results["sizes"][size] = machine.run_child("benchmarks.grid", child)
                machine.write_json(path, results)
                print(size, results["sizes"][size], flush=True)
    page = "\n".join(report(results))
    with open(os.path.join(folder, "grid.md"), "w", encoding="utf-8") as file:
        file.write(page + "\n")
    print(page)


def measure(dataset: str, method: str, num_selected: str, chunks: int) -> dict[str, float]:
    """Step the trainings of a split in both ways.

    Returns:
        CPU seconds for all trainings of a split together. `alone`, `turns`: a chunk, validations included.
        `alone_first`, `turns_first`, `turns_again`: from nothing to the end of the first chunk; the last with
        the loops of an earlier split.
    """
    from tffs import flags
    from tffs.startup import start_tensorflow

    start_tensorflow(1)
    from tffs.experiments.grid import Cell
    from tffs.experiments.workshop import Workshop
    from tffs.methods.catalogue import METHODS as CATALOGUE
    from tffs.methods.gradient import trainers_in_turns
    from tffs.training.programs import Programs
    from tffs.training.progress import Silent
    from tffs.training.session import Session

    given = ["tffs", "--mode=experiment", f"--datasets={dataset}", f"--steps={STEPS}"]
    workshop, programs = Workshop(flags.parse(given).experiment.runs, Silent()), Programs()
    support_sizes = SUPPORT_SIZES if method == "ours" else SUPPORT_SIZES[:1]  # one CAE-S serves all N_S
    found: dict[str, float] = {}

    def begin(name: str, split: int, in_turns: bool) -> tuple[list[Any], list[Any]]:
        began = time.process_time()
        cells = [Cell(split, dataset, int(num_selected), size, method) for size in support_sizes]
        settings = [workshop.setting(cell) for cell in cells]
        fit, session = CATALOGUE[method], Session(programs=programs if in_turns else None)
        groups = [settings] if in_turns else [[setting] for setting in settings]
        trainers = [trainer for group in groups for trainer in trainers_in_turns(fit, group, session)]
        running = [trainer.chunk_by_chunk() for trainer in trainers]
        _advance(running)
        found[name] = time.process_time() - began
        return trainers, running

    begin("turns_first", 0, True)
    (turning, turns), (single, alone) = begin("turns_again", 1, True), begin("alone_first", 1, False)
    seconds = np.zeros((chunks, 2))
    for chunk in range(chunks):
        for way in (0, 1) if chunk % 2 else (1, 0):
            seconds[chunk, way] = _advance((turns, alone)[way])
    for one, other in zip(turning, single, strict=True):
        for mine, theirs in zip(one.model.get_weights(), other.model.get_weights(), strict=True):
            np.testing.assert_array_equal(mine, theirs)
    means = np.mean(seconds, axis=0)
    return {**found, "turns": float(means[0]), "alone": float(means[1])}


def _advance(running: Sequence[Any]) -> float:
    """Train a chunk of each, and give the CPU seconds, those of drawing the next chunks included."""
    began = time.process_time()
    for training in running:
        next(training)
    _settle()
    return time.process_time() - began


def _settle() -> None:
    """Wait until a way has drawn its next chunks, so that the other does not pay for them."""
    still, last = 0, time.process_time()
    for _ in range(MOST_LOOKS):
        time.sleep(LOOK_SECONDS)
        now = time.process_time()
        still, last = still + 1 if now - last < STILL_SECONDS else 0, now
        if still == LOOKS:
            return
    raise RuntimeError("Expected the drawing of chunks to end.")


def report(results: dict[str, Any]) -> list[str]:
    """Write the results page."""
    lines = machine.header("The cost of a grid", "python -m benchmarks.grid", results["about"])
    lines += [
        "CPU time of the trainings of one split, on one core: `ours` with N_S = 2, 4 and 6, or one `cae_s`, "
        f"which serves all N_S. A step is the mean of {results['chunks']} chunks of {CHUNK}, validations "
        "included. *Alone*: each training by itself, as up to 0.9.0. *In turns*: as grids run now. Both had "
        "the same weights, bit for bit. *First*: everything until the first chunk is done, nearly all of it "
        "tracing and compiling; *again*: with the loops of an earlier split.",
        "",
        "| dataset | method | K | alone us/step | in turns us/step | ratio | alone first s | in turns first s "
        f"| again s | alone {STEPS:,} steps s | in turns s | ratio |",
        "|---|---|---" + "|---:" * 9 + "|",
    ]
    for size, row in results["sizes"].items():
        dataset, method, k = size.split(",")
        trainings = len(SUPPORT_SIZES) if method == "ours" else 1
        alone, turns = (1e6 * row[way] / CHUNK / trainings for way in ("alone", "turns"))
        before, after = _split_seconds(row)
        lines.append(
            f"| {dataset} | {method} | {k} | {alone:.0f} | {turns:.0f} | {turns / alone:.2f} | "
            f"{row['alone_first']:.1f} | {row['turns_first']:.1f} | {row['turns_again']:.1f} | "
            f"{before:.0f} | {after:.0f} | {after / before:.2f} |"
        )
    hours = {method: _hours(results["sizes"], method) for method in METHODS}
    hours["both"] = tuple(map(sum, zip(*hours.values(), strict=True)))
    sizes = ", ".join(map(str, GRID_K))
    lines += [
        "",
        f"Core-hours of {SPLITS} splits, three datasets, K = {sizes} and N_S = 2, 4, 6, from these sizes, "
        "linear in K; loops are compiled anew in every third split, when a process has done its 150 groups. "
        "Measuring a cell (0.2 s) and the other methods, which cost the same as before, are not in it.",
        "",
        "| method | alone | in turns | ratio |",
        "|---|---:|---:|---:|",
    ]
    lines += [
        f"| {method} | {before:.2f} | {after:.2f} | {after / before:.2f} |"
        for method, (before, after) in hours.items()
    ]
    return lines


def _split_seconds(row: dict[str, float]) -> tuple[float, float]:
    """Give the seconds of a split's trainings alone and in turns."""
    later = STEPS // CHUNK - 1
    first = COMPILED_ANEW * row["turns_first"] + (1 - COMPILED_ANEW) * row["turns_again"]
    return row["alone_first"] + later * row["alone"], first + later * row["turns"]


def _hours(sizes: dict[str, dict[str, float]], method: str) -> tuple[float, float]:
    """Give the core-hours of the whole grid alone and in turns, from the seconds of K = 10 and K = 50."""
    low, high = MEASURED_K
    seconds = np.zeros(2)
    for dataset in DATASETS:
        ends = [np.array(_split_seconds(sizes[f"{dataset},{method},{k}"])) for k in MEASURED_K]
        for k in GRID_K:
            seconds += ends[0] + (ends[1] - ends[0]) * (k - low) / (high - low)
    before, after = SPLITS * seconds / 3600
    return float(before), float(after)


if __name__ == "__main__":
    main()
