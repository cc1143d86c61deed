"""Peers that choose features from pooled rows, each with the decoder that its own documentation offers.

Every variant of a peer is in about as many lines as its user would write. It takes rows [rows, features] and K,
and gives the features and a function from their values [rows, K] to rows [rows, features].
"""

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

Decode = Callable[[np.ndarray], np.ndarray]
Choose = Callable[[np.ndarray, int], tuple[np.ndarray, Decode]]

MOST_MODES = 200  # of PySensors' TPGR
LEAST = 1e-6  # a singular value below this share of the largest one is no mode


class Sensors:
    """Sensors that PySensors placed, and its reconstruction.

    Args:
        rows: to learn from.
        count: K.
        modes: of the basis.
        optimizer: QR, CCQR or TPGR.
    """

    def __init__(
        self,
        rows: np.ndarray,
        count: int,
        modes: int,
        optimizer: Any,
    ) -> None:
        from pysensors.basis import SVD
        from pysensors.reconstruction import SSPOR

        self.mean = rows.mean(axis=0)
        self.model = SSPOR(SVD(n_basis_modes=modes, random_state=0), optimizer, n_sensors=count)
        self.model.fit(rows - self.mean, quiet=True, seed=0)
        self.features = np.asarray(self.model.get_selected_sensors())

    def decode(self, values: np.ndarray, noise: float | None = None, method: str | None = None) -> np.ndarray:
        """Reconstruct rows from the values of the sensors.

        Args:
            values: [rows, sensors].
            noise: of a sensor, as a share of the mean singular value; None for PySensors' default, all of it.
            method: of `predict`.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that the noise is set to its default
            away = self.model.predict(
                values - self.mean[self.features], method=method, noise=self._absolute(noise)
            )
        return self.mean + away

    def reading(self, features: np.ndarray) -> "Sensors":
        """Take other features for the sensors."""
        self.features = self.model.ranked_sensors_ = features
        self.model.set_number_of_sensors(len(features))
        return self

    def std(self, noise: float) -> np.ndarray:
        """Give what PySensors says of the uncertainty of each feature."""
        return self.model.std("decreasing", self._absolute(noise))

    def _absolute(self, noise: float | None) -> float | None:
        return None if noise is None else noise * float(self.model.singular_values.mean())


def placed(sensors: Sensors, **how: Any) -> tuple[np.ndarray, Decode]:
    """Give the features and the decoder."""
    return sensors.features, functools.partial(sensors.decode, **how)


def pysensors_qr(
    rows: np.ndarray, count: int, noise: float | None = None, method: str | None = None
) -> tuple[np.ndarray, Decode]:
    """Take the QR pivots of the first K modes."""
    from pysensors.optimizers import QR

    return placed(Sensors(rows, count, count, QR()), noise=noise, method=method)


def pysensors_tpgr(rows: np.ndarray, count: int, noise: float) -> tuple[np.ndarray, Decode]:
    """Let the two-point greedy algorithm choose with a Gaussian prior over all modes."""
    from pysensors.optimizers import TPGR

    values = np.linalg.svd(rows - rows.mean(axis=0), compute_uv=False)
    modes = min(int((values > LEAST * values[0]).sum()), MOST_MODES)
    size = noise * float(values[:modes].mean()) / np.sqrt(len(rows))
    return placed(Sensors(rows, count, modes, TPGR(n_sensors=count, noise=size)), noise=noise)


def cur(rows: np.ndarray, count: int) -> tuple[np.ndarray, Decode]:
    """Choose columns by their weight in the first singular vector, and project the others on them."""
    from skmatter.feature_selection import CUR

    return _skmatter(CUR(n_to_select=count), rows)


def fps(rows: np.ndarray, count: int, widest: bool) -> tuple[np.ndarray, Decode]:
    """Choose columns far from each other, from the first one or from that of highest variance on."""
    from skmatter.feature_selection import FPS

    start = int(rows.var(axis=0).argmax()) if widest else 0
    return _skmatter(FPS(n_to_select=count, initialize=start), rows)


def _skmatter(selector: Any, rows: np.ndarray) -> tuple[np.ndarray, Decode]:
    """Reconstruct by the ridge regression that scikit-matter's reconstruction errors use by default."""
    from skmatter.linear_model import Ridge2FoldCV
    from skmatter.preprocessing import StandardFlexibleScaler

    features = np.flatnonzero(selector.fit(rows - rows.mean(axis=0)).get_support())
    given, wanted = StandardFlexibleScaler().fit(rows[:, features]), StandardFlexibleScaler().fit(rows)
    regression = Ridge2FoldCV(
        alphas=np.geomspace(1e-9, 0.9, 20),
        alpha_type="relative",
        regularization_method="cutoff",
        random_state=0,
        shuffle=True,
        scoring="neg_root_mean_squared_error",
    ).fit(given.transform(rows[:, features]), wanted.transform(rows))
    return features, lambda values: wanted.inverse_transform(regression.predict(given.transform(values)))


def fastcan(rows: np.ndarray, count: int, components: float) -> tuple[np.ndarray, Decode]:
    """Choose the features most correlated with so many principal components for each of the K."""
    from fastcan import FastCan
    from sklearn.decomposition import PCA
    from sklearn.linear_model import LinearRegression

    targets = PCA(min(max(int(components * count), 1), rows.shape[1]), random_state=0).fit_transform(rows)
    features = np.asarray(FastCan(count, verbose=0).fit(rows, targets).indices_)
    return features, LinearRegression().fit(rows[:, features], rows).predict


PEERS: dict[str, dict[str, Choose]] = {
    "PySensors QR": {
        "regularized": pysensors_qr,
        "regularized, a tenth of the noise": functools.partial(pysensors_qr, noise=0.1),
        "least squares": functools.partial(pysensors_qr, method="unregularized"),
    },
    "PySensors TPGR": {
        f"noise {noise:g}": functools.partial(pysensors_tpgr, noise=noise) for noise in (0.1, 0.3, 1.0)
    },
    "scikit-matter CUR": {"default": cur},
    "scikit-matter FPS": {
        "from the first feature": functools.partial(fps, widest=False),
        "from the widest feature": functools.partial(fps, widest=True),
    },
    "fastcan": {
        "K components": functools.partial(fastcan, components=1.0),
        "K / 2 components": functools.partial(fastcan, components=0.5),
    },
}
