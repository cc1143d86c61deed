"""Read the few rows of a new task from a CSV or .npy file."""

import csv
import math
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from tffs.errors import UserError, listed


def read_support(path: str, feature_names: Sequence[str], say: Callable[[str], None]) -> np.ndarray:
    """Read support rows.

    Args:
        path: a CSV with a header (columns by name, in any order; others are ignored with a note) or a .npy
            file of shape [rows, features] in the model's order of features.
        feature_names: the model's features.
        say: receives the note.

    Returns:
        float32 [rows, features], every value finite.
    """
    try:
        rows = _read_npy(path) if path.endswith(".npy") else _read_csv(path, feature_names, say)
    except FileNotFoundError as error:
        raise UserError(f"--support={path} is not there: give the path of a CSV or .npy file.") from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"--support={path} cannot be read as a CSV or .npy file ({error}).") from error
    if rows.ndim != 2 or rows.shape[1] != len(feature_names):
        raise UserError(
            f"--support={path} must hold rows of {len(feature_names)} features, but its shape is "
            f"{list(rows.shape)}."
        )
    if not len(rows):
        raise UserError(f"--support={path} has no rows: give the rows of the new task.")
    bad = np.argwhere(~np.isfinite(rows))
    if len(bad):
        row, column = bad[0]
        raise UserError(
            f"--support={path} must hold finite numbers, but row {row + 1}, column "
            f"'{feature_names[column]}' is {rows[row, column]}: fill it in or leave the row out."
        )
    return rows


def _read_npy(path: str) -> np.ndarray:
    try:
        rows = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise UserError(f"--support={path} is not a .npy file of numbers ({error}).") from error
    if not isinstance(rows, np.ndarray) or rows.dtype.kind not in "fiub":
        raise UserError(f"--support={path} must hold one array of numbers, but it holds {rows!r:.60}.")
    return rows.astype(np.float32)


def _read_csv(path: str, feature_names: Sequence[str], say: Callable[[str], None]) -> np.ndarray:
    with open(path, encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        header = [name.strip() for name in next(reader, [])]
        known = set(feature_names)
        position = {name: index for index, name in enumerate(header)}
        twice = sorted(name for name, count in Counter(header).items() if count > 1 and name in known)
        if twice:
            raise UserError(
                f"--support={path} has the column {listed(twice)} more than once: keep one of them."
            )
        missing = [name for name in feature_names if name not in position]
        if missing:
            raise UserError(
                f"--support={path} lacks {len(missing)} of the model's {len(feature_names)} features: "
                f"{listed(missing)}; its first line must name the columns."
            )
        extra = [name for name in header if name not in known]
        if extra:
            say(f"Ignoring {len(extra)} column(s) that the model does not know: {listed(extra)}.")
        positions = [position[name] for name in feature_names]
        rows = []
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(header):
                raise UserError(
                    f"--support={path}, line {reader.line_num}: expected {len(header)} values as in the first "
                    f"line, but {len(cells)} came."
                )
            rows.append([_number(cells[p], path, reader.line_num, header[p]) for p in positions])
    return np.asarray(rows, np.float32).reshape(len(rows), len(feature_names))


def _number(cell: str, path: str, line: int, column: str) -> float:
    try:
        value = math.nan if "_" in cell else float(cell)  # Python reads 1_0 as 10
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UserError(
            f"--support={path}, line {line}, column '{column}': expected a finite number, but "
            f"'{cell.strip()}' came."
        )
    return value
