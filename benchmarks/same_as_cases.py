"""What same_as.py runs in both trees: commands that both versions know, and a table for some of them."""

import csv
from typing import NamedTuple

import numpy as np

# What only the new tree has to be given, by kind of case, where its defaults are not those of the older one.
ONLY_NEW: dict[str, tuple[str, ...]] = {"run": ("--method=concrete",), "experiment": (), "tune": ()}
# What the older tree calls a flag that has got another name.
OLDER_NAMES = {"--tune_folds": "--folds"}

METHODS = (
    *("ours", "ours_wo_r", "ours_wo_alpha", "ours_tau0.01", "ours_tau1", "ours_tau10", "ours_wo_noise"),
    *(f"ours_T{size}" for size in (1, 10, 50, 100, 200, 300, 400)),
    *("ours_last", "ours_fan_in", "ours_pi0.3", "ours_pi1"),
    *("cae_s", "cae_t", "cae_st", "cae_st_selector", "cae_st_sim", "cae_s_tau0.01", "cae_s_tau1"),
    *("cae_s_tau10", "cae_s_wo_noise", "cae_s_fan_in", "cae_s_indirect"),
    *("ls_t", "ls_st", "spec_t", "spec_st", "spec_t_corrected", "spec_st_corrected"),
    *("random", "variance", "all", "ours_supervised", "random_supervised", "all_supervised"),
)
DIGITS = ("--dataset=digits_r", "--target_task=rot15", "--num_selected=10", "--eval_every=200")
MNIST = ("--flagfile=mnist_r.flags", "--eval_every=100")
TABLE = ("--table={table}", "--task_column=site", "--label_column=kind", "--num_selected=4", "--eval_every=100")


class Case(NamedTuple):
    """One command, run in both trees.

    Attributes:
        name: of the case, without commas.
        kind: `run`, `experiment` or `tune`.
        flags: of the command, except where it reads and writes; `{table}` stands for the table's path.
        real_data: whether it needs the paper's files.
    """

    name: str
    kind: str
    flags: tuple[str, ...]
    real_data: bool = False


CASES = (
    Case("digits_r", "run", (*DIGITS, "--steps=600", "--jit=off")),
    Case("digits_r compiled", "run", (*DIGITS, "--steps=2000", "--jit=on")),
    Case("table standard median", "run", (*TABLE, "--steps=400", "--scaling=standard", "--missing=median")),
    Case(
        "table minmax streamed",
        "run",
        (*TABLE, "--steps=400", "--scaling=minmax", "--missing=drop_rows", "--cache=stream"),
    ),
    Case("cross_entropy", "run", (*DIGITS, "--steps=400", "--jit=off", "--loss=cross_entropy")),
    Case(
        "unique",
        "run",
        (*DIGITS, "--steps=400", "--jit=off", "--selection=unique", "--episodes_per_step=3", "--seed=5"),
    ),
    Case(
        "no target",
        "run",
        (
            *("--dataset=digits_r", "--target_task=none", "--validation=rows", "--eval_every=200"),
            *("--steps=400", "--jit=off", "--noise=off", "--task_code_dim=3", "--decoder_units=24"),
        ),
    ),
    Case("mnist_r", "run", (*MNIST, "--steps=300", "--jit=off"), real_data=True),
    Case(
        "experiment",
        "experiment",
        (
            *("--datasets=digits_r", f"--methods={','.join(METHODS)}", "--support_sizes=2,4"),
            *("--numbers_selected=5", "--splits=1", "--steps=200", "--eval_every=100"),
        ),
    ),
    Case(
        "tune",
        "tune",
        (*DIGITS, "--tuner=bayesian", "--trials=4", "--tune_folds=2", "--steps=100"),
    ),
)
# Trained for the clock alone; long enough for a rate, compiled as the published runs are.
SPEEDS = (
    Case("digits_r", "run", (*DIGITS, "--steps=20000", "--jit=on")),
    Case("mnist_r", "run", (*MNIST, "--steps=6000", "--jit=on"), real_data=True),
)


def write_table(path: str) -> None:
    """Write a CSV of 5 tasks, 12 features in units of their own and 3 % missing cells."""
    rng = np.random.default_rng(0)
    units = 10.0 ** np.arange(-3, 9)
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["site", "kind", *(f"x{feature}" for feature in range(12))])
        for task in range(5):
            factors = rng.standard_normal((80, 3))
            rows = factors @ rng.standard_normal((3, 12)) + 0.3 * rng.standard_normal((80, 12)) + task
            for factor, row in zip(factors, units * rows, strict=True):
                cells = ["" if rng.random() < 0.03 else f"{value:.6g}" for value in row]
                writer.writerow([f"site {task}", "ab"[int(factor[0] > 0)], *cells])
