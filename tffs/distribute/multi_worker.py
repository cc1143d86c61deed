"""Workers in processes of their own, joined by `tf.distribute.MultiWorkerMirroredStrategy`."""

from collections.abc import Sequence

import tensorflow as tf

# What a collective raises when a worker was killed, hangs, cannot be reached or was started anew.
LOSSES = (
    tf.errors.UnavailableError,
    tf.errors.DeadlineExceededError,
    tf.errors.AbortedError,
    tf.errors.CancelledError,
    tf.errors.FailedPreconditionError,
)


class MultiWorker:
    """The workers of a `MultiWorkerMirroredStrategy`, one replica each; see `tffs.training.workers.Workers`.

    Args:
        strategy: made before anything else of TensorFlow ran.
    """

    compiled = False  # XLA has no collectives between processes
    losses: tuple[type[Exception], ...] = LOSSES

    def __init__(self, strategy: tf.distribute.MultiWorkerMirroredStrategy) -> None:
        self._strategy = strategy
        self.count = strategy.num_replicas_in_sync
        resolver = strategy.cluster_resolver
        chiefs = len(resolver.cluster_spec().as_dict().get("chief", []))
        self.index = resolver.task_id + (chiefs if resolver.task_type == "worker" else 0)
        self._sum = tf.function(
            lambda values: self._all_reduced(values, tf.distribute.ReduceOp.SUM), autograph=False
        )

    def mean(self, values: Sequence[tf.Tensor]) -> list[tf.Tensor]:
        """Average float32 tensors over the workers, in one message, inside a `tf.function`."""
        flat = tf.concat([tf.reshape(value, [-1]) for value in values], axis=0)
        flat = self._all_reduced(flat, tf.distribute.ReduceOp.MEAN)
        pieces = tf.split(flat, [value.shape.num_elements() for value in values])
        return [tf.reshape(piece, value.shape) for piece, value in zip(pieces, values, strict=True)]

    def any(self, flag: bool) -> bool:
        """Tell whether `flag` is true on any worker."""
        return bool(self._sum(tf.constant([float(flag)], tf.float64))[0] > 0)

    def from_chief(self, values: Sequence[float]) -> list[float]:
        """Give all workers the values that the chief has; the others' only say how many there are."""
        return [float(value) for value in self._sum(self._chiefs(tf.constant(values, tf.float64)))]

    def copy_from_chief(self, variables: Sequence[tf.Variable]) -> None:
        """Give the variables the values they have on the chief."""
        for dtype in dict.fromkeys(variable.dtype for variable in variables):
            alike = [variable for variable in variables if variable.dtype == dtype]
            flat = tf.concat([tf.reshape(variable, [-1]) for variable in alike], axis=0)
            pieces = tf.split(
                self._sum(self._chiefs(flat)), [variable.shape.num_elements() for variable in alike]
            )
            for variable, piece in zip(alike, pieces, strict=True):
                variable.assign(tf.reshape(piece, variable.shape))

    def _chiefs(self, values: tf.Tensor) -> tf.Tensor:
        """Give what to add so that the sum over the workers is the chief's."""
        return values if self.index == 0 else tf.zeros_like(values)

    def _all_reduced(self, values: tf.Tensor, op: tf.distribute.ReduceOp) -> tf.Tensor:
        def reduced(values: tf.Tensor) -> tf.Tensor:
            # A tensor that no op of this function made has no device, which all_reduce refuses.
            return tf.distribute.get_replica_context().all_reduce(op, tf.identity(values))

        return self._strategy.run(reduced, (values,))
