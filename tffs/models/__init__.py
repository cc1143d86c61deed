"""Keras models: the few-shot selector, and the same decoder on a fixed choice of features."""

from tffs.models.few_shot_selector import FewShotSelector
from tffs.models.fixed_selector import FixedSelector

__all__ = ["FewShotSelector", "FixedSelector"]
