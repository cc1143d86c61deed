"""Read a CSV file, plain or gzipped, block by block."""

import csv
import gzip
import io
import os
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from data_builders.table.column_block import WHOLE_FILE, ColumnBlock, RowRange, block_of, check_columns
from data_builders.table.decimal_marks import DecimalMarks
from data_builders.table.ragged_rows import RaggedRows
from data_builders.table.unpacking import check_unpacked
from tffs.errors import UserError, reason

DELIMITERS = ",;\t|"
_ROWS_A_BLOCK = 512
_SMALLEST_BLOCK, _LARGEST_BLOCK = 4 * 2**20, 64 * 2**20
LONGEST_HEADER = 64 * 2**20


class CsvFile:
    """A CSV whose first line names its columns; separated by commas, semicolons, tabs or bars.

    Args:
        path: the file; a name that ends in .gz is unpacked on the way.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._gzipped = path.lower().endswith(".gz")
        self._raw: Any = None
        self.problems: list[str] = []
        try:
            with self._text() as text:
                line = next(self._lines(text), "")
                self._delimiter = max(DELIMITERS, key=line.count)
                check_columns(path, line.count(self._delimiter))
                text.seek(0)
                reader = csv.reader(self._lines(text), delimiter=self._delimiter)
                self.header = tuple(name.strip() for name in next(reader, ()))
        except UnicodeDecodeError as error:
            raise self._not_utf8() from error
        except (EOFError, gzip.BadGzipFile, zlib.error, csv.Error) as error:
            raise UserError(f"{path} cannot be read as a CSV file ({reason(error)}).") from error
        if not any(self.header):
            raise UserError(f"{path} must be a CSV whose first line names the columns, but that line is empty.")
        width = max(len(line.encode()), 16 * len(self.header))
        self._block = min(max(_ROWS_A_BLOCK * width, _SMALLEST_BLOCK), _LARGEST_BLOCK)

    def _lines(self, text: TextIO) -> Iterator[str]:
        """Read the first lines, but not a file without line breaks as one."""
        characters = 0
        while line := text.readline(LONGEST_HEADER):
            characters += len(line)
            if characters >= LONGEST_HEADER:
                raise UserError(
                    f"{self._path} must be a CSV whose first line names the columns, but that line has more "
                    f"than {LONGEST_HEADER} characters."
                )
            yield line

    def row_ranges(self) -> list[RowRange]:
        """Give the whole file: where a row begins is known only from what stands before it."""
        return [WHOLE_FILE]

    def blocks(
        self,
        features: Sequence[int],
        task: int | None,
        label: int | None,
        row_range: RowRange,
        raw: Sequence[int] = (),
    ) -> Iterator[ColumnBlock]:
        """Read the columns at the given positions, block by block."""
        asked = (*features, *raw, *(position for position in (task, label) if position is not None))
        wanted = list(dict.fromkeys(asked))
        names = [f"f{position}" for position in wanted]
        ragged = RaggedRows()
        self.problems = []
        decimal_comma, marks = self._delimiter == ";", DecimalMarks()

        # A file of Arrow's own: its threads read ahead, and must not need the interpreter when it ends.
        with ragged.taken(), pa.OSFile(self._path) as self._raw:
            try:
                reader = pyarrow.csv.open_csv(
                    pa.CompressedInputStream(self._raw, "gzip") if self._gzipped else self._raw,
                    # The first line is read like any other, so that its names need not be different.
                    pyarrow.csv.ReadOptions(autogenerate_column_names=True, block_size=self._block),
                    pyarrow.csv.ParseOptions(
                        delimiter=self._delimiter, newlines_in_values=True, invalid_row_handler=ragged
                    ),
                    pyarrow.csv.ConvertOptions(
                        column_types=dict.fromkeys(names, pa.string()),
                        include_columns=names,
                        null_values=[""],
                        strings_can_be_null=True,
                        quoted_strings_can_be_null=True,
                    ),
                )
                row = unpacked = 0  # the header is row 0
                for batch in reader:
                    header = row == 0
                    columns = {position: batch.column(i).slice(header) for i, position in enumerate(wanted)}
                    cells = [columns[position] for position in features]
                    if self._gzipped:
                        unpacked += _characters(batch)
                        check_unpacked(self._path, self._raw.tell(), unpacked)
                    if decimal_comma:
                        marks.add(cells, [self.header[position] for position in features], max(row, 1))
                    yield block_of(
                        cells,
                        None if task is None else columns[task],
                        None if label is None else columns[label],
                        batch.num_rows - header,
                        decimal_comma,
                        [columns[position] for position in raw],
                    )
                    row += batch.num_rows
            except (pa.ArrowInvalid, pa.ArrowException, EOFError, OSError) as error:
                if ragged.undecodable or "UTF8" in str(error):
                    raise self._not_utf8() from error
                if "straddl" in str(error):
                    raise UserError(
                        f"{self._path} cannot be read as a CSV file: a line has more than "
                        f"{self._block // 2**20} MiB, because a quote in it is never closed or a cell is "
                        "that large."
                    ) from error
                raise UserError(f"{self._path} cannot be read as a CSV file ({reason(error)}).") from error
        if ragged.cells:
            self.problems.append(self._ragged(ragged.cells))
        doubtful = marks.problem(os.path.basename(self._path))
        if doubtful:
            self.problems.append(doubtful)

    def done(self) -> float:
        """Give the share of the file that was read so far."""
        return self._raw.tell() / max(self._raw.size(), 1)

    def _ragged(self, wrong: list[int]) -> str:
        """Say which lines have more or fewer values than the first line has names."""
        line = self._line_of(wrong[0])
        where = f"first line {line} with {wrong[0]}" if line else f"the first has {wrong[0]}"
        return (
            f"{len(wrong)} line(s) of {os.path.basename(self._path)} do not have {len(self.header)} values as "
            f"the first line has, {where}: fix them."
        )

    def _line_of(self, columns: int) -> int | None:
        """Find the first line with that many values; Arrow reads in parallel and does not know."""
        try:
            with self._text(errors="replace") as text:
                reader, line = csv.reader(text, delimiter=self._delimiter), 1
                for cells in reader:
                    if len(cells) == columns:
                        return line
                    line = reader.line_num + 1
                return None
        except (csv.Error, OSError, EOFError, zlib.error):
            return None

    def _text(self, errors: str = "strict") -> io.TextIOWrapper:
        file = gzip.open(self._path, "rb") if self._gzipped else open(self._path, "rb")  # noqa: SIM115
        return io.TextIOWrapper(file, encoding="utf-8-sig", errors=errors, newline="")

    def _not_utf8(self) -> UserError:
        return UserError(f"{self._path} must be text in UTF-8, but it is not: save it again as UTF-8.")


def _characters(batch: pa.RecordBatch) -> int:
    """Give how many bytes of the file some rows were at least: their cells, and what separates them."""
    lengths = (pc.sum(pc.binary_length(column)).as_py() or 0 for column in batch.columns)
    return sum(lengths) + batch.num_rows * batch.num_columns
