"""A recipe: what is left to choose of a posterior, and the model that follows from it."""

import dataclasses
import math
from typing import Any

import numpy as np

from tffs.layers import Calibration, ConditionalDecoder, TaskPrior
from tffs.models import PosteriorSelector
from tffs.posterior.decoding import Mixture
from tffs.posterior.mixture import components_of
from tffs.posterior.prior import Prior, prior_of
from tffs.posterior.source import Source

RIDGE = 1e-3  # not chosen: from 1e-5 to 1e-2 errors were equal on Parkinson's and the paper's data


@dataclasses.dataclass(frozen=True)
class Recipe:
    """What sums over rows do not tell.

    Attributes:
        full: how much of B is the covariance of the task means; the rest is the diagonal of it.
        nu: how little the tasks' covariances differ: W counts as so many rows. Infinity if they are all W.
        components: G, of the decoder's mixture; 0 for one Gaussian.
    """

    full: float = 0.9
    nu: float = 100.0
    components: int = 0

    def facts(self) -> dict[str, Any]:
        """Give it as results hold it; None stands for infinity."""
        return {**dataclasses.asdict(self), "nu": None if math.isinf(self.nu) else self.nu, "ridge": RIDGE}


class Kitchen:
    """Makes models of one source by recipes, and computes what several recipes share once.

    Args:
        source: the tasks to learn from, in scaled units.
        weights: [features], how much an error of each feature counts.
        seed: of the mixture.
    """

    def __init__(self, source: Source, weights: np.ndarray, seed: int) -> None:
        self.source = source
        self.weights = weights
        self._seed = seed
        self._priors: dict[float, Prior] = {}
        self._mixtures: dict[int, Mixture] = {}

    def model(self, recipe: Recipe, num_selected: int = 1) -> PosteriorSelector:
        """Make a model."""
        features = self.source.num_features
        prior, mixture = self.prior(recipe.full), self.mixture(recipe)
        model = PosteriorSelector(
            TaskPrior(features, prior.rank, name="prior"),
            ConditionalDecoder(features, recipe.components, name="decoder"),
            Calibration(features, prior.rank, name="calibration"),
            num_selected,
        )
        model.build()
        model.prior.learn(**prior.arguments, spread=1.0 / recipe.nu)
        model.learn(self.weights, self.source.row_mean(), *self.source.range())
        if mixture is not None:
            found = mixture.components
            model.decoder.learn(
                RIDGE,
                found.counts,
                found.centres,
                found.covariances - found.pooled,
                found.pooled - mixture.within,
                mixture.metric,
            )
        return model

    def prior(self, full: float = Recipe.full) -> Prior:
        """Give the prior with so much of B's correlations."""
        if full not in self._priors:
            self._priors[full] = prior_of(self.source, full, next(iter(self._priors.values()), None))
        return self._priors[full]

    def mixture(self, recipe: Recipe) -> Mixture | None:
        """Give the mixture of a recipe's decoder; None if it is one Gaussian."""
        if not recipe.components:
            return None
        if recipe.components not in self._mixtures:
            prior = self.prior(recipe.full)
            assert prior.within is not None  # see `mixture.possible`
            found = components_of(self.source, recipe.components, self.weights, prior, self._seed)
            self._mixtures[recipe.components] = Mixture(found, prior.within, np.sqrt(self.weights))
        return self._mixtures[recipe.components]
