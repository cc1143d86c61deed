"""Read a search space: a TOML file with one table a flag."""

import os
import tomllib
from typing import Any

from tffs.config import RunConfig
from tffs.config.run import RUN_OPTIONS
from tffs.errors import UserError
from tffs.options import InvalidOption
from tffs.search_spaces import published_spaces
from tffs.tuning.space import Choices, Range, Space

# What may differ between trials that can be compared: not the data, not the question (how many features from
# how many rows, measured how), not the seed, and not the steps, which are the budget.
TUNABLE = tuple(name for name, option in RUN_OPTIONS.items() if option.tunable)
_OF_RANGES, _SCALES = ("low", "high", "step", "scale"), ("linear", "log")


def read_space(given: str, run: RunConfig) -> Space:
    """Read and check a search space.

    Args:
        given: the path of a TOML file, or the name of a published space.
        run: what is not tuned keeps its value from here.

    Returns:
        The space; every mistake in the file raises `UserError`.
    """
    path = _path(given)
    tables = _tables(path)
    if not tables:
        raise UserError(
            f"The search space {path} names no flag: write a table such as [learning_rate] with low = 0.0001 "
            "and high = 0.01."
        )
    space = tuple(_Table(path, flag, table).read() for flag, table in tables.items())
    _check_temperatures(path, space, run)
    return space


def _path(given: str) -> str:
    path, known = os.path.expanduser(given), published_spaces()
    if os.path.isfile(path):
        return path
    if given in known:
        return known[given]
    raise UserError(
        f"--search_space={given} is not there: give the path of a TOML file, or one of the published "
        f"{', '.join(known)}."
    )


def _tables(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(
            f"The search space {path} must be a TOML file, but: {error}: correct it; "
            f"{published_spaces()['default']} is an example."
        ) from error
    except OSError as error:
        raise UserError(f"The search space {path} cannot be read ({error.strerror}): correct it.") from error


class _Table:
    """One table of the file.

    Args:
        path: of the file.
        flag: the table's name.
        table: what it holds.
    """

    def __init__(self, path: str, flag: str, table: Any) -> None:
        self._path = path
        self._flag = flag
        self._table = table
        if flag not in TUNABLE:
            why = (
                "may not be tuned: its trials could not be compared"
                if flag in RUN_OPTIONS
                else "is no flag of a run"
            )
            raise self._error(f"{why}; use some of {', '.join(TUNABLE)}")
        self._option = RUN_OPTIONS[flag]

    def read(self) -> Range | Choices:
        """Read and check it."""
        if not isinstance(self._table, dict):
            raise self._error(
                f"must be a table with low and high, or with choices, but received {self._table!r}"
            )
        unknown = [key for key in self._table if key not in ("choices", *_OF_RANGES)]
        if unknown:
            raise self._error(f"takes low, high, scale and step, or choices, but received '{unknown[0]}'")
        if "choices" not in self._table:
            return self._range()
        if len(self._table) > 1:
            raise self._error("has choices and a range: keep one of them")
        choices = self._table["choices"]
        if not isinstance(choices, list) or not choices:
            raise self._error(f"must have a list of one or more choices, but received {choices!r}")
        return Choices(self._flag, tuple(dict.fromkeys(self._value("choices", choice) for choice in choices)))

    def _range(self) -> Range:
        if not self._is_number:
            raise self._error('takes no range: write choices = ["...", "..."]')
        missing = [key for key in ("low", "high") if key not in self._table]
        if missing:
            raise self._error(f"has no {missing[0]}: give low and high, or choices")
        low, high = (self._value(key, self._table[key]) for key in ("low", "high"))
        if low > high:
            raise self._error(f"must have a low that is not above its high, but received {low} and {high}")
        scale = self._table.get("scale", "linear")
        if scale not in _SCALES:
            raise self._error(f"must have a scale of {' or '.join(_SCALES)}, but received {scale!r}")
        step = self._table.get("step")
        if step is not None:
            step = self._number("step", step)
            least = 1 if scale == "log" else 0
            if not least < step < float("inf"):
                with_scale = f' with scale = "{scale}"' if least else ""
                raise self._error(f"must have a step above {least}{with_scale}, but received {step}")
        return Range(self._flag, low, high, step, scale)

    @property
    def _is_number(self) -> bool:
        return self._option.kind in (int, float) and not self._option.several

    def _value(self, key: str, value: Any) -> Any:
        """Check a value as the flag itself would."""
        if self._is_number:
            settled: Any = self._number(key, value)
            checked = settled
        else:
            if not isinstance(value, str):
                raise self._error(f'must have texts in quotes for {key}, like "32,32", but received {value!r}')
            words = [part.strip() for part in value.split(",")]
            settled = ",".join(words)
            checked = self._option.parse(words if self._option.several else settled)
        try:
            self._option.check(checked)
        except InvalidOption as error:
            raise self._error(f"has a value for {key} that is not allowed: {error}".rstrip(".")) from error
        return settled

    def _number(self, key: str, value: Any) -> Any:
        whole = self._option.kind is int
        if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
            raise self._error(
                f"must have {'whole numbers' if whole else 'numbers'} for {key}, but received {value!r}"
            )
        return value if whole else float(value)

    def _error(self, what: str) -> UserError:
        return UserError(f"[{self._flag}] in the search space {self._path} {what}.")


def _check_temperatures(path: str, space: Space, run: RunConfig) -> None:
    """Check that no trial would have a temperature that rises."""
    ranges = {part.flag: part.choices if isinstance(part, Choices) else (part.low, part.high) for part in space}
    lowest = min(ranges.get("initial_temperature", [run.training.initial_temperature]))
    highest = max(ranges.get("final_temperature", [run.training.final_temperature]))
    if highest > lowest:
        raise UserError(
            f"The search space {path} has trials whose final_temperature, up to {highest}, is above their "
            f"initial_temperature, from {lowest}: the temperature falls during training, so keep them apart."
        )
