"""The paper's Concrete selectors with the task posterior as their decoder."""

from typing import Any

import keras
import tensorflow as tf

from tffs.layers.concrete_selector import ConcreteSelector
from tffs.models import protocol
from tffs.models.episodic_model import EpisodicModel
from tffs.models.posterior_selector import PosteriorSelector
from tffs.selection import Choose


@keras.saving.register_keras_serializable("tffs")
class ConcretePosterior(EpisodicModel):
    """Learn which K features the posterior of a task is best told.

    Only the selector learns. In training its choices z [K, features] are relaxed, and what they measure of
    rows x, u = z x, decodes to the conditional mean of one Gaussian,

        x_hat = m + C z^T (z C z^T + eps)^-1 (u - z m),

    where two equal choices tell no more than one. Afterwards the choices are hard, and the posterior infers the
    other features as it does for any choice.

    Args:
        selector: the layer that chooses; `selection="unique"` gives K distinct features.
        posterior: what is known of the source tasks.
    """

    PARTS = ("selector", "posterior")
    num_classes = None

    def __init__(self, selector: ConcreteSelector, posterior: PosteriorSelector, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.selector = selector
        self.posterior = posterior
        self.posterior.trainable = False
        self.num_features = posterior.num_features
        self.num_selected = selector.num_selected
        if selector.least_features > self.num_features:
            raise ValueError(
                f"Expected at least {selector.least_features} features, which the selector chooses from. "
                f"Received: a posterior of {self.num_features}"
            )

    @property
    def abilities(self) -> frozenset[str]:
        """What it can do; see `tffs.models.protocol`."""
        return frozenset({protocol.SELECT, protocol.RECONSTRUCT})

    def build(self, input_shape: Any = None) -> None:
        """Make all weights; the sizes are known, so no data is needed."""
        if not self.selector.built:
            self.selector.build((None, None, self.num_features))
        if not self.posterior.built:
            self.posterior.build()
        self.built = True

    def call(self, inputs: dict[str, Any], tau: Any = 1.0, noise: Any = None) -> tf.Tensor:
        """Decode query rows through relaxed choices: [tasks, rows, features]."""
        support, mask = inputs["support"], inputs.get("support_mask")
        choices = self.selector.relaxed(support, mask, tau, noise)
        prior = self.posterior.prior
        mean = prior(support, mask=mask)[:, None]
        columns = prior.covariance_times(support, choices, mask)  # [tasks, features, K]
        block = tf.linalg.matmul(choices, columns)
        noise_free = tf.linalg.diag_part(block)
        block += tf.linalg.diag(self.posterior.decoder.ridge * noise_free)
        gain = tf.linalg.cholesky_solve(tf.linalg.cholesky(block), tf.linalg.matrix_transpose(columns))
        measured = tf.linalg.matmul(inputs["query"] - mean, choices, transpose_b=True)
        return mean + tf.linalg.matmul(measured, gain)

    def select(self, support: Any, mask: Any = None) -> tf.Tensor:
        """Choose features for each task from its support rows: int32 [tasks, K]."""
        return self.selector.choose(support, mask).indices

    def frozen(self) -> Choose:
        """Give `select`, with scores, for weights that will not change."""
        return self.selector.frozen()

    def confidence(self, support: Any, mask: Any = None) -> tf.Tensor:
        """Give how settled the choice is, from about 1 / M to 1: [tasks]."""
        return self.selector.confidence(support, mask)

    def decode(self, support: Any, values: Any, mask: Any = None) -> tf.Tensor:
        """Infer all features of rows from values [tasks, rows, K] of those that `select` gives."""
        return self.posterior.decode_chosen(support, values, self.select(support, mask), mask)

    def reconstruct(self, support: Any, values: Any, mask: Any = None) -> tf.Tensor:
        """Infer all features of rows from values [tasks, rows, K] of those that `select` gives."""
        return self.decode(support, values, mask)
