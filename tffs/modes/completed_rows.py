"""Rows with what was measured and what was inferred, as text."""

import csv
import io
import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from tffs.data.values_file import Part

Cells = list[list[str | None]]  # one list a column


class Layout(NamedTuple):
    """The columns of completed rows.

    Attributes:
        kept: the names of columns that are no features; they come first.
        features: the model's features.
        bounds: what is added to a feature's name for the ends of its interval, or () without intervals.
    """

    kept: tuple[str, ...]
    features: tuple[str, ...]
    bounds: tuple[str, ...]

    @property
    def header(self) -> list[str]:
        """The names of all columns: the ends of an interval follow their feature."""
        return [*self.kept, *(name + ending for name in self.features for ending in ("", *self.bounds))]


def layout(kept: Sequence[str], features: Sequence[str], intervals: bool) -> Layout:
    """Lay out columns, with names for the ends of intervals that no column has yet."""
    taken = {*kept, *features}
    for count in itertools.count():
        middle = f"_interval{count}" if count > 1 else "_interval" * count
        bounds = (f"{middle}_low", f"{middle}_high") if intervals else ()
        if not any(name + ending in taken for name in features for ending in bounds):
            break
    return Layout(tuple(kept), tuple(features), bounds)


def completed(part: Part, answers: Sequence[pd.DataFrame], columns: Layout) -> Cells:
    """Put together what the file has and what was inferred.

    Args:
        part: rows of the file.
        answers: the reconstruction and, with intervals, their lower and upper ends.
        columns: the layout.

    Returns:
        The cells, column by column. A feature that was measured is as the file has it, and so is its interval.
    """
    cells = [column.to_pylist() for column in part.kept]
    for name in columns.features:
        for answer in answers:
            inferred = pa.array(answer[name].to_numpy()).cast(pa.string())
            measured = part.written.get(name)
            cells.append((inferred if measured is None else pc.coalesce(measured, inferred)).to_pylist())
    return cells


def csv_texts(columns: Layout, parts: Iterable[Cells]) -> Iterator[str]:
    """Write rows as CSV, one text for each part; the names come with the first one, when that was computed."""
    header = [columns.header]
    for cells in parts:
        yield _csv(itertools.chain(header, zip(*cells, strict=True)))
        header = []


def json_texts(columns: Layout, parts: Iterable[Cells], facts: dict[str, Any]) -> Iterator[str]:
    """Write one JSON object, with the rows as `reconstruction`; `facts` are read when all rows are written."""
    header, kept, before = columns.header, len(columns.kept), '{"reconstruction": [\n'
    for cells in parts:
        rows = []
        for row in zip(*cells, strict=True):
            values = [*row[:kept], *map(float, row[kept:])]
            rows.append(json.dumps(dict(zip(header, values, strict=True)), ensure_ascii=False))
        yield before + ",\n".join(rows)
        before = ","
    yield f"], {json.dumps(facts, ensure_ascii=False)[1:]}"


def _csv(rows: Iterable[Sequence[str | None]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().removesuffix("\n")
