"""Compare the flags that the committed search on digits_r found with the default ones, by task and by seed.

    python -m benchmarks.tuned_digits

Writes benchmarks/results/tune_digits_r/carried_over.md; finished runs are not trained again.
"""

import argparse
import contextlib
import io
import json
import pathlib

import numpy as np

from benchmarks import machine
from tffs.main import main

RESULTS = pathlib.Path(__file__).parent / "results" / "tune_digits_r"
FLAGS = {"default": "digits_r.flags", "best of the search": str(RESULTS / "best.flags")}
FOLDS = ("rot0", "rot30", "rot45", "rot60", "rot75")
TARGET = "rot15"
SEEDS = range(5)


def trained(flagfile: str, name: str, *more: str) -> pathlib.Path:
    """Train a run, or leave one that is there, and give its folder."""
    workdir = pathlib.Path("runs") / "tuned_digits" / name
    flags = [f"--flagfile={flagfile}", "--method=concrete", f"--target_task={TARGET}", "--threads=1"]
    flags += [f"--workdir={workdir}", *more]
    with contextlib.redirect_stdout(io.StringIO()):
        code = main(["tffs", *flags])
    if code:
        raise SystemExit(code)
    return workdir


def figures(workdirs: list[pathlib.Path], file: str, name: str) -> list[float]:
    """Read a figure of each run."""
    return [json.loads((workdir / file).read_text(encoding="utf-8"))[name] for workdir in workdirs]


def fold(which: str, task: str) -> pathlib.Path:
    """Train with a source task that validates."""
    return trained(FLAGS[which], f"{which}-{task}", f"--validation_task={task}", "--mode=train")


def target(which: str, seed: int) -> pathlib.Path:
    """Train with a seed, and measure on the target."""
    return trained(FLAGS[which], f"{which}-seed{seed}", f"--seed={seed}")


def table(title: str, rows: dict[str, list[float]], columns: list[str]) -> list[str]:
    """Lay out figures, a line for each set of flags."""
    lines = [f"| {title} | {' | '.join(columns)} | mean |", "|---" * (len(columns) + 2) + "|"]
    return lines + [
        f"| {which} | {' | '.join(f'{value:.3f}' for value in [*values, np.mean(values)])} |"
        for which, values in rows.items()
    ]


def run() -> None:
    """Train all and write the page."""
    argparse.ArgumentParser(prog="python -m benchmarks.tuned_digits", description=__doc__).parse_args()
    about = machine.describe(("tensorflow", "keras", "numpy"))
    folds = {which: [fold(which, task) for task in FOLDS] for which in FLAGS}
    seeds = {which: [target(which, seed) for seed in SEEDS] for which in FLAGS}
    runs = [workdir for group in (*folds.values(), *seeds.values()) for workdir in group]
    seconds = sum(figures(runs, "training.json", "train_seconds"))
    (steps,) = set(figures(runs, "config.json", "steps"))
    losses = {which: figures(folds[which], "training.json", "validation_loss") for which in FLAGS}
    errors = {which: figures(seeds[which], "result.json", "msre") for which in FLAGS}
    page = [
        *machine.header("Tuned and default flags", "python -m benchmarks.tuned_digits", about),
        f"{len(runs)} trainings of {steps:,} steps, one thread each, {seconds:.0f} s of training in all.",
        "",
        *table("validation MSRE, seed 0, by validation task", losses, list(FOLDS)),
        "",
        *table(f"MSRE on {TARGET}, by seed", errors, [str(seed) for seed in SEEDS]),
    ]
    (RESULTS / "carried_over.md").write_text("\n".join(page) + "\n", encoding="utf-8")
    print("\n".join(page))


if __name__ == "__main__":
    run()
