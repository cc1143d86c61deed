"""A recipe: what is left to choose of a posterior, and the model that follows from it."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tffs.data.sums import passes_of
from tffs.layers import Calibration, ConditionalDecoder, TaskPrior
from tffs.models import PosteriorSelector
from tffs.posterior.decoding import Mixture
from tffs.posterior.mixture import Components, Mixed, components_of
from tffs.posterior.prior import Prior, prior_of, priors_of
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
            found = components_of([self._mixed(recipe)], recipe.components, self._seed)[0]
            self._keep(recipe, found)
        return self._mixtures[recipe.components]

    @staticmethod
    def prepare(kitchens: Sequence["Kitchen"], recipe: Recipe) -> None:
        """Compute what a recipe needs for several sources of the same rows in the same passes over them.

        Where rows are read here, each source is better served when it is asked about: then progress is seen.
        """
        if not kitchens or passes_of(kitchens[0].source.matrix) is None:
            return
        without = [one for one in kitchens if not one._priors]
        found = priors_of([one.source for one in without], recipe.full) if without else []
        for one, prior in zip(without, found, strict=True):
            one._priors[recipe.full] = prior
        count = recipe.components
        without = [one for one in kitchens if count and count not in one._mixtures]
        if without:
            mixed = [one._mixed(recipe) for one in without]
            for one, components in zip(without, components_of(mixed, count, without[0]._seed), strict=True):
                one._keep(recipe, components)

    def _mixed(self, recipe: Recipe) -> Mixed:
        return Mixed(self.source, self.weights, self.prior(recipe.full))

    def _keep(self, recipe: Recipe, components: Components) -> None:
        within = self.prior(recipe.full).within
        assert within is not None  # see `mixture.possible`
        self._mixtures[recipe.components] = Mixture(components, within, np.sqrt(self.weights))
