"""The configuration, as one frozen tree; every flag is a field of it."""

from tffs.config.command import Command, ExperimentConfig, SelectConfig, ServeConfig, TuneConfig
from tffs.config.place import DataPlace
from tffs.config.run import DataConfig, ModelConfig, RunConfig, TrainingConfig

__all__ = [
    "Command",
    "DataConfig",
    "DataPlace",
    "ExperimentConfig",
    "ModelConfig",
    "RunConfig",
    "SelectConfig",
    "ServeConfig",
    "TrainingConfig",
    "TuneConfig",
]
