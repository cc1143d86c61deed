"""Adam with one fused kernel a variable."""

from collections.abc import Callable, Sequence

import tensorflow as tf


class Adam(tf.Module):
    """Adam as published (Kingma and Ba, algorithm 1), on TensorFlow's fused update.

    The moments' bias corrections are functions of the step, so the only state is the moments themselves.
    The fused kernel adds epsilon to the uncorrected sqrt(v); it is given epsilon * sqrt(1 - beta_2^t), which
    makes the update equal to the published one.

    Args:
        variables: the TensorFlow variables to update.
        learning_rate: the step size, or what gives it for a step, an integer scalar.
        beta_1: decay of the first moment.
        beta_2: decay of the second moment.
        epsilon: keeps the division finite.
    """

    def __init__(
        self,
        variables: Sequence[tf.Variable],
        learning_rate: float | Callable[[tf.Tensor], tf.Tensor],
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
    ) -> None:
        super().__init__()
        self._learning_rate = learning_rate
        self._beta_1, self._beta_2, self._epsilon = beta_1, beta_2, epsilon
        self._variables = list(variables)
        self.first_moments = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
        self.second_moments = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]

    def apply(self, gradients: Sequence[tf.Tensor], step: tf.Tensor) -> None:
        """Update the variables.

        Args:
            gradients: one a variable.
            step: integer scalar, 0 at the first update.
        """
        count = tf.cast(step + 1, tf.float32)
        beta_1_power, beta_2_power = tf.pow(self._beta_1, count), tf.pow(self._beta_2, count)
        rate = self._learning_rate(step) if callable(self._learning_rate) else self._learning_rate
        # Zero, but only known when every gradient is. Without it XLA may update a variable while another
        # gradient still needs its old value, and copies it first.
        after = 0.0 * tf.add_n([tf.reshape(gradient, [-1])[0] for gradient in gradients])
        for variable, first, second, gradient in zip(
            self._variables, self.first_moments, self.second_moments, gradients, strict=True
        ):
            tf.raw_ops.ResourceApplyAdam(
                var=variable.handle,
                m=first.handle,
                v=second.handle,
                beta1_power=beta_1_power,
                beta2_power=beta_2_power,
                lr=rate + after,
                beta1=self._beta_1,
                beta2=self._beta_2,
                epsilon=self._epsilon * tf.sqrt(1.0 - beta_2_power),
                grad=gradient,
            )
