"""The command line: every flag defined, parsed and checked, without importing TensorFlow."""

from tffs.flags.command import parse
from tffs.flags.help import HELP, help_text
from tffs.flags.modes import AFTER_TRAINING, MODES, OF_EXPERIMENTS

__all__ = ["AFTER_TRAINING", "HELP", "MODES", "OF_EXPERIMENTS", "help_text", "parse"]
