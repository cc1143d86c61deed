"""Read the few rows of a new task from a file, by the names of its columns."""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from data_builders.table.columns import named
from data_builders.table.npy_arrays import read_npy
from data_builders.table.opening import check_file, open_file
from tffs.errors import UserError, listed, reason, why_not_finite


def read_support(
    path: str, feature_names: Sequence[str], say: Callable[[str], None], missing: bool = False
) -> np.ndarray:
    """Read support rows.

    Args:
        path: a CSV (also .gz), Parquet or .npz file with columns by name, in any order (others are ignored with
            a note), or a .npy file of shape [rows, features] in the model's order of features.
        feature_names: the model's features.
        say: receives the note.
        missing: whether values may be missing; they are NaN then.

    Returns:
        float32 [rows, features], every other value finite.
    """
    try:
        rows = _read_npy(path) if path.endswith(".npy") else _read_table(path, feature_names, say)
    except FileNotFoundError as error:
        raise UserError(
            f"--support={path} is not there: give the path of a CSV, Parquet, .npz or .npy file."
        ) from error
    except OSError as error:
        raise UserError(f"--support={path} cannot be read ({reason(error)}).") from error
    if rows.ndim != 2 or rows.shape[1] != len(feature_names):
        raise UserError(
            f"--support={path} must hold rows of {len(feature_names)} features, but its shape is "
            f"{list(rows.shape)}."
        )
    with np.errstate(over="ignore"):  # too large for 32 bits is infinite, which is refused
        rows = rows.astype(np.float32, copy=False)
    if not len(rows):
        raise UserError(f"--support={path} has no rows: give the rows of the new task.")
    bad = np.argwhere(np.isinf(rows) if missing else ~np.isfinite(rows))
    if len(bad):
        row, column = bad[0]
        raise UserError(
            f"--support={path} must hold finite numbers, but row {row + 1}, column '{feature_names[column]}' "
            f"{why_not_finite(rows[row, column])}."
        )
    return rows


def _read_npy(path: str) -> np.ndarray:
    check_file(path)
    try:
        rows = read_npy(path)
    except (UserError, OSError):
        raise
    except Exception as error:  # NumPy raises many kinds for a damaged file
        raise UserError(
            f"--support={path} is not a .npy file of numbers: it is damaged, something else, or holds Python "
            "objects, which are never loaded."
        ) from error
    if rows.dtype.kind not in "fiub":
        raise UserError(f"--support={path} must hold one array of numbers, but it holds {rows.dtype}.")
    return rows


def _read_table(path: str, feature_names: Sequence[str], say: Callable[[str], None]) -> np.ndarray:
    file = open_file(path)
    header = named(file.header)
    known, count = set(feature_names), Counter(header)
    twice = sorted(name for name in known if count[name] > 1)
    if twice:
        raise UserError(f"--support={path} has the column {listed(twice)} more than once: keep one of them.")
    lacking = [name for name in feature_names if name not in count]
    if lacking:
        raise UserError(
            f"--support={path} lacks {len(lacking)} of the model's {len(feature_names)} features: "
            f"{listed(lacking)}; give a column for each (the first line of a CSV names them)."
        )
    extra = [name for name in header if name not in known]
    if extra:
        say(f"Ignoring {len(extra)} column(s) that the model does not know: {listed(extra)}.")
    position = {name: place for place, name in enumerate(header)}
    parts, row = [], 0
    features = [position[name] for name in feature_names]
    blocks = (block for rows in file.row_ranges() for block in file.blocks(features, None, None, rows))
    for block in blocks:
        if block.text:
            cell = block.text[0]
            raise UserError(
                f"--support={path}, row {row + cell.rows[0] + 1}, column '{feature_names[cell.feature]}': "
                f"expected a number, but found '{cell.value}'."
            )
        with np.errstate(over="ignore"):
            parts.append(block.x.T.astype(np.float32))
        row += len(parts[-1])
    if file.problems:
        raise UserError(f"--support={path}: {file.problems[0]}")
    return np.concatenate(parts) if parts else np.zeros((0, len(feature_names)), np.float32)
