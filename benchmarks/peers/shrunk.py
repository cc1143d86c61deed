"""The strongest simple method: the covariance within tasks, and a mean shrunk towards the source tasks'."""

import dataclasses

import numpy as np

RIDGE = 1e-3  # of a feature's variance


@dataclasses.dataclass(frozen=True)
class Gaussian:
    """A Gaussian to choose and to infer with.

    Attributes:
        mean: [features].
        covariance: [features, features].
    """

    mean: np.ndarray
    covariance: np.ndarray

    def chosen(self, count: int) -> np.ndarray:
        """Choose K features greedily, as `greedy` of the catalogue does."""
        import tensorflow as tf

        from tffs.selection.covariance import DenseCovariance
        from tffs.selection.greedy import greedy

        covariance = DenseCovariance(tf.constant(self.covariance[None], tf.float32))
        return np.asarray(greedy(covariance, tf.ones(len(self.mean)), tf.constant(RIDGE), count).indices)[0]

    def inferred(self, features: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Infer rows from the values of some features: means [rows, features] and one variance a feature."""
        across = self.covariance[features]
        block = (
            across[:, features] + RIDGE * np.diag(np.diag(across[:, features])) + 1e-12 * np.eye(len(features))
        )
        gain = np.linalg.solve(block, across)
        left = np.diag(self.covariance) - np.einsum("ka,ka->a", across, gain)
        return self.mean + (values - self.mean[features]) @ gain, np.maximum(left, 0.0)


def shrunk(source: np.ndarray, groups: np.ndarray, support: np.ndarray) -> Gaussian:
    """Learn from source tasks, and let the support say where the new task's mean is.

    Args:
        source: [rows, features].
        groups: whose row it is.
        support: [N_S, features].
    """
    counts = np.bincount(groups)
    means = np.stack([source[groups == task].mean(axis=0) for task in range(len(counts))])
    within = source - means[groups]
    covariance = within.T @ within / max(len(source) - len(counts), 1)
    variance, center = np.diag(covariance), means.mean(axis=0)
    between = np.maximum(means.var(axis=0, ddof=1) - variance * np.mean(1.0 / counts), 0.0)
    trust = len(support) * between / (len(support) * between + variance + 1e-12)
    mean = center + trust * (support.mean(axis=0) - center) if len(support) else center
    return Gaussian(mean, covariance + np.diag((1.0 - trust) * between))
