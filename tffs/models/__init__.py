"""Keras models: the few-shot selector, the same in raw units, and its decoder on a fixed choice of features."""

from tffs.models.few_shot_selector import FewShotSelector
from tffs.models.fixed_selector import FixedSelector
from tffs.models.loading import load_model
from tffs.models.raw_units_selector import RawUnitsSelector

__all__ = ["FewShotSelector", "FixedSelector", "RawUnitsSelector", "load_model"]
