"""What rows are likely to be, in NumPy, as `ConditionalDecoder` gives it.

All rows of a question have the same features A measured. With the triangle L of C_AA + eps = L L^T,

    x_hat = m + C_:A (C_AA + eps)^-1 (u - m_A) = m + (L^-1 C_A:)^T L^-1 (u - m_A),

and the variance that is left is that of C less the squares of L^-1 C_A:. One Gaussian is a mixture of one.
"""

import dataclasses

import numpy as np

from tffs.layers.conditional_decoder import LEAST_MEASURED, POOLED_ROWS, POWER
from tffs.posterior.belief import Belief
from tffs.posterior.mixture import Components


@dataclasses.dataclass(frozen=True)
class Mixture:
    """The components of rows about their task's mean.

    Attributes:
        components: what was estimated.
        within: W, [features, features].
        metric: [features], what features are multiplied by in distances from centres.
    """

    components: Components
    within: np.ndarray
    metric: np.ndarray

    def about_centres(self, belief: Belief) -> np.ndarray:
        """Give the support rows about the centres that are nearest to them: [questions, support, features]."""
        about, root, centres = belief.about, belief.root[:, None, None], self.metric * self.components.centres
        trust = belief.trust[:, None]
        distances = root * np.square(centres).sum(axis=1) - 2.0 * (self.metric * about) @ centres.T
        nearest = self.components.centres[distances.argmin(axis=2)]
        return np.where(about.any(axis=2, keepdims=True), about - root * trust * nearest, 0.0)

    def columns(self, features: np.ndarray) -> np.ndarray:
        """Give the columns of W_g - W of features [questions, k]: [questions, components, k, features]."""
        pooled = self.components.pooled[features]
        columns = self.components.covariances[:, features]  # in place from here on: there may be many
        columns -= pooled
        columns *= self._shares(features)[:, None, None, None]
        columns += pooled - self.within[features]
        return columns.transpose(1, 0, 2, 3)

    def variances(self, features: np.ndarray) -> np.ndarray:
        """Give the diagonals of W_g - W where features [questions, k] are measured: [components, features]."""
        share = self._shares(features)[:, None]
        own = np.diagonal(self.components.covariances, axis1=1, axis2=2)
        return share * own + (1.0 - share) * np.diag(self.components.pooled) - np.diag(self.within)

    def _shares(self, features: np.ndarray) -> np.ndarray:
        """Give how much of W_g is the component's own, n_g / (n_g + n0)."""
        counts = self.components.counts
        return counts / (counts + POOLED_ROWS * max(features.shape[1], LEAST_MEASURED))


class Decoding:
    """Rows of questions, inferred from some of their features.

    Args:
        belief: what is known of the tasks.
        mixture: None for one Gaussian.
        ridge: eps, the variance of a measurement as a share of the feature's variance.
        features: int [questions, k], which were measured.
        values: [questions, rows, k].
    """

    def __init__(
        self, belief: Belief, mixture: Mixture | None, ridge: float, features: np.ndarray, values: np.ndarray
    ) -> None:
        self._belief = belief
        about = belief.about if mixture is None else mixture.about_centres(belief)
        known = belief.before
        noise = ridge * np.take_along_axis(known + np.square(belief.about).sum(axis=1), features, axis=1)
        seen = np.take_along_axis(about, features[:, None], axis=2)
        columns = (belief.columns(features) + seen.transpose(0, 2, 1) @ about)[:, None]
        away = (values - np.take_along_axis(belief.mean, features, axis=1)[:, None])[:, None]
        self._variances = (known + np.square(about).sum(axis=1))[:, None]
        self._centres = np.zeros((1, belief.mean.shape[1]), belief.mean.dtype)
        counts = np.ones(1)
        if mixture is not None:
            own = belief.own[:, None, None]
            of_components = mixture.columns(features)
            of_components *= own[..., None]
            of_components += columns
            columns = of_components
            self._variances = self._variances + own * mixture.variances(features)
            self._centres, counts = mixture.components.centres, mixture.components.counts
            away = away - self._centres[:, features].transpose(1, 0, 2)[:, :, None]
        block = np.take_along_axis(columns, features[:, None, None], axis=3)
        block += noise[:, None, None] * np.eye(features.shape[1], dtype=block.dtype)
        triangle = np.linalg.cholesky(block)
        inverse = np.linalg.inv(triangle)
        self._half = inverse @ columns  # L^-1 C_A:
        self._standard = away @ inverse.transpose(0, 1, 3, 2)  # L^-1 (u - m_A)
        likelihoods = -0.5 * np.square(self._standard).sum(axis=3)
        likelihoods -= np.log(np.diagonal(triangle, axis1=2, axis2=3)).sum(axis=2)[..., None]
        logits = POWER * likelihoods + np.log(counts)[:, None]
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        self._shares = (shares / shares.sum(axis=1, keepdims=True)).astype(block.dtype)  # r_g

    def mean(self) -> np.ndarray:
        """Give x_hat: [questions, rows, features]. All components are one product."""
        questions, components, rows, measured = self._standard.shape
        weighted = (self._shares[..., None] * self._standard).transpose(0, 2, 1, 3)
        inside = weighted.reshape(questions, rows, components * measured)
        answer = inside @ self._half.reshape(questions, components * measured, self._half.shape[3])
        answer += self._shares.transpose(0, 2, 1) @ self._centres
        answer += self._belief.mean[:, None]
        return answer

    def variance(self) -> np.ndarray:
        """Give the variance within components and that between their answers: [questions, rows, features]."""
        left = np.maximum(self._variances - np.square(self._half).sum(axis=2), 0.0)
        answers = self._centres[:, None] + self._standard @ self._half
        shares = self._shares[..., None]
        answers -= (shares * answers).sum(axis=1, keepdims=True)
        return (shares * (left[:, :, None] + np.square(answers))).sum(axis=1)
