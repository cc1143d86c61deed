"""Compare the flags that the committed search on digits_r found with the default ones, by task and by seed.

    python -m benchmarks.tuned_digits

Writes benchmarks/results/tune_digits_r/carried_over.md; finished runs are not trained again.
"""

import contextlib
import io
import json
import pathlib
import time

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
    flags = [f"--flagfile={flagfile}", f"--target_task={TARGET}", "--threads=1", f"--workdir={workdir}", *more]
    with contextlib.redirect_stdout(io.StringIO()):
        code = main(["tffs", *flags])
    if code:
        raise SystemExit(code)
    return workdir


def figure(workdir: pathlib.Path, file: str, name: str) -> float:
    return json.loads((workdir / file).read_text(encoding="utf-8"))[name]


def fold(which: str, task: str) -> float:
    workdir = trained(FLAGS[which], f"{which}-{task}", f"--validation_task={task}", "--mode=train")
    return figure(workdir, "training.json", "validation_loss")


def target(which: str, seed: int) -> float:
    return figure(trained(FLAGS[which], f"{which}-seed{seed}", f"--seed={seed}"), "result.json", "msre")


def table(title: str, rows: dict[str, list[float]], columns: list[str]) -> list[str]:
    lines = [f"| {title} | {' | '.join(columns)} | mean |", "|---" * (len(columns) + 2) + "|"]
    return lines + [
        f"| {which} | {' | '.join(f'{value:.3f}' for value in [*values, np.mean(values)])} |"
        for which, values in rows.items()
    ]


def run() -> None:
    """Train all and write the page."""
    began = time.perf_counter()
    about = machine.describe(("tensorflow", "keras", "numpy"))
    folds = {which: [fold(which, task) for task in FOLDS] for which in FLAGS}
    seeds = {which: [target(which, seed) for seed in SEEDS] for which in FLAGS}
    page = [
        *machine.header("Tuned and default flags", "python -m benchmarks.tuned_digits", about),
        f"20,000 steps each, one thread, {time.perf_counter() - began:.0f} s in all.",
        "",
        *table("validation MSRE, seed 0, by validation task", folds, list(FOLDS)),
        "",
        *table(f"MSRE on {TARGET}, by seed", seeds, [str(seed) for seed in SEEDS]),
    ]
    (RESULTS / "carried_over.md").write_text("\n".join(page) + "\n", encoding="utf-8")
    print("\n".join(page))


if __name__ == "__main__":
    run()
