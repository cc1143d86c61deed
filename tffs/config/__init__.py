"""The configuration, as one frozen tree; every flag is a field of it."""

from tffs.config.command import Command, ExperimentConfig, ServeConfig, TuneConfig
from tffs.config.place import DataPlace
from tffs.config.question import QuestionConfig
from tffs.config.run import DataConfig, ModelConfig, RunConfig, TrainingConfig

__all__ = [
    "Command",
    "DataConfig",
    "DataPlace",
    "ExperimentConfig",
    "ModelConfig",
    "QuestionConfig",
    "RunConfig",
    "ServeConfig",
    "TrainingConfig",
    "TuneConfig",
]
