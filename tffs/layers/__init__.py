"""Keras layers: selector layers, the decoder, the layers that these are built on, and `Scaling`."""

from tffs.layers.calibration import Calibration
from tffs.layers.concrete_select import ConcreteSelect
from tffs.layers.conditional_decoder import ConditionalDecoder
from tffs.layers.deep_sets import DeepSets
from tffs.layers.fixed_features import FixedFeatures
from tffs.layers.novelty import Novelty
from tffs.layers.residual_network import ResidualNetwork
from tffs.layers.scaling import Scaling
from tffs.layers.shared_selector import SharedSelector
from tffs.layers.task_decoder import TaskDecoder
from tffs.layers.task_prior import TaskPrior
from tffs.layers.task_selector import TaskSelector

__all__ = [
    "Calibration",
    "ConcreteSelect",
    "ConditionalDecoder",
    "DeepSets",
    "FixedFeatures",
    "Novelty",
    "ResidualNetwork",
    "Scaling",
    "SharedSelector",
    "TaskDecoder",
    "TaskPrior",
    "TaskSelector",
]
