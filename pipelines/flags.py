"""The flags of the pipelines' programs, made from sections of options."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from absl import flags

from tffs.errors import UserError
from tffs.flags.definitions import define_one, value_of
from tffs.flags.help import option_lines
from tffs.options import InvalidOption, Option, built, options

REPEATED = ("beam_pipeline_args",)  # flags of which each is one value, in which commas may be


def take(argv: Sequence[str], *sections: type) -> tuple[dict[str, Any], list[str]]:
    """Take the flags of sections out of arguments without flag files.

    Args:
        argv: the program's name and its arguments.
        sections: with the options that the flags set.

    Returns:
        The values by the options' names, not checked yet and with absolute paths, and the arguments left.
    """
    described = _described(sections)
    values = flags.FlagValues()
    for name, option in described.items():
        if name in REPEATED:
            flags.DEFINE_multi_string(name, list(option.default), option.help, flag_values=values)
        else:
            define_one(name, option, values)
    try:
        rest = values(list(argv), known_only=True)
    except flags.Error as error:
        raise UserError(f"{' '.join(str(error).split())}; see --help.") from error
    return {name: _value(option, values) for name, option in described.items()}, rest


def only(argv: Sequence[str], section: type) -> Any:
    """Make a section of arguments that must be its flags and nothing else."""
    values, rest = take(argv, section)
    if len(rest) > 1:
        raise UserError(f"Expected only the flags of --help, but received '{rest[1]}'.")
    return made(section, values)


def made(section: type, values: Mapping[str, Any], **others: Any) -> Any:
    """Make a section from values by the options' names; the others are fields that are no options."""
    try:
        return built(section, values, **others)
    except InvalidOption as error:
        raise UserError(f"--{error}") from error


def help_lines(*sections: type) -> list[str]:
    """Write the lines of `--help` on the flags of sections."""
    return [line for option in _described(sections).values() for line in option_lines(option)]


def _described(sections: Sequence[type]) -> dict[str, Option]:
    return {name: option for section in sections for name, option in options(section).items()}


def _value(option: Option, values: flags.FlagValues) -> Any:
    value = value_of(option, values)
    return os.path.abspath(os.path.expanduser(value)) if option.path and value and is_local(value) else value


def is_local(path: str) -> bool:
    """Tell whether a path is one of this machine, not an address like gs://bucket/folder."""
    return "://" not in path
