"""The episode generator: episode i is a pure function of (seed, i)."""

import numpy as np
import tensorflow as tf

from tffs.data import draws
from tffs.data.stored_rows import StoredRows
from tffs.data.tasks import TaskRows
from tffs.data.untuned import untuned
from tffs.data.worker_share import WorkerShare
from tffs.errors import UserError


def sample_without_replacement(u: tf.Tensor, counts: tf.Tensor) -> tf.Tensor:
    """Draw ordered samples without replacement, at a cost that does not depend on the population's size.

    This is the Fisher-Yates shuffle stopped after `draws` swaps, written without the array it shuffles.
    Swap j exchanges positions j and r_j >= j, and what it draws is what position r_j holds by then: what
    the latest earlier swap with the same r put there, else r_j itself. A swap i puts there what position i
    held, which an earlier swap may have replaced in turn; that chain is followed by pointer doubling.

    Args:
        u: float64 [episodes, draws], uniform in [0, 1).
        counts: int64 [episodes], how many there are to draw from, each at least `draws` and below 2**31.

    Returns:
        int32 [episodes, draws], distinct in each row, each in [0, counts).
    """
    size = u.shape[-1]
    j = tf.range(size)
    left = tf.cast(counts, tf.int32)[:, None] - j
    r = j + tf.minimum(tf.cast(u * tf.cast(left, u.dtype), tf.int32), left - 1)
    earlier = tf.constant(np.tril(np.arange(1, size + 1)[None, :].repeat(size, 0), -1), tf.int32)

    def latest_earlier(matches: tf.Tensor) -> tf.Tensor:
        return tf.reduce_max(tf.cast(matches, tf.int32) * earlier, axis=-1) - 1

    # held[i]: the swap that last replaced what position i held at time i, or i if none did.
    replaced = latest_earlier(r[:, None, :] == j[:, None])
    held = tf.where(replaced >= 0, replaced, j)
    for _ in range(int(np.ceil(np.log2(max(size, 2))))):
        held = tf.gather(held, held, batch_dims=1)
    same = latest_earlier(r[:, None, :] == r[:, :, None])
    return tf.where(same >= 0, tf.gather(held, tf.maximum(same, 0), batch_dims=1), r)


class EpisodeGenerator:
    """Draws episodes: a task uniformly, then disjoint support and query rows of it.

    Args:
        matrix: float32 [rows, features], all rows; a tensor is shared, an array is copied, stored rows are read
            as they are drawn.
        task_rows: the rows that may be drawn, by task.
        support_size: N_S.
        query_size: N_Q; no task may have fewer than N_S + N_Q rows.
        seed: the run's seed.
        stream: which use of the seed, see `tffs.data.draws`.
        labels: int [rows], where the query rows' are needed.

    Attributes:
        failure: what kept stored rows from being read; TensorFlow's own error has it in its text only.

    Example:
        >>> import numpy as np
        >>> import tffs
        >>> rows = tffs.TaskRows.from_lists(("a", "b"), [np.arange(5), np.arange(5, 12)])
        >>> matrix = np.zeros((12, 3), "float32")
        >>> generator = tffs.EpisodeGenerator(matrix, rows, support_size=2, query_size=3, seed=0, stream=1)
        >>> support, query = generator.episodes(first=0, count=4)
        >>> support.shape, query.shape
        (TensorShape([4, 2, 3]), TensorShape([4, 3, 3]))
    """

    def __init__(
        self,
        matrix: np.ndarray | tf.Tensor | StoredRows,
        task_rows: TaskRows,
        support_size: int,
        query_size: int,
        seed: int,
        stream: int,
        labels: np.ndarray | tf.Tensor | None = None,
    ) -> None:
        smallest = int(task_rows.counts.min())
        if smallest < support_size + query_size:
            raise ValueError(
                f"Expected at least support_size + query_size = {support_size + query_size} rows a task. "
                f"Received: a task of {smallest} rows."
            )
        self.support_size = support_size
        self.query_size = query_size
        self.num_features = matrix.shape[1]
        self.num_labels = 0 if labels is None else query_size
        self._seed = seed
        self._stream = stream
        self.failure: UserError | None = None
        with tf.device("CPU:0"):
            self._matrix = matrix if isinstance(matrix, StoredRows) else tf.convert_to_tensor(matrix)
            self._rows = tf.constant(task_rows.rows)
            self._offsets = tf.constant(task_rows.offsets)
            self._labels = None if labels is None else tf.cast(labels, tf.int32)

    def rows(self, first: tf.Tensor, count: int, share: WorkerShare | None = None) -> tf.Tensor:
        """Draw the row numbers of the episodes `first` to `first + count - 1`, or of a share of them.

        Returns:
            int64 [episodes, N_S + N_Q], the support rows first.
        """
        size = self.support_size + self.query_size
        u = draws.uniform(self._seed, self._stream, first, count, 1 + size, tf.float64)
        u = u if share is None else share.of(u)
        num_tasks = tf.shape(self._offsets, out_type=tf.int64)[0] - 1
        task = tf.minimum(tf.cast(u[:, 0] * tf.cast(num_tasks, u.dtype), tf.int64), num_tasks - 1)
        start = tf.gather(self._offsets, task)
        counts = tf.gather(self._offsets, task + 1) - start
        positions = tf.cast(sample_without_replacement(u[:, 1:], counts), tf.int64)
        drawn = count if share is None else share.size * (count // share.group)
        return tf.ensure_shape(tf.gather(self._rows, start[:, None] + positions), [drawn, size])

    def episodes(self, first: tf.Tensor, count: int) -> tuple[tf.Tensor, tf.Tensor]:
        """Draw the episodes `first` to `first + count - 1`.

        Returns:
            Support float32 [count, N_S, features] and query float32 [count, N_Q, features].
        """
        support, query, _ = self.labelled_episodes(first, count)
        return support, query

    def labelled_episodes(
        self, first: tf.Tensor, count: int, share: WorkerShare | None = None
    ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        """Draw the episodes `first` to `first + count - 1`, or a share of them, with the query rows' labels.

        Returns:
            Support float32 [episodes, N_S, features], query float32 [episodes, N_Q, features] and its labels
            int32 [episodes, N_Q], or [episodes, 0] without labels.
        """
        return self.episodes_of(self.rows(first, count, share))

    def same_rows(self, other: "EpisodeGenerator") -> bool:
        """Tell whether `rows` of both gives the same."""
        mine, others = (
            (each.support_size + each.query_size, each._seed, each._stream) for each in (self, other)
        )
        pairs = ((self._rows, other._rows), (self._offsets, other._offsets))
        return mine == others and all(np.array_equal(one, another) for one, another in pairs)

    def episodes_of(self, rows: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        """Give the episodes whose row numbers `rows` gave, as `labelled_episodes` does."""
        drawn = rows.shape[0]
        if isinstance(self._matrix, StoredRows):
            both = tf.numpy_function(self._read, [rows], tf.float32, stateful=False)
            both = tf.ensure_shape(both, [drawn, None, self.num_features])
            support, query = both[:, : self.support_size], both[:, self.support_size :]
        else:
            support = tf.gather(self._matrix, rows[:, : self.support_size])
            query = tf.gather(self._matrix, rows[:, self.support_size :])
        labels = (
            tf.zeros([drawn, 0], tf.int32)
            if self._labels is None
            else tf.gather(self._labels, rows[:, self.support_size :])
        )
        return (
            tf.ensure_shape(support, [drawn, self.support_size, self.num_features]),
            tf.ensure_shape(query, [drawn, self.query_size, self.num_features]),
            tf.ensure_shape(labels, [drawn, self.num_labels]),
        )

    def _read(self, rows: np.ndarray) -> np.ndarray:
        """Read stored rows, which is called from tf.data's thread."""
        try:
            return self._matrix[rows]
        except UserError as error:
            self.failure = error
            raise

    def dataset(self, batch_size: int, first: int = 0) -> tf.data.Dataset:
        """Stream endless batches of episodes from episode `first` on.

        Args:
            batch_size: episodes a batch.
            first: the first episode's number.

        Returns:
            Pairs of support [batch_size, N_S, features] and query [batch_size, N_Q, features].
        """
        numbers = tf.data.Dataset.counter(start=np.int64(first), step=np.int64(batch_size))

        @tf.autograph.experimental.do_not_convert
        def batch(first: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            return self.episodes(first, batch_size)

        return untuned(numbers.map(batch).prefetch(1))
