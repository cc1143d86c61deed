"""Sums over rows, computed where the rows are.

What a posterior is fitted to are sums over rows. A fit asks for them and never for the rows themselves, except
for a few by their numbers. This is the seam between the two:

- `RowSums` says what is summed: it begins with zeros and adds blocks of rows. It holds no rows, and can be sent
  to another process. Two results of the same kind make one, array by array, with a ufunc.
- `Wanted` says over which rows: those of whole tasks, about their tasks' means or as they are. Sums of each
  task are computed on the way where they are asked for.
- `summed` computes what several fits want. Without more, rows are read here in blocks, one `Wanted` after the
  other. A matrix of rows may have `passes` (`Passes`): these compute the sums elsewhere, all that is wanted in
  one pass over the rows.

What is summed, and in how many passes over the rows:

- `source_statistics.py`: least, greatest and sum of each feature, and squares about the mean; 2.
- `medians.py`, where missing values are filled in: how often digits occur; 3 or more.
- `posterior/source.py`: sums of each task; squares, products and range of each group of tasks; 1 for a fit,
  whatever it leaves out.
- `posterior/mixture.py`: counts, sums and products, weighed by how likely a row is a component's; 1 to 11 for
  each number of components, and 1 for many rows.
- `posterior/sketch.py`, for more than 2,000 features: the scatter times some directions, and along them; 3.

The last two depend on which tasks are left out. They are asked for all folds of a fit at once, so that folds
share their passes.

With Beam (`beam_sums.py`, for a prepared table) a pass is a pipeline over the files of the table. A worker
holds a block of rows and the sums, and writes the sums of the tasks in its file to a folder that all see; the
other sums are merged by the workers, a piece at a time. No worker holds what grows with the table. The main
process holds 24 bytes a row, and 48 for a moment: which rows a task has, and where each is in the files. It
reads single rows from there: the one that squares are about, those of tasks that were left out to choose and to
calibrate, the sample that k-means starts from (drawn by the rows' places, so it does not depend on who reads),
and the episodes of a residual network.

Both ways add the same numbers in float64, in another order.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from tffs.data.scale import Scale
from tffs.data.tasks import TaskRows

if TYPE_CHECKING:  # it imports TensorFlow
    from tffs.data.stored_rows import Rows

BLOCK_BYTES = 32 * 2**20
BY_TASK = "by task"  # the name of the sums of each task, [chosen, features]

Arrays = dict[str, np.ndarray]


class RowSums(Protocol):
    """What is summed over rows.

    Attributes:
        merged: by the arrays' names, how two of them become one: a ufunc for which zeros change nothing.
    """

    merged: ClassVar[Mapping[str, np.ufunc]]

    def zeros(self) -> Arrays:
        """Give the sums over no rows."""
        ...

    def add(self, sums: Arrays, block: np.ndarray) -> None:
        """Add rows [rows, features] to sums, in place."""
        ...


@dataclasses.dataclass(frozen=True)
class Wanted:
    """What is to be summed, and over which rows.

    Attributes:
        what: what is summed.
        tasks: rows by task.
        chosen: int [chosen], the tasks whose rows are summed.
        means: [chosen, features], what is subtracted from the rows of each; None for nothing.
        by_task: also sum the rows of each task, which is given as `BY_TASK`.
        dtype: of the blocks.
    """

    what: RowSums
    tasks: TaskRows
    chosen: np.ndarray
    means: np.ndarray | None = None
    by_task: bool = False
    dtype: Any = np.float64


class Passes(Protocol):
    """Computes sums over the rows of a matrix that holds none."""

    def sums(self, wanted: Sequence[Wanted]) -> list[Arrays]:
        """Compute what is wanted, in as few passes as memory allows."""
        ...

    def begin(self, doing: str, about: int) -> None:
        """Be told what the next passes are for, and about how many they will be."""
        ...

    def scaled(self, scale: Scale) -> "Passes":
        """Give sums over the same rows in scaled units."""
        ...


def passes_of(matrix: "Rows") -> Passes | None:
    """Give what computes sums over rows elsewhere; None if rows are read here."""
    return getattr(matrix, "passes", None)


def summed(matrix: "Rows", wanted: Sequence[Wanted]) -> list[Arrays]:
    """Compute sums over rows of a matrix."""
    passes = passes_of(matrix)
    return [_summed_here(matrix, one) for one in wanted] if passes is None else passes.sums(wanted)


def begin(matrix: "Rows", doing: str, about: int) -> None:
    """Say what the next passes over a matrix are for, and about how many they will be."""
    passes = passes_of(matrix)
    if passes is not None:
        passes.begin(doing, about)


def add_by_task(sums: np.ndarray, block: np.ndarray, places: np.ndarray) -> None:
    """Add the rows of a block to the sums of their tasks.

    Args:
        sums: [tasks, features].
        block: [rows, features]; the rows of a task follow each other.
        places: int [rows], whose they are.
    """
    starts = np.flatnonzero(np.diff(places, prepend=-1))
    sums[places[starts]] += np.add.reduceat(block, starts, axis=0)


def sums_of(blocks: Callable[[], Iterator[np.ndarray]], what: RowSums) -> Arrays:
    """Sum over blocks of rows."""
    sums = what.zeros()
    for block in blocks():
        what.add(sums, block)
    return sums


def _summed_here(matrix: "Rows", wanted: Wanted) -> Arrays:
    sums = wanted.what.zeros()
    if wanted.by_task:
        sums[BY_TASK] = np.zeros((len(wanted.chosen), matrix.shape[1]))
    means = None if wanted.means is None else wanted.means.astype(wanted.dtype)
    for block, places in _blocks(matrix, wanted):
        if means is not None:
            block -= means[places]
        if wanted.by_task:
            add_by_task(sums[BY_TASK], block, places)
        wanted.what.add(sums, block)
    return sums


def _blocks(matrix: "Rows", wanted: Wanted) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Give rows, a block at a time, and each row's task by its place in `chosen`."""
    tasks, chosen = wanted.tasks, wanted.chosen
    size = max(BLOCK_BYTES // (np.dtype(wanted.dtype).itemsize * matrix.shape[1]), 1)
    counts = tasks.counts[chosen]
    places = np.repeat(np.arange(len(chosen)), counts)
    begins = tasks.offsets[chosen] - (np.cumsum(counts) - counts)
    rows = tasks.rows[np.arange(len(places)) + begins[places]]
    for start in range(0, len(rows), size):
        here = slice(start, start + size)
        yield np.asarray(matrix[rows[here]], wanted.dtype), places[here]
