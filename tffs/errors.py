"""The exceptions that reach a person as one sentence instead of a traceback, and how they are worded."""

import math
import re
import sys
import warnings
from collections.abc import Sequence


class UserError(ValueError):
    """A mistake that a person can correct, at the command line or in Python.

    The message is one sentence that says what was expected, what was received and what to do.

    Example:
        >>> import tffs
        >>> try:
        ...     tffs.load_model("runs/nothing_here")
        ... except tffs.UserError as error:
        ...     print(error)
        runs/nothing_here is not there: give the workdir of a finished run, or its model.keras.
        >>> issubclass(tffs.UserError, ValueError)
        True
    """


class Interrupted(Exception):
    """Training was asked to stop (SIGTERM or Ctrl-C) and has saved its state.

    Args:
        step: the step that was saved.
    """

    def __init__(self, step: int) -> None:
        super().__init__(f"stopped at step {step}")
        self.step = step


class WorkerLost(Exception):
    """Another worker of a training was lost; what the chief saved is whole.

    Args:
        step: the step that this worker had reached.
    """

    def __init__(self, step: int) -> None:
        super().__init__(f"a worker was lost at about step {step}")
        self.step = step


def warn(sentence: str) -> None:
    """Warn the person, at the line of their own code that called tffs."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "tffs":
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, UserWarning, stacklevel=level)


def reason(error: Exception) -> str:
    """Give the telling part of an error's text: without TensorFlow's node names, and rather its end."""
    text = " ".join(re.sub(r"\{\{.*?\}\}|\[Op:\w+\]( name:)?", "", str(error)).split())
    return text if len(text) <= 160 else f"... {text[-160:]}"


def one_line(text: str) -> str:
    """Write text from a file in one line, for a sentence."""
    return " ".join(text.split())


def listed(names: Sequence[str], most: int = 5) -> str:
    """List names for a sentence, the first few of many."""
    shown = ", ".join(f"'{one_line(name)}'" for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def why_not_finite(value: float) -> str:
    """Say what is wrong with a value that is no finite 32-bit number, and what to do."""
    if math.isnan(value):
        return "is missing (NaN): fill it in or give another row"
    return "is infinite or too large for 32-bit numbers: check its unit"
