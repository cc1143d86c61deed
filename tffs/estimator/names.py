"""What Python and the command line call differently, and a sentence about flags in the words of Python."""

import contextlib
import functools
import re
from collections.abc import Collection, Iterator

from tffs.config.modes import ASKING
from tffs.config.run import RUN_OPTIONS
from tffs.errors import UserError
from tffs.flags.definitions import every_flag
from tffs.options import InvalidOption, Option

# The flag of a parameter that has another name there; docs/howto/python.md has the same tables.
FLAG_OF = {
    "n_features_to_select": "num_selected",
    "random_state": "seed",
    "groups": "task_column",
    "checkpoint_dir": "workdir",
    "path": "table",
    "place": "model",
}
# What does the same as a mode.
CALL_OF = {
    "run": "fit_table()",
    "train": "fit()",
    "evaluate": "task_errors_",
    "export": "export()",
    "select": "adapt()",
    "reconstruct": "reconstruct()",
    "assess": "assess()",
}
_PARAMETER_OF = {flag: parameter for parameter, flag in FLAG_OF.items()}
# Options of a run that are parameters of their own, or that decide what is left out.
_NOT_OF_METHOD = (
    "dataset",
    "scaling",
    "missing",
    "target_task",
    "folds",
    "num_selected",
    "method",
    "seed",
    "loss",
)
OF_METHOD = tuple(name for name in RUN_OPTIONS if name not in _NOT_OF_METHOD)  # what method_params may hold
_PHRASES = {
    "give its command again with": "repeat its",
    "give the run's command again": "repeat the run's call",
    "the same command": "the same call",
    "repeat the command": "repeat the call",
    "give the flags of that run": "give the parameters of that run",
}
# A value ends before a space, and before punctuation that a space or the end follows.
_VALUE = r"(?:[^\s,;:.()]|[,;:.](?=[^\s]))+"
# A flag, or the name of one that was not given, as `tffs.differences` writes it.
_FLAG = re.compile(rf"(?:--([a-z_]+)|(?<!\S)({'|'.join(_PARAMETER_OF)})(?==))(?:=({_VALUE}))?")


def in_python(sentence: str, keep: Collection[str] = ()) -> str:
    """Put a sentence about flags into the words of Python.

    Args:
        sentence: names flags like --num_selected=30.
        keep: flags that the parameters of the function that was called are named after.

    >>> in_python("--num_selected=30 is more than there are: choose at most 20, or --scaling=none.")
    "n_features_to_select=30 is more than there are: choose at most 20, or scaling='none'."
    """
    for words, others in _PHRASES.items():
        sentence = sentence.replace(words, others)
    return _FLAG.sub(functools.partial(_parameter, keep), sentence)


@contextlib.contextmanager
def said_in_python(keep: Collection[str] = ()) -> Iterator[None]:
    """Let a `UserError` of the block speak of parameters instead of flags; see `in_python`."""
    try:
        yield
    except UserError as error:
        # An option's own message begins with its name.
        sentence = f"--{error}" if isinstance(error, InvalidOption) else str(error)
        error.args = (in_python(sentence, keep), *error.args[1:])
        raise


def _parameter(keep: Collection[str], found: re.Match[str]) -> str:
    """Write a flag as a parameter; one that Python does not have stays."""
    name, value = found[1] or found[2], found[3]
    flag = every_flag().get(name)
    if name == "mode":
        return CALL_OF.get(value, found[0])
    if flag is None or not {"run", *ASKING} & set(flag.modes):
        return found[0]
    shown = name if name in keep else _PARAMETER_OF.get(name, name)
    literal = None if value is None else _literal(flag.option, value)
    if name in OF_METHOD:
        return f"method_params['{name}']" if literal is None else f"method_params={{'{name}': {literal}}}"
    return shown if literal is None else f"{shown}={literal}"


def _literal(option: Option, value: str) -> str:
    """Write the value of a flag as Python does."""
    if option.kind is bool:
        return value.capitalize()
    if value == "none" and option.may_be_none and option.kind is not str:
        return "None"
    if option.several:
        return repr(list(option.parse(value.split(","))))
    return repr(value) if isinstance(option.parse(value), str) else value
