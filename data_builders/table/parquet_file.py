"""Read a Parquet file block by block."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet

from data_builders.table.cells import plain
from data_builders.table.column_block import ColumnBlock, RowRange, block_of, rows_a_block
from tffs.errors import UserError, reason


class ParquetFile:
    """A Parquet file.

    Args:
        path: the file.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._rows_read = 0
        self.problems: list[str] = []
        try:
            self._file = pyarrow.parquet.ParquetFile(path)
            names = self._file.schema_arrow.names
        except FileNotFoundError:
            raise
        except UnicodeDecodeError as error:
            raise UserError(
                f"{path} must name its columns in UTF-8, but it does not: save it again."
            ) from error
        except (pa.ArrowException, OSError) as error:
            raise UserError(f"{path} cannot be read as a Parquet file ({reason(error)}).") from error
        # What pandas stores of an index without a name is no column of the table.
        self.header = tuple(name for name in names if not re.fullmatch(r"__index_level_\d+__", name))
        seen: Counter[str] = Counter()
        self._earlier = []  # columns of the same name that come before
        for name in self.header:
            self._earlier.append(seen[name])
            seen[name] += 1

    def row_ranges(self) -> list[RowRange]:
        """Give its row groups, those that are smaller than a block together with their neighbours."""
        metadata = self._file.metadata
        ranges = []
        start = rows = before = 0
        for group in range(metadata.num_row_groups):
            rows += metadata.row_group(group).num_rows
            if rows >= rows_a_block(len(self.header)) or group == metadata.num_row_groups - 1:
                ranges.append(RowRange(before + 1, start, group + 1))
                start, before, rows = group + 1, before + rows, 0
        return ranges

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
        names = [self.header[position] for position in wanted]
        rows_read = self._rows_read = row_range.first_row - 1
        groups = list(range(row_range.start, row_range.stop))
        try:
            for batch in self._file.iter_batches(rows_a_block(len(wanted)), groups, names):
                schema = batch.schema  # it has all columns of the same name
                columns = {
                    position: plain(
                        batch.column(
                            schema.get_all_field_indices(self.header[position])[self._earlier[position]]
                        )
                    )
                    for position in wanted
                }
                rows_read += batch.num_rows
                self._rows_read = rows_read
                yield block_of(
                    [columns[position] for position in features],
                    None if task is None else columns[task],
                    None if label is None else columns[label],
                    batch.num_rows,
                    raw=[columns[position] for position in raw],
                )
        except (pa.ArrowException, OSError) as error:
            raise UserError(f"{self._path} cannot be read to its end ({reason(error)}).") from error
        metadata = self._file.metadata
        announced = row_range.first_row - 1 + sum(metadata.row_group(group).num_rows for group in groups)
        if rows_read != announced:  # Arrow ends without an error where pages of a column are damaged
            raise UserError(
                f"{self._path} cannot be read to its end (by then it should have {announced} rows, but "
                f"{rows_read} could be read): save it again."
            )

    def done(self) -> float:
        """Give the share of the file that was read so far."""
        return self._rows_read / max(self._file.metadata.num_rows, 1)
