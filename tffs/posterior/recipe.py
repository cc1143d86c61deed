"""A recipe: what is left to choose of a posterior, and the model that follows from it."""

import dataclasses
import math
from typing import Any

import numpy as np

from tffs.layers import Calibration, ConditionalDecoder, TaskPrior
from tffs.models import PosteriorSelector
from tffs.posterior.mixture import Components, components_of
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
        self._mixtures: dict[int, Components] = {}

    def model(self, recipe: Recipe, num_selected: int = 1) -> PosteriorSelector:
        """Make a model."""
        features = self.source.num_features
        rank = self.rank(recipe)
        prior = TaskPrior(features, rank, name="prior")
        decoder = ConditionalDecoder(features, recipe.components, name="decoder")
        model = PosteriorSelector(prior, decoder, Calibration(features, rank, name="calibration"), num_selected)
        model.build()
        self.teach(model, recipe)
        return model

    def rank(self, recipe: Recipe) -> int | None:
        """Give the rank of a recipe's prior; None if its matrices are full."""
        return self.prior(recipe.full).rank

    def teach(self, model: PosteriorSelector, recipe: Recipe) -> None:
        """Let a model of the same sizes learn a recipe."""
        prior = self.prior(recipe.full)
        model.prior.learn(**prior.arguments, spread=1.0 / recipe.nu)
        model.learn(self.weights, self.source.row_mean(), *self.source.range())
        if recipe.components:
            found = self._components(recipe.components, prior)
            model.decoder.learn(
                RIDGE,
                found.counts,
                found.centres,
                found.covariances - found.pooled,
                found.pooled - prior.within,
                np.sqrt(self.weights),
            )

    def prior(self, full: float = Recipe.full) -> Prior:
        """Give the prior with so much of B's correlations."""
        if full not in self._priors:
            self._priors[full] = prior_of(self.source, full, next(iter(self._priors.values()), None))
        return self._priors[full]

    def _components(self, count: int, prior: Prior) -> Components:
        if count not in self._mixtures:
            self._mixtures[count] = components_of(self.source, count, self.weights, prior, self._seed)
        return self._mixtures[count]
