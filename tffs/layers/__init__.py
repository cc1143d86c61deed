"""Keras layers: selector layers, the decoder, the layers that these are built on, and `Scaling`."""

from tffs.layers.concrete_select import ConcreteSelect
from tffs.layers.deep_sets import DeepSets
from tffs.layers.fixed_features import FixedFeatures
from tffs.layers.scaling import Scaling
from tffs.layers.shared_selector import SharedSelector
from tffs.layers.task_decoder import TaskDecoder
from tffs.layers.task_selector import TaskSelector

__all__ = [
    "ConcreteSelect",
    "DeepSets",
    "FixedFeatures",
    "Scaling",
    "SharedSelector",
    "TaskDecoder",
    "TaskSelector",
]
