"""Every flag, made from the options of the configuration."""

import functools
from collections.abc import Mapping
from typing import Any, NamedTuple

from absl import flags

from tffs.config import Command
from tffs.config.modes import EVERY
from tffs.options import Option, options, sections


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
    """Define the flag of an option as text; the option itself knows what it may be."""
    if option.several:
        flags.DEFINE_list(name, [str(part) for part in option.default], option.help, flag_values=values)
    elif option.kind is bool:
        flags.DEFINE_boolean(name, option.default, option.help, flag_values=values)
    else:
        default = None if option.default is None else str(option.default)
        flags.DEFINE_string(name, default, option.help, flag_values=values)


def value_of(option: Option, values: flags.FlagValues) -> Any:
    """Give the value of an option's flag; text that is no value of its kind stays text, which is refused."""
    given = values[option.name].value
    return given if given is None or option.kind is bool else option.parse(given)


def written(name: str, value: Any) -> str:
    """Write a flag as a line of a flag file, with the quotes that its kind needs."""
    flag = define()[name]
    flag.value = [str(part) for part in value] if isinstance(value, tuple) else value
    return flag.serialize()
