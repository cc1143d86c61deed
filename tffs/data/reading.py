"""Read the records of a dataset once: into memory, or only to note where they are."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from tffs.data.memory import shareable
from tffs.data.records import Block, Records
from tffs.data.stored_rows import Rows, StoredRows, states_of
from tffs.errors import UserError, listed


class ReadRows(NamedTuple):
    """What was read.

    Attributes:
        matrix: the rows, in memory or on the disk.
        labels: int64 [rows], or None.
        before: int64 [records + 1], how many rows come before a record; others may have been left out.
    """

    matrix: Rows
    labels: np.ndarray | None
    before: np.ndarray


def read_rows(
    records: Records,
    blocks: Iterable[Block],
    streamed: bool,
    drop: bool,
    show: Callable[[str, float], None],
) -> ReadRows:
    """Read all records once, block by block; every checksum is checked on the way.

    Args:
        records: the prepared files.
        blocks: all their records, in order.
        streamed: leave the rows on the disk and note where each is.
        drop: leave out rows that lack a value or a label.
        show: is called with what is being done and the share of it that is done.
    """
    states = states_of(records)
    matrix = None if streamed else _room(records)
    sizes = np.empty(len(records) if streamed else 0, np.int64)
    labels = np.empty(len(records), np.int64) if records.labelled else None
    kept = np.ones(len(records), bool)
    held = 0
    for block in blocks:
        x, part = block.x, slice(block.first, block.first + len(block.x))
        if labels is not None and block.labels is not None:
            labels[part] = block.labels
        if drop:
            kept[part] = ~np.isnan(x).any(axis=1)
            if block.labels is not None:
                kept[part] &= block.labels >= 0
            x = x[kept[part]]
        if matrix is None:
            sizes[part] = block.sizes
        else:
            matrix[held : held + len(x)] = x
        held += len(x)
        show("indexing" if streamed else "loading", part.stop / len(records))
    chosen = np.flatnonzero(kept) if drop else None
    if labels is not None and drop:
        labels = labels[chosen]
    stored = StoredRows.of(records, sizes, chosen, states) if matrix is None else matrix[:held]
    return ReadRows(stored, labels, np.concatenate([[0], np.cumsum(kept)]))


def _room(records: Records) -> np.ndarray:
    try:
        return shareable((len(records), records.width))
    except MemoryError as error:
        gigabytes = 4e-9 * len(records) * records.width
        raise UserError(
            f"The {len(records)} rows of {records.width} features take {gigabytes:.3g} GB, and there is not so "
            "much memory: read them from the disk with --cache=stream."
        ) from error


def check_names(dataset: str, names: tuple[str, ...], width: int) -> None:
    """Check that each feature has a name of its own, of one line."""
    if len(names) != width or len(set(names)) != len(names):
        raise UserError(
            f"{dataset} must name each of its {width} features once, but its metadata has "
            f"{len(set(names))} different names: {listed(names)}."
        )
    bad = [name for name in names if not name or len(name.splitlines()) != 1]
    if bad:
        raise UserError(f"{dataset} must name its features in one line each, but has {listed(bad)}.")


def checked(
    blocks: Iterable[Block],
    dataset: str,
    names: tuple[str, ...],
    tasks: tuple[str, ...],
    offsets: np.ndarray,
    missing: str,
) -> Iterator[Block]:
    """Hand on blocks of rows whose values are finite, or missing where that is allowed; others are an error.

    Args:
        blocks: of rows, in order.
        dataset: its name.
        names: of the features.
        tasks: the names of the tasks.
        offsets: int64 [tasks + 1], the first row of each.
        missing: `error`, `median` or `drop_rows`.
    """
    for block in blocks:
        wrong = np.argwhere(~np.isfinite(block.x) if missing == "error" else np.isinf(block.x))
        if len(wrong):
            row, column = wrong[0]
            task = int(np.searchsorted(offsets, block.first + row, "right")) - 1
            raise UserError(
                f"{dataset} must hold finite numbers, but feature '{names[column]}' of row "
                f"{block.first + row - offsets[task] + 1} of task {tasks[task]} is {block.x[row, column]}: "
                "correct the data and prepare it again."
            )
        yield block
