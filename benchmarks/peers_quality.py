"""Measure peers that choose features and infer the others, on the same rows as the posterior.

Three parts: `choosing` K features, `inferring` from features that are given, and `paying` for features. A cell
is a part, a table, a split, a method and K; cells that were measured before are not measured again. Everything
runs in one process with one thread. Without internet set TFFS_DATA_MIRROR; Parkinson's and the features of PACS
are read from that folder, too.

    python -m benchmarks.peers_quality [--cells='table=isolet|mnist_r,split=0,method=fastcan'] [--quick]
"""

import argparse
import itertools
import pathlib
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import threadpoolctl

from benchmarks import machine
from benchmarks.peers import choosing, inferring, paying
from benchmarks.peers.fits import STEPS, Fits
from benchmarks.peers.questions import MOST_ROWS, TABLES, question
from benchmarks.peers_quality_report import write_page
from tffs import provenance
from tffs.experiments.results_file import ResultsFile, read_lines

COMMAND = "python -m benchmarks.peers_quality"
PACKAGES = ("tensorflow", "keras", "numpy", "scipy", "scikit-learn", "python-sensors", "skmatter", "fastcan")
QUICK_STEPS, QUICK_ROWS = 20, 50
RESULTS = pathlib.Path(machine.RESULTS) / "peers_quality.jsonl"


class Cell(NamedTuple):
    """What is measured at once, for every target of a split."""

    part: str
    table: str
    split: int
    K: int
    given: str
    method: str


def cells_of(chosen: str = "") -> list[Cell]:
    """List the cells, split by split, so that an unfinished run is a smaller whole one.

    Args:
        chosen: which of them, as conditions `name=value|value` with commas between.
    """
    conditions = [part.partition("=") for part in re.split(r",(?=\w+=)", chosen) if part]
    for name, _, values in conditions:
        known = {str(getattr(cell, name)) for cell in _cells()} if name in Cell._fields else set()
        if not known or not set(values.split("|")) <= known:
            raise SystemExit(
                f"--cells takes conditions like table=isolet|mnist_r on {', '.join(Cell._fields)}, but "
                f"received '{name}={values}'"
                + (f"; {name} is one of {', '.join(sorted(known))}." if known else ".")
            )
    return [
        cell
        for cell in _cells()
        if all(str(getattr(cell, name)) in values.split("|") for name, _, values in conditions)
    ]


def _cells() -> Iterator[Cell]:
    splits = max(table.splits for table in TABLES.values())
    for split, (name, table) in itertools.product(range(splits), TABLES.items()):
        if split >= table.splits:
            continue
        for count in table.counts:
            for method in choosing.methods_of(name, split, count):
                yield Cell("choosing", name, split, count, "", method)
        for given, count in itertools.product(inferring.GIVEN, table.counts):
            for method in inferring.methods_of(name, split, count):
                yield Cell("inferring", name, split, count, given, method)
        for budget, method in itertools.product(paying.BUDGETS, paying.METHODS):
            yield Cell("paying", name, split, budget, "", method)


def measured(cells: Iterable[Cell], quick: bool) -> Iterator[dict[str, Any]]:
    """Measure cells; each gives a line. Cells of one split share what is fitted."""
    choosing.warm()
    threadpoolctl.threadpool_limits(1)  # of all that has been imported
    for (split, table), group in itertools.groupby(cells, key=lambda cell: (cell.split, cell.table)):
        asked = question(table, split, QUICK_ROWS if quick else MOST_ROWS)
        fits = Fits(asked, QUICK_STEPS, "off") if quick else Fits(asked, STEPS)
        for cell in group:
            answers = [
                {"target": target.name, **values}
                for target in asked.targets
                for values in PARTS[cell.part](asked, fits, target, cell)
            ]
            yield {**cell._asdict(), "answers": answers}


PARTS: dict[str, Callable[..., Iterable[dict[str, Any]]]] = {
    "choosing": lambda asked, fits, target, cell: choosing.measured(asked, fits, target, cell.K, cell.method),
    "inferring": lambda asked, fits, target, cell: [
        inferring.measured(asked, fits, target, cell.given, cell.K, cell.method)
    ],
    "paying": lambda asked, fits, target, cell: paying.measured(asked, fits, target, cell.K, cell.method),
}


def cell_of(line: dict[str, Any]) -> Cell:
    """Give the cell of a line."""
    return Cell(*(line[name] for name in Cell._fields))


def main() -> None:
    """Measure what is missing and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", default="", help="which cells, like table=isolet,split=0|1")
    parser.add_argument("--quick", action="store_true", help="few steps and rows, results in a new folder")
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tffs-benchmarks-")) if arguments.quick else RESULTS.parent
    path = folder / RESULTS.name
    cells = cells_of(arguments.cells)
    run(cells, path, arguments.quick)
    print(write_page(path, read_lines(str(path)), len(cells if arguments.quick else list(_cells()))))


def run(cells: list[Cell], path: pathlib.Path, quick: bool) -> None:
    """Measure the cells that have no lines yet, and write their lines as they come."""
    from tffs.startup import start_tensorflow

    start_tensorflow(1)
    warnings.filterwarnings("ignore", module="pysensors|skmatter|sklearn")
    done = {cell_of(line) for line in read_lines(str(path)) if "part" in line}
    missing = [cell for cell in cells if cell not in done]
    if not missing:
        return
    about = {**machine.describe(PACKAGES), "commit": provenance.commit(), "cells": len(missing)}
    with ResultsFile(str(path)).open() as results:
        results.append({"about": about})
        for number, line in enumerate(measured(missing, quick), start=1):
            results.append(line)
            best = min(answer.get("own", answer.get("error")) for answer in line["answers"])
            now = " ".join(map(str, cell_of(line)))
            print(f"{number} of {len(missing)}: {now}: {best:.1%} is left", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
