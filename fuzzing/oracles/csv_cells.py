"""What Python's csv module and pandas read in a CSV, and whether tffs read the same where these two agree."""

import csv
import io
import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from data_builders.table.cells import MISSING, NO_NAME
from data_builders.table.csv_file import DELIMITERS
from fuzzing.broken import Broken

_TEXT, _UNSURE = "text", "unsure"
_PLAIN = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?")
_CHEAP_CELLS = 2**14


class Rows(NamedTuple):
    """What tffs read.

    Attributes:
        names: of the features.
        x: float64 [rows, features].
        text: which cells were no numbers, [rows, features].
        tasks: the column that names the tasks, and one a row, None where a row has none; None without a column.
    """

    names: Sequence[str]
    x: np.ndarray
    text: np.ndarray
    tasks: tuple[str, Sequence[str | None]] | None = None


def compare_csv(content: bytes, read: Rows, precision: type = np.float64) -> None:
    """Raise `Broken` if both others read something else, and the same."""
    text = content.decode("utf-8-sig", errors="replace")
    delimiter = _delimiter_of(text)
    lines = _cells_of_csv(text, delimiter)
    if not lines or sum(map(len, lines)) > _CHEAP_CELLS:
        return
    found = _difference(lines, read, delimiter == ";", precision)
    if found and _cells_of_pandas(text, delimiter) == lines:
        raise Broken(found)


def _difference(lines: list[list[str]], read: Rows, decimal_comma: bool, precision: type) -> str | None:
    """Say how cells differ from what tffs read."""
    header = [" ".join(name.split()) or f"unnamed {place}" for place, name in enumerate(lines[0], start=1)]
    rows = lines[1:]
    if any(len(row) != len(header) for row in rows):
        return "rows of other lengths than the header were read"
    if len(rows) != len(read.x):
        return f"{len(read.x)} rows were read, but there are {len(rows)}"
    for feature, name in enumerate(read.names):
        if name not in header:
            return "a column was read that is not there"
        for row, cells in enumerate(rows):
            cell = cells[header.index(name)]
            expected = _number_of(cell, decimal_comma)
            if expected is _UNSURE:
                continue
            got = _TEXT if read.text[row, feature] else float(read.x[row, feature])
            if isinstance(expected, float) and isinstance(got, float):
                with np.errstate(over="ignore"):
                    same = precision(got) == precision(expected) or (math.isnan(got) and math.isnan(expected))
            else:
                same = got == expected
            if not same:
                return f"the cell {cell[:60]!r} was read as {got}, not {expected}"
    if read.tasks is not None:
        column, tasks = read.tasks
        expected_tasks = [_name_of(cells[header.index(column)]) for cells in rows]
        if list(tasks) != expected_tasks:
            return f"tasks were read as {list(tasks)[:9]}, not {expected_tasks[:9]}"
    return None


def _delimiter_of(text: str) -> str:
    line = re.split(r"\r\n|\r|\n", text, maxsplit=1)[0]
    return max(DELIMITERS, key=line.count)


def _cells_of_csv(text: str, delimiter: str) -> list[list[str]] | None:
    try:
        return [line for line in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if line]
    except csv.Error:
        return None


def _cells_of_pandas(text: str, delimiter: str) -> list[list[str]] | None:
    try:
        frame = pd.read_csv(
            io.StringIO(text, newline=""),
            sep=delimiter,
            header=None,
            dtype=str,
            keep_default_na=False,
            na_filter=False,
        )
    except ValueError:  # of which its own errors are
        return None
    return frame.to_numpy().tolist()


def _number_of(cell: str, decimal_comma: bool) -> float | str:
    cell = cell.strip()
    if cell in MISSING:
        return math.nan
    if cell.lower() in ("true", "false"):
        return float(cell.lower() == "true")
    if _PLAIN.fullmatch(cell):
        return float(cell)
    if _INFINITE.fullmatch(cell):
        return -math.inf if cell.startswith("-") else math.inf
    return _UNSURE if decimal_comma and _COMMA.fullmatch(cell) else _TEXT


def _name_of(cell: str) -> str | None:
    cell = cell.strip()
    return None if cell in NO_NAME else cell
