"""Keras models: a selector layer and a decoder layer put together, and the same in raw units."""

from tffs.models.assembly import concrete_model, fixed_model
from tffs.models.concrete_posterior import ConcretePosterior
from tffs.models.few_shot_selector import FewShotSelector
from tffs.models.loading import load_model
from tffs.models.posterior_selector import PosteriorSelector
from tffs.models.raw_units_selector import RawUnitsSelector

__all__ = [
    "ConcretePosterior",
    "FewShotSelector",
    "PosteriorSelector",
    "RawUnitsSelector",
    "concrete_model",
    "fixed_model",
    "load_model",
]
