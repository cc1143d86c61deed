"""Keras layers of the method: `ConcreteSelect`, `DeepSets`, the two layers built on them, and `Scaling`."""

from tffs.layers.concrete_select import ConcreteSelect
from tffs.layers.deep_sets import DeepSets
from tffs.layers.scaling import Scaling
from tffs.layers.task_decoder import TaskDecoder
from tffs.layers.task_selector import TaskSelector

__all__ = ["ConcreteSelect", "DeepSets", "Scaling", "TaskDecoder", "TaskSelector"]
