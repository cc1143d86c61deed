"""Every flag, made from the options of the configuration."""

import functools
from collections.abc import Mapping
from typing import NamedTuple

from absl import flags

from tffs.config import Command
from tffs.config.modes import EVERY
from tffs.options import Option, options, sections

_DEFINE = {
    str: flags.DEFINE_string,
    int: flags.DEFINE_integer,
    float: flags.DEFINE_float,
    bool: flags.DEFINE_boolean,
}


class Flag(NamedTuple):
    """A flag: the option it sets, and the modes that use it."""

    option: Option
    modes: tuple[str, ...]


@functools.cache
def every_flag() -> Mapping[str, Flag]:
    """List every flag by its name, in the order of the help page."""
    return {
        name: Flag(option, option.modes or modes or EVERY)
        for section, modes in sections(Command)
        for name, option in options(section).items()
    }


def define() -> flags.FlagValues:
    """Define every flag of absl's."""
    values = flags.FlagValues()
    for name, (option, _) in every_flag().items():
        define_one(name, option, values)
    return values


def define_one(name: str, option: Option, values: flags.FlagValues) -> None:
    """Define the flag of an option; what it may be is checked with the configuration."""
    if option.several:
        default = [str(part) for part in option.default or ()]
        flags.DEFINE_list(name, default, option.help, flag_values=values)
    else:
        _DEFINE[option.kind](name, option.default, option.help, flag_values=values)


def value_of(option: Option, values: flags.FlagValues) -> object:
    """Give the value of an option's flag."""
    value = values[option.name].value
    return option.parse(value) if option.several else value
