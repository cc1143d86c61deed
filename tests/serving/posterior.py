"""A small posterior model of random statistics, with its names."""

import numpy as np

from tffs.layers import Scaling
from tffs.layers.calibration import Calibration
from tffs.layers.conditional_decoder import ConditionalDecoder
from tffs.layers.novelty import KNOTS, QUANTILES
from tffs.layers.task_prior import TaskPrior
from tffs.models import RawUnitsSelector
from tffs.models.posterior_selector import PosteriorSelector

NAMES = ("Jitter(%)", "PPE", "a b", "größe", "x,y", "r0c0")
M, K = len(NAMES), 3
WIDTH = np.array([1, 2, 3, 0, 5, 6], np.float32)  # 'größe' is constant in the source tasks


def posterior_model(components=2, impute=False, novelty=False, width=WIDTH):
    """Make one in raw units, with random statistics and as many features as `width` has.

    With `novelty` it knows what is usual.
    """
    rng = np.random.default_rng(3)
    M = len(width)  # noqa: N806
    offset = np.arange(M, dtype=np.float32)
    core = PosteriorSelector(TaskPrior(M), ConditionalDecoder(M, components), Calibration(M), K)
    model = RawUnitsSelector(core, Scaling(impute=impute))
    model.build()
    axes = rng.normal(size=(M, M)) / np.sqrt(4 * M) + np.eye(M)
    core.prior.learn(
        rng.normal(size=M), 0.5 + rng.random(M), axes, np.linalg.inv(axes), rng.random(M) * 3, 1.0, 0.2
    )
    factors = rng.normal(size=(components, M, 2))
    core.decoder.centres.assign(rng.normal(size=(components, M)) / 3)
    core.decoder.deviations.assign(factors @ factors.transpose(0, 2, 1) / 5)
    core.learn(0.5 + rng.random(M), rng.normal(size=M) / 5, np.full(M, -50.0), np.full(M, 50.0))
    model.scaling.learn(offset, width, offset + width / 2)
    if novelty:
        compare = core.calibration.novelty
        compare.compare(np.zeros(M), -np.ones(M), np.ones(M), np.ones(M), [np.eye(M)], [np.eye(M)])
        quantiles = np.tile(np.linspace(-4.0, 2.0, QUANTILES), (len(KNOTS), 1))
        compare.learn(np.zeros((len(KNOTS), 3)), np.full((len(KNOTS), 3), 0.25), quantiles)
    return model
