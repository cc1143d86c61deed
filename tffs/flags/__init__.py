"""The command line: every flag defined, parsed and checked, without importing TensorFlow."""

from tffs.flags.command import parse
from tffs.flags.help import HELP, help_text

__all__ = ["HELP", "help_text", "parse"]
