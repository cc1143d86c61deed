"""From the cells of a column to numbers: what is missing, and what is text where a number should be."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data_builders.table.decimal_marks import has_decimals
from tffs.errors import UserError

# What programs write for a missing value; nobody calls a task or a class so.
NO_NAME = (
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>"),
    *("NaN", "nan"),
)
# With words that may be a name, too: what pandas takes for missing, and the question mark of the UCI files.
MISSING = (*NO_NAME, "N/A", "NA", "NULL", "None", "n/a", "null", "?")
_NUMBER = r"^-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$|^-?(?i:inf|infinity)$"


def numbers(column: pa.Array, decimal_comma: bool = False) -> tuple[np.ndarray, np.ndarray | None]:
    """Read a column as numbers.

    Args:
        column: of any type.
        decimal_comma: whether 3,14 is a number, as in files that separate cells by semicolons; not in a column
            with decimal points. Whether 1,234 is a thousand is for `DecimalMarks` to say.

    Returns:
        float64 [rows], NaN where a value is missing or is no number, and a mask of the cells that are no
        number (None if there are none).
    """
    column = plain(column)
    kind = column.type
    if pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
    elif not _numeric(kind) and not _textual(kind):
        return np.full(len(column), np.nan), _mask(column.is_valid())
    try:
        values = _floats(column)
    except pa.ArrowInvalid:
        return _mended(column, decimal_comma)
    if _textual(kind) and np.count_nonzero(np.isnan(values)) > column.null_count:
        return _mended(column, decimal_comma)  # Arrow reads NaN(1) as NaN
    return values, None


def texts(column: pa.Array) -> pa.Array:
    """Read a column as text without surrounding spaces; what is empty or not a number (NaN) is null."""
    column = plain(column)
    try:
        text = pc.utf8_trim_whitespace(as_text(column))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        held = f"{column.type} that is not UTF-8" if _textual(column.type) else column.type
        raise UserError(
            f"A column of tasks or labels must hold text or numbers, but it holds {held}: name another."
        ) from error
    no_name = pc.is_in(text, value_set=pa.array(NO_NAME, pa.string()))
    return pc.if_else(no_name, pa.scalar(None, pa.string()), text)


def plain(column: pa.Array) -> pa.Array:
    """Give a column as one array of its values; Arrow raises where a damaged dictionary lacks one."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def as_text(column: pa.Array) -> pa.Array:
    """Write a column as text; where it is none, or not UTF-8, Arrow's exceptions are raised."""
    text = column.cast(pa.string())
    text.validate(full=True)  # a Parquet file may hold any bytes as text
    return text


def _numeric(kind: pa.DataType) -> bool:
    return pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind)


def _textual(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_null(kind)


def _floats(column: pa.Array) -> np.ndarray:
    return column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)


def _mended(column: pa.Array, decimal_comma: bool) -> tuple[np.ndarray, np.ndarray | None]:
    """Read cells of text of which some are missing, spaced, signed with a plus, true, false or no number."""
    cells = pc.replace_substring_regex(pc.utf8_trim_whitespace(column), r"^\+([0-9.,iI])", r"\1")
    if decimal_comma and not has_decimals(cells, "."):
        cells = pc.replace_substring_regex(cells, r"^(-?\d*),(\d+)", r"\1.\2")
    null = pa.scalar(None, cells.type)
    cells = pc.if_else(pc.is_in(cells, value_set=pa.array(MISSING, cells.type)), null, cells)
    lower = pc.utf8_lower(cells)
    cells = pc.if_else(pc.equal(lower, "true"), "1", pc.if_else(pc.equal(lower, "false"), "0", cells))
    number = pc.fill_null(pc.match_substring_regex(cells, _NUMBER), True)
    values = _floats(pc.if_else(number, cells, null))
    return values, _mask(pc.invert(number))


def _mask(text: pa.Array) -> np.ndarray | None:
    mask = np.asarray(text)
    return mask if mask.any() else None
