"""Who trains: one process alone, or several workers that share every step's episodes."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import tensorflow as tf

from tffs.errors import WorkerLost


class Workers(Protocol):
    """The workers of a training, seen from one of them; all call the same methods in the same order.

    Attributes:
        index: which worker this is; 0 is the chief, who alone writes.
        count: how many there are.
        compiled: whether XLA can compile a loop that calls `mean`.
        losses: the exceptions that say that another worker was lost.
    """

    index: int
    count: int
    compiled: bool
    losses: tuple[type[Exception], ...]

    def mean(self, values: Sequence[tf.Tensor]) -> list[tf.Tensor]:
        """Average float32 tensors over the workers, inside a `tf.function`."""

    def any(self, flag: bool) -> bool:
        """Tell whether `flag` is true on any worker."""

    def from_chief(self, values: Sequence[float]) -> Sequence[float]:
        """Give all workers the values that the chief has; the others' only say how many there are."""

    def copy_from_chief(self, variables: Sequence[tf.Variable]) -> None:
        """Give the variables the values they have on the chief."""


class Alone:
    """The only worker."""

    index = 0
    count = 1
    compiled = True
    losses: tuple[type[Exception], ...] = ()

    def mean(self, values: Sequence[tf.Tensor]) -> list[tf.Tensor]:
        """Give the values as they are."""
        return list(values)

    def any(self, flag: bool) -> bool:
        """Give the flag as it is."""
        return flag

    def from_chief(self, values: Sequence[float]) -> Sequence[float]:
        """Give the values as they are."""
        return values

    def copy_from_chief(self, variables: Sequence[tf.Variable]) -> None:
        """Leave the variables as they are."""


ALONE = Alone()


@contextlib.contextmanager
def losses_told(workers: Workers, step: Callable[[], int]) -> Iterator[None]:
    """Raise `WorkerLost` for what says that another worker was lost.

    Args:
        workers: whom the block works with.
        step: tells which step this worker has reached.
    """
    try:
        yield
    except workers.losses as error:
        raise WorkerLost(step()) from error
