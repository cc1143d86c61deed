"""Measure the posterior: fitting without the residual network, and selection from a SavedModel.

Every figure is measured in a process of its own. Fits have all cores; selections one thread on one core. Parts
can be measured alone: what was measured before stays on the page. `benchmarks.peers_quality` has its peers.

    python -m benchmarks.posterior [--parts=fits,growth,selections] [--quick]
"""

import argparse
import os
from typing import Any, NamedTuple

from benchmarks import machine

WORKER = "benchmarks.posterior_worker"
COMMAND = "python -m benchmarks.posterior"
PACKAGES = ("tensorflow", "keras", "numpy", "scikit-learn")


class Fit(NamedTuple):
    """A table to fit to, and what it may take."""

    tasks: int
    rows: int  # of a task
    features: int
    seconds: float | None = None
    megabytes: float | None = None
    job: str = "fit"  # of the worker; `estimator` is `FewShotFeatureSelector.fit`


class Selection(NamedTuple):
    """A selection, and what it may take."""

    features: int
    count: int
    milliseconds: float


FITS = (
    Fit(20, 50, 20, 1.0, job="estimator"),
    Fit(4, 800, 256, 3.0),
    Fit(50, 100, 20_000, 60.0, 4096.0),
    Fit(10_000, 20, 100, 60.0),
)
GROWTH = (Fit(1_000, 40, 100), Fit(1_000, 80, 100), Fit(2_000, 40, 100))
SELECTIONS = (Selection(256, 10, 1.0), Selection(256, 50, 2.5), Selection(4096, 50, 30.0))
QUICK_FITS = (Fit(4, 30, 20, job="estimator"), Fit(4, 30, 20), Fit(6, 10, 2_100))
QUICK_SELECTIONS = (Selection(20, 5, 100.0),)
ROUNDS = 2  # of growth, of which the faster counts


def main() -> None:
    """Measure the parts that are asked for, and write the page after each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default=",".join(PARTS), help="separated by commas")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, results in a new folder")
    arguments = parser.parse_args()
    folder = machine.output_folder(arguments.quick)
    path = os.path.join(folder, "posterior.json")
    results: dict[str, Any] = machine.read_json(path) or {}
    for part in arguments.parts.split(","):
        results[part] = {"about": machine.describe(PACKAGES)}
        results[part]["lines"] = PARTS[part](arguments.quick)
        machine.write_json(path, results)
        page = "\n".join(report(results))
        with open(os.path.join(folder, "posterior.md"), "w", encoding="utf-8") as file:
            file.write(page + "\n")
    print(page)


def measure_fits(quick: bool) -> list[dict[str, Any]]:
    """Fit to each table once."""
    return [_fitted(size) for size in (QUICK_FITS if quick else FITS)]


def measure_growth(quick: bool) -> list[dict[str, Any]]:
    """Fit to a table, to twice its rows and to twice its tasks; the faster of some rounds counts."""
    sizes = [size._replace(tasks=size.tasks // 100) for size in GROWTH] if quick else GROWTH
    rounds = [[_fitted(size) for size in sizes] for _ in range(ROUNDS)]
    return [min(fits, key=lambda one: one["seconds"]) for fits in zip(*rounds, strict=True)]


def _fitted(size: Fit) -> dict[str, Any]:
    sizes = [f"--{name}={getattr(size, name)}" for name in ("tasks", "rows", "features")]
    threads = dict.fromkeys(machine.ONE_THREAD, str(os.cpu_count() or 1))
    found = {**size._asdict(), "taken": machine.run_child(WORKER, [size.job, *sizes], threads)}
    print(found, flush=True)
    return found


def measure_selections(quick: bool) -> list[dict[str, Any]]:
    """Time each selection."""
    found = []
    for size in QUICK_SELECTIONS if quick else SELECTIONS:
        calls = 20 if quick else 2000 if size.features < 1000 else 200
        arguments = [f"--features={size.features}", f"--count={size.count}", f"--calls={calls}"]
        found.append({**size._asdict(), "taken": machine.run_child(WORKER, ["select", *arguments])})
        print(found[-1], flush=True)
    return found


PARTS = {"fits": measure_fits, "growth": measure_growth, "selections": measure_selections}


def report(results: dict[str, Any]) -> list[str]:
    """Write the results page."""
    parts = [part for part in PARTS if part in results]
    lines = machine.header("The task posterior: speed and memory", COMMAND, results[parts[0]]["about"])
    for part in parts:
        about = results[part]["about"]
        when = f"{about['date']}, load average at the start {about['load average at the start']}"
        lines += [*TABLES[part](results[part]["lines"]), "", f"Measured {when}.", ""]
    return lines[:-1]


def _fit_table(fits: list[dict[str, Any]]) -> list[str]:
    lines = [
        "## Fitting",
        "",
        "From rows in memory to a model without the residual network: sums, all recipes on tasks that are left "
        "out, calibration and novelty. Peak memory is the whole process. The first line is "
        "`FewShotFeatureSelector.fit`, with TensorFlow loaded.",
        "",
        "| tasks | rows | M | seconds | bar | CPU s | peak MB | bar |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for one in fits:
        taken = one["taken"]
        lines.append(
            f"| {one['tasks']:,} | {one['tasks'] * one['rows']:,} | {one['features']:,} "
            f"| {taken['seconds']:.2f} | {_bar(taken['seconds'], one['seconds'])} | {taken['cpu_seconds']:.1f} "
            f"| {taken['peak_mb']:.0f} | {_bar(taken['peak_mb'], one['megabytes'])} |"
        )
    return lines


def _growth_table(fits: list[dict[str, Any]]) -> list[str]:
    first = fits[0]["taken"]["seconds"]
    lines = [
        "## Growth",
        "",
        f"Twice the rows or twice the tasks must take at most twice the time; the faster of {ROUNDS} rounds.",
        "",
        "| tasks | rows a task | M | seconds | of the first | bar |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for place, one in enumerate(fits):
        seconds = one["taken"]["seconds"]
        lines.append(
            f"| {one['tasks']:,} | {one['rows']} | {one['features']} | {seconds:.2f} | {seconds / first:.2f} "
            f"| {_bar(seconds / first, 2.0 if place else None)} |"
        )
    return lines


def _selection_table(selections: list[dict[str, Any]]) -> list[str]:
    lines = [
        "## Selection from a loaded SavedModel",
        "",
        "One task of 4 support rows through the signature `select`, one thread on one core.",
        "",
        "| M | K | p50 ms | bar | least ms | p90 ms | p99 ms | export s | load s | export MB |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for one in selections:
        taken = one["taken"]
        lines.append(
            f"| {one['features']} | {one['count']} | {taken['p50_ms']:.2f} "
            f"| {_bar(taken['p50_ms'], one['milliseconds'])} | {taken['least_ms']:.2f} | {taken['p90_ms']:.2f} "
            f"| {taken['p99_ms']:.2f} | {taken['export_s']:.1f} | {taken['load_s']:.2f} "
            f"| {taken['export_mb']:.1f} |"
        )
    return lines


TABLES = {"fits": _fit_table, "growth": _growth_table, "selections": _selection_table}


def _bar(value: float, bar: float | None) -> str:
    """Write a bar, and whether it is met."""
    return "" if bar is None else f"{bar:g} {'met' if value <= bar else 'MISSED'}"


if __name__ == "__main__":
    main()
