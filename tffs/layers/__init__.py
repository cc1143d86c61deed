"""Keras layers of the method: `ConcreteSelect`, `DeepSets` and the two layers built on them."""

from tffs.layers.concrete_select import ConcreteSelect
from tffs.layers.deep_sets import DeepSets
from tffs.layers.task_decoder import TaskDecoder
from tffs.layers.task_selector import TaskSelector

__all__ = ["ConcreteSelect", "DeepSets", "TaskDecoder", "TaskSelector"]
