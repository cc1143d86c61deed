"""Measure the paper's network and the posterior on tables in which the support must decide.

50 tasks of `benchmarks.planted` are learned from; the error that is left on 10 others, with 4 of 64 features
measured and 4 rows known, is the mean over these tasks, as a share of that of answering the source mean.

    python -m benchmarks.planted_network
"""

import argparse
import os
import time
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import machine
from benchmarks.planted import planted
from tffs import FewShotFeatureSelector
from tffs.estimator.choice import Limits
from tffs.estimator.scoring import errors_of_tasks

COMMAND = "python -m benchmarks.planted_network"
SOURCES, NEW, ROWS, SELECTED, SUPPORT = 50, 10, 100, 4, 4
METHODS: dict[str, dict[str, Any]] = {
    "the paper's network": {"method": "concrete", "method_params": {"support_size": SUPPORT, "steps": 50_000}},
    "the paper's network, distinct features": {
        "method": "concrete",
        "method_params": {"support_size": SUPPORT, "steps": 50_000, "selection": "unique"},
    },
    "posterior": {"method": "posterior"},
}


def main() -> None:
    """Fit, measure and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="one seed, few steps, results in a new folder")
    arguments = parser.parse_args()
    lines = []
    for seed in range(1 if arguments.quick else arguments.seeds):
        for name, parameters in METHODS.items():
            lines.append(measured(name, parameters, seed, arguments.quick))
            print(lines[-1], flush=True)
    folder = machine.output_folder(arguments.quick)
    about = machine.describe(("tensorflow", "keras", "numpy"))
    machine.write_json(os.path.join(folder, "planted_network.json"), {"about": about, "lines": lines})
    page = "\n".join([*machine.header("Where the support must decide", COMMAND, about), *_table(lines)])
    with open(os.path.join(folder, "planted_network.md"), "w", encoding="utf-8") as file:
        file.write(page + "\n")
    print(page)


def measured(name: str, parameters: dict[str, Any], seed: int, quick: bool) -> dict[str, Any]:
    """Fit one method to one table, and measure it on the tasks that it has not seen."""
    x = planted(seed, SOURCES + NEW, ROWS).x
    rows = pd.DataFrame(x.reshape(-1, x.shape[2])).add_prefix("feature ")
    groups = np.repeat(np.arange(len(x)), ROWS)
    old = groups < SOURCES
    given = dict(parameters.get("method_params", {}))
    if quick:
        given |= {"steps": 20} if "steps" in given else {"residual": "off"}
    began = time.perf_counter()
    selector = FewShotFeatureSelector(
        SELECTED, method=parameters["method"], random_state=0, method_params=given
    )
    selector.fit(rows[old], groups=groups[old])
    seconds = time.perf_counter() - began
    errors = errors_of_tasks(selector._door, rows[~old], groups[~old], SELECTED, Limits(), 0)
    return {
        "seed": seed,
        "method": name,
        "error": float(errors.mean()),
        "least": float(errors.min()),
        "most": float(errors.max()),
        "seconds": seconds,
    }


def _table(lines: list[dict[str, Any]]) -> list[str]:
    found = [
        "",
        f"{SOURCES} source tasks, {NEW} new ones, {SELECTED} of 64 features, {SUPPORT} rows known; the error "
        "that is left, in %.",
        "",
        "| seed | method | mean | least | most | fit s |",
        "|---:|---|---:|---:|---:|---:|",
    ]
    for line in lines:
        shares = " | ".join(f"{100 * line[name]:.1f}" for name in ("error", "least", "most"))
        found.append(f"| {line['seed']} | {line['method']} | {shares} | {line['seconds']:.0f} |")
    return found


if __name__ == "__main__":
    main()
