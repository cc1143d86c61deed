"""How far each published grid is: its cells with a figure, of those that its flag file asks for."""

import collections
import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import pandas as pd

from reproduction.lines import CELL
from reproduction.names import dataset_name, in_order, joined, method
from reproduction.provenance import core_time
from tffs import markdown
from tffs.config import ExperimentConfig
from tffs.experiments.grid import Cell, cells_of
from tffs.experiments.lines import done_cells
from tffs.flags.command import parse
from tffs.flags.flagfiles import published
from tffs.markdown import NOTHING

MOST_NAMED = 6  # methods in one row


class Grid(NamedTuple):
    """A published flag file of --mode=experiment, and what it asks for."""

    file: str
    config: ExperimentConfig

    def done(self, lines: pd.DataFrame) -> set[Cell]:
        """Find the cells that have a figure, of the flag file's seed and number of steps."""
        records: list[dict[str, Any]] = lines[[*CELL, "seed", "steps", "status"]].to_dict("records")
        runs = {name: run for name, (run, _) in self.config.runs.items()}
        return done_cells(records, runs).keys() & set(cells_of(self.config.axes))


def published_grids() -> list[Grid]:
    """Read all published flag files of grids."""
    return [
        Grid(name, parse(["tffs", f"--flagfile={path}"]).experiment)
        for name, path in sorted(published().items())
        if name.startswith("experiment_")
    ]


def progress_table(lines: pd.DataFrame, grids: Iterable[Grid]) -> str:
    """Write how far the grids are; methods of which equally many cells are done share a row."""
    rows = []
    for grid in grids:
        done, wanted = grid.done(lines), cells_of(grid.config.axes)
        for dataset in in_order(grid.config.axes["dataset"]):
            here = [cell for cell in wanted if cell.dataset == dataset]
            for methods in _equally_far(here, done):
                cells = [cell for cell in here if cell.method in methods]
                rows.append([grid.file, dataset_name(dataset), *_row(cells, methods, done, grid, lines)])
    columns = ["flag file", "data", "methods", "cells done", "whole splits", "training"]
    return markdown.table(pd.DataFrame(rows, columns=columns), 3)


def share_done(lines: pd.DataFrame, grid: Grid) -> str:
    """Say how much of a grid is done."""
    done, wanted = len(grid.done(lines)), len(cells_of(grid.config.axes))
    return f"{done:,} of {wanted:,} cells ({math.floor(1000.0 * done / wanted) / 10:g} %)"


def _equally_far(cells: Sequence[Cell], done: set[Cell]) -> list[list[str]]:
    """Put methods of which equally many cells are done into one group, those that are farthest first."""
    counts = collections.Counter(cell.method for cell in cells if cell in done)
    groups: dict[int, list[str]] = {}
    for name in dict.fromkeys(cell.method for cell in cells):
        groups.setdefault(counts[name], []).append(name)
    return [groups[count] for count in sorted(groups, reverse=True)]


def _names(methods: Sequence[str], count: int) -> str:
    """Name the methods of a row, unless they are many."""
    if len(methods) == count:
        return f"all {count}"
    if len(methods) > MOST_NAMED:
        return f"the other {len(methods)}"
    return joined(method(name).title for name in methods)


def _row(
    cells: Sequence[Cell], methods: Sequence[str], done: set[Cell], grid: Grid, lines: pd.DataFrame
) -> list[str]:
    there = [cell for cell in cells if cell in done]
    whole = {cell.split for cell in cells} - {cell.split for cell in cells if cell not in done}
    index = pd.MultiIndex.from_tuples(
        [tuple(getattr(cell, axis) for axis in CELL) for cell in there], names=CELL
    )
    used = lines[lines.set_index(CELL).index.isin(index)] if there else lines[:0]
    return [
        _names(methods, len(grid.config.axes["method"])),
        f"{len(there):,} of {len(cells):,}",
        f"{len(whole)} of {len({cell.split for cell in cells})}",
        core_time(used) if there else NOTHING,
    ]
