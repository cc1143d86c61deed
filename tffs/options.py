"""Options: the fields of the configuration that a person may set, each described in one place.

A section is a frozen dataclass whose fields are options. Flags, their checks, the help page, `config.json` and
the search space are all made from these descriptions.
"""

import dataclasses
import functools
import os
import re
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

from tffs.errors import UserError

LARGEST = 2**31 - 1
# Where float32 has its full precision, with room for products.
SMALLEST_NUMBER, LARGEST_NUMBER = 1e-30, 1e30
_MISSING = dataclasses.MISSING


class InvalidOption(UserError):
    """An option has a value that it may not have; the message begins with the option's name."""


@dataclasses.dataclass(frozen=True)
class Allowed:
    """What an option may be.

    Attributes:
        expected: completes the sentence "<option> must be ...".
        accepts: tells whether a value may be; a tuple is checked as a whole.
    """

    expected: str
    accepts: Callable[[Any], bool]


def one_of(*choices: str) -> Allowed:
    """Allow one of a few names."""
    return Allowed(f"one of {', '.join(choices)}", lambda value: value in choices)


def some_of(*choices: str) -> Allowed:
    """Allow one or more of a few names."""
    return Allowed(f"some of {', '.join(choices)}", lambda value: bool(value) and set(value) <= set(choices))


def whole(low: int, high: int = LARGEST) -> Allowed:
    """Allow whole numbers."""
    return Allowed(f"a whole number from {low} to {high}", lambda value: low <= value <= high)


def wholes(low: int, high: int = LARGEST, example: str = "2,4,6") -> Allowed:
    """Allow one or more whole numbers."""
    return Allowed(
        f"whole numbers from {low} to {high}, separated by commas, like {example}",
        lambda value: bool(value) and all(low <= number <= high for number in value),
    )


def number(low: float = SMALLEST_NUMBER, high: float = LARGEST_NUMBER) -> Allowed:
    """Allow numbers; the default range is that of positive ones."""
    return Allowed(f"a number from {low} to {high}", lambda value: low <= value <= high)


def text(expected: str, pattern: str) -> Allowed:
    """Allow texts, or lists of texts, that match a regular expression."""
    matches = re.compile(pattern).fullmatch
    return Allowed(expected, lambda value: all(map(matches, (value,) if isinstance(value, str) else value)))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Option:
    """The description of one option.

    Attributes:
        name: of the option, which is also its flag's name.
        field: of the section's dataclass that holds it.
        kind: `str`, `int`, `float` or `bool`: the type of the value, or of its parts.
        several: whether the value is a tuple of `kind`.
        may_be_none: whether it may have no value.
        default: its value where none is given.
        help: one line for people.
        allowed: what it may be, or None for anything.
        group: the title it is listed under.
        modes: the modes that use it, or None for those that use its section.
        methods: the methods of runs that use it, or None for all.
        tunable: whether a search may change it.
        path: whether it is a path, in which ~ stands for the home folder.
        before: its value in configurations stored before it existed; MISSING if it always did.
    """

    name: str
    field: str
    kind: type
    several: bool
    may_be_none: bool
    default: Any
    help: str
    allowed: Allowed | None = None
    group: str = ""
    modes: tuple[str, ...] | None = None
    methods: tuple[str, ...] | None = None
    tunable: bool = False
    path: bool = False
    before: Any

    def check(self, value: Any) -> None:
        """Raise `InvalidOption` unless the value is one that the option may have."""
        if value is None and self.may_be_none:
            return
        if not self._has_kind(value) or (self.allowed is not None and not self.allowed.accepts(value)):
            expected = f"a list of {_KINDS[self.kind][1]}" if self.several else _KINDS[self.kind][0]
            expected = self.allowed.expected if self.allowed is not None else expected
            raise InvalidOption(f"{self.name} must be {expected}, but received {_shown(value)}.")

    def parse(self, words: str | list[str]) -> Any:
        """Turn the text of a flag, or its parts, into a value."""
        try:
            return tuple(self.kind(word) for word in words) if self.several else self.kind(words)
        except ValueError:
            return words  # which `check` refuses

    def _has_kind(self, value: Any) -> bool:
        parts = value if self.several and isinstance(value, tuple) else (value,)
        if self.several != isinstance(value, tuple):
            return False
        kinds = (int, float) if self.kind is float else self.kind
        return all(
            isinstance(part, kinds) and (self.kind is bool or not isinstance(part, bool)) for part in parts
        )


_KINDS = {
    str: ("a text", "texts"),
    int: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
    bool: ("true or false", "true or false"),
}


def option(default: Any, help: str, allowed: Allowed | None = None, **others: Any) -> Any:
    """Describe a field of a section; `others` are attributes of `Option`.

    A default of MISSING makes the option required. Its name is that of the field, and its group that of the
    section, where nothing else is said.
    """
    return dataclasses.field(default=default, metadata={"option": {"help": help, "allowed": allowed, **others}})


def part(modes: tuple[str, ...] | None = None, default: Any = _MISSING) -> Any:
    """Describe a field that is a section; `modes` are those that use its options."""
    return dataclasses.field(default=default, metadata={"modes": modes})


class Section:
    """A frozen dataclass of options; a value that is not allowed raises `InvalidOption` when it is made.

    A subclass names the title that its options are listed under: `class Model(Section, group="Model")`.
    """

    group: ClassVar[str] = ""

    def __init_subclass__(cls, *, group: str = "", **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.group = group

    def __post_init__(self) -> None:
        for described in self._options().values():
            described.check(getattr(self, described.field))

    def _options(self) -> Mapping[str, Option]:
        kind: Any = type(self)
        return options(kind)

    def to_options(self) -> dict[str, Any]:
        """Give the values by the options' names."""
        return {name: getattr(self, found.field) for name, found in self._options().items()}


@functools.cache
def options(section: Any) -> Mapping[str, Option]:
    """List the options of a section, by name; those of sections inside it are not among them."""
    hints = typing.get_type_hints(section)
    found = {}
    for field in dataclasses.fields(section):
        if "option" in field.metadata:
            usual = {"name": field.name, "group": section.group, "before": _MISSING}
            described = {**usual, **field.metadata["option"]}
            several, may_be_none, kind = _kind(hints[field.name])
            default = None if field.default is _MISSING else field.default
            found[described["name"]] = Option(
                field=field.name,
                kind=kind,
                several=several,
                may_be_none=may_be_none,
                default=default,
                **described,
            )
    return types.MappingProxyType(found)


def built(section: Any, values: Mapping[str, Any], **others: Any) -> Any:
    """Make a section, with the sections inside it, from values by the options' names.

    A value that is not there is that of configurations from before the option, or a KeyError.

    Args:
        section: which.
        values: those of its options; others are passed over.
        others: fields that are no options, and sections inside it that are made already.
    """
    hints, arguments = typing.get_type_hints(section), dict(others)
    for field in dataclasses.fields(section):
        if "modes" in field.metadata and field.name not in others:
            arguments[field.name] = built(hints[field.name], values)
    for name, described in options(section).items():
        if name not in values and described.before is _MISSING:
            raise KeyError(name)
        value = values.get(name, described.before)
        if isinstance(value, list):
            value = tuple(value)
        elif described.path and isinstance(value, str):
            value = os.path.expanduser(value)
        arguments[described.field] = value
    return section(**arguments)


def sections(tree: type, modes: tuple[str, ...] | None = None) -> Iterator[tuple[type, tuple[str, ...] | None]]:
    """List the sections inside a section, then itself, each with the modes that use it."""
    hints = typing.get_type_hints(tree)
    for field in dataclasses.fields(tree):
        for kind in (hints[field.name], *typing.get_args(hints[field.name])):
            if isinstance(kind, type) and issubclass(kind, Section):
                yield from sections(kind, field.metadata.get("modes") or modes)
    yield tree, modes


def _kind(hint: Any) -> tuple[bool, bool, type]:
    """Tell of a type hint like `tuple[int, ...] | None` whether it is a tuple, may be None, and of what."""
    may_be_none = typing.get_origin(hint) in (typing.Union, types.UnionType)
    if may_be_none:
        hint = next(kind for kind in typing.get_args(hint) if kind is not type(None))
    if typing.get_origin(hint) is tuple:
        return True, may_be_none, typing.get_args(hint)[0]
    return False, may_be_none, hint


def _shown(value: Any) -> str:
    return f"'{','.join(map(str, value))}'" if isinstance(value, (list, tuple)) else repr(value)
