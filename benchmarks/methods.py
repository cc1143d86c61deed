"""Measure the compared methods: the paper's computation times, the spectral scores, and the grid runner.

Single fits and scores are measured in a process of their own with one thread, pinned to one core; the grid
runner has the whole machine. The data is MNIST-r; without internet set TFFS_DATA_MIRROR.

    python -m benchmarks.methods [--quick]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

from benchmarks import machine
from reproduction import paper

TIMED = ("ours", "cae_s", "cae_t", "cae_st", "ls_t", "ls_st", "spec_t", "spec_st")
SUPPORT_SIZE, NUM_SELECTED = 4, 20
STEPS, QUICK_STEPS = 50_000, 200
SPECTRAL_ROWS, SPECTRAL_FEATURES = 4_000, 256
TRAININGS = 4  # of the grid runner's comparison
SPEC_BAR, LAPLACIAN_BAR = 5.0, 1.0


def main() -> None:
    """Measure everything and write the results page, or one part as a child process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few steps and rows, results in a new folder")
    parser.add_argument("--part", choices=("fits", "spectral"), help="measure this here and print JSON")
    parser.add_argument("--core", type=int, default=machine.last_core())
    arguments = parser.parse_args()
    if arguments.part:
        os.sched_setaffinity(0, {arguments.core})
        print(json.dumps(PARTS[arguments.part](arguments.quick)))
        return
    packages = ("tensorflow", "keras", "numpy", "scikit-learn", "skfeature-chappers")
    results: dict[str, Any] = {"about": machine.describe(packages), "quick": arguments.quick}
    for part in PARTS:
        quick = ["--quick"] if arguments.quick else []
        child = [f"--part={part}", f"--core={arguments.core}", *quick]
        results[part] = machine.run_child("benchmarks.methods", child)
        print(f"{part}: {results[part]}", flush=True)
    results["grid"] = measure_grid(QUICK_STEPS if arguments.quick else STEPS)
    print(f"grid: {results['grid']}", flush=True)
    folder = machine.output_folder(arguments.quick)
    machine.write_json(os.path.join(folder, "methods.json"), results)
    page = "\n".join(report(results))
    with open(os.path.join(folder, "methods.md"), "w", encoding="utf-8") as file:
        file.write(page + "\n")
    print(page)


def measure_fits(quick: bool) -> dict[str, float]:
    """Fit every method of the paper's table once, and time one selection of ours."""
    from tffs import flags
    from tffs.startup import start_tensorflow

    start_tensorflow(1)
    from tffs.experiments.grid import Cell
    from tffs.experiments.workshop import Workshop
    from tffs.training.progress import Progress

    steps = QUICK_STEPS if quick else STEPS
    command = flags.parse(["tffs", "--mode=experiment", "--datasets=mnist_r", f"--steps={steps}"])
    workshop = Workshop(command.experiment.runs, Progress(sys.stderr))
    workshop.load()
    cells = [Cell(0, "mnist_r", NUM_SELECTED, SUPPORT_SIZE, method) for method in TIMED]
    lines = {cell.method: workshop.result(cell) for cell in cells}
    failed = [line["error"] for line in lines.values() if line["status"] != "ok"]
    if failed:
        raise RuntimeError(failed[0])
    times = {method: lines[method]["seconds"] for method in TIMED}
    return {**times, "ours_target": lines["ours"]["select_seconds"]}


def measure_spectral(quick: bool) -> dict[str, Any]:
    """Time the spectral scores beside scikit-feature's."""
    from benchmarks.spectral import measure

    return measure(300 if quick else SPECTRAL_ROWS, SPECTRAL_FEATURES, 1 if quick else 3)


PARTS = {"fits": measure_fits, "spectral": measure_spectral}


def measure_grid(steps: int) -> dict[str, float]:
    """Do the same trainings as single commands, by the grid runner with one worker, and with one a core."""
    flags = [f"--steps={steps}", "--support_size=4", "--num_selected=20", "--threads=1"]
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        for seed in range(TRAININGS):
            run = ["--mode=train", "--dataset=mnist_r", f"--seed={seed}", f"--workdir={folder}/{seed}", *flags]
            _command(run)
        single = time.perf_counter() - began
        seconds = {"single commands": single}
        for workers in (1, os.cpu_count() or 1):
            grid = [
                *("--mode=experiment", "--datasets=mnist_r", "--methods=ours", f"--splits={TRAININGS}"),
                *("--support_sizes=4", "--numbers_selected=20", f"--steps={steps}", f"--workers={workers}"),
                f"--results_dir={folder}/{workers}",
            ]
            began = time.perf_counter()
            _command(grid)
            seconds[f"grid, {workers} worker{'s' * (workers > 1)}"] = time.perf_counter() - began
    return seconds


def _command(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tffs.main", *arguments], cwd=machine.ROOT, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])


def report(results: dict[str, Any]) -> list[str]:
    """Write the results page."""
    fits, spectral, grid = results["fits"], results["spectral"], results["grid"]
    steps = QUICK_STEPS if results["quick"] else STEPS
    title, command = "The compared methods", "python -m benchmarks.methods"
    lines = machine.header(title, command, results["about"])
    names = ("ours", "ours_target", *TIMED[1:])
    printed = {**paper.SECONDS.loc["mnist_r"], "ours_target": paper.SELECT_SECONDS.loc["mnist_r", "ours"]}
    lines += [
        "## Computation time",
        "",
        f"Seconds of training on MNIST-r, N_S = {SUPPORT_SIZE}, K = {NUM_SELECTED}, {steps:,} steps, one "
        "thread on one core, compiling included. `ours_target` is one selection from a support set by the "
        "trained model; `cae_st` is the fine-tuning alone; `ls_*` fits all its kernel widths and neighbours. "
        "The paper's figures are from another machine (2.20 GHz), and it does not name N_S and K.",
        "",
        f"| | {' | '.join(names)} |",
        "|---" * (1 + len(names)) + "|",
        f"| here | {' | '.join(f'{fits[name]:.4g}' for name in names)} |",
        f"| paper | {' | '.join(printed[name] for name in names)} |",
        "",
        "## Spectral scores beside scikit-feature's",
        "",
        f"{spectral['rows']:,} rows of {spectral['features']} features, median of {spectral['rounds']} rounds "
        "in one process, one thread.",
        "",
        "| score | tffs s | scikit-feature s | times faster | largest relative difference | bar |",
        "|---|---|---|---|---|---|",
    ]
    for name, bar in (("spec", SPEC_BAR), ("laplacian_score", LAPLACIAN_BAR)):
        row = spectral[name]
        met = "met" if row["times_faster"] >= bar else "MISSED"
        lines.append(
            f"| {name} | {row['own_s']:.3f} | {row['library_s']:.3f} | {row['times_faster']:.1f} | "
            f"{row['largest_difference']:.1e} | {bar:g}: {met} |"
        )
    lines += [
        "",
        "## The grid runner",
        "",
        f"{TRAININGS} trainings of `ours` (MNIST-r, N_S = 4, K = 20, {steps:,} steps): as single commands one "
        "after the other, and as one grid, which also measures each on its target.",
        "",
        "| | seconds | trainings an hour | times single commands |",
        "|---|---|---|---|",
    ]
    single = grid["single commands"]
    for name, seconds in grid.items():
        lines.append(f"| {name} | {seconds:.0f} | {3600 * TRAININGS / seconds:.0f} | {single / seconds:.2f} |")
    return lines


if __name__ == "__main__":
    main()
