"""Read a search space: a TOML file with one table a flag."""

import os
import tomllib
from typing import Any

from absl import flags

from tffs.errors import UserError
from tffs.flags.checks import check_value
from tffs.search_spaces import published_spaces
from tffs.tuning.space import Choices, Range, Space

# What may differ between trials that can be compared: not the data, not the question (how many features from
# how many rows, measured how), not the seed, and not the steps, which are the budget.
TUNABLE = (
    *("learning_rate", "initial_temperature", "final_temperature", "noise", "episodes_per_step"),
    *("embedding_units", "selector_dim", "pi_stddev", "decoder_units", "task_code_dim"),
)
_OF_RANGES, _SCALES = ("low", "high", "step", "scale"), ("linear", "log")


def read_space(values: flags.FlagValues) -> Space:
    """Read and check the file that --search_space names.

    Args:
        values: the flags; what is not tuned keeps its value from here.

    Returns:
        The space; every mistake in the file raises `UserError`.
    """
    path = _path(values.search_space)
    tables = _tables(path)
    if not tables:
        raise UserError(
            f"The search space {path} names no flag: write a table such as [learning_rate] with low = 0.0001 "
            "and high = 0.01."
        )
    space = tuple(_Table(path, flag, table, values).read() for flag, table in tables.items())
    _check_temperatures(path, space, values)
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
            f"The search space {path} must be a TOML file, but: {error}: mend that; "
            f"{published_spaces()['default']} is an example."
        ) from error
    except OSError as error:
        raise UserError(f"The search space {path} cannot be read ({error.strerror}): mend that.") from error


class _Table:
    """One table of the file.

    Args:
        path: of the file.
        flag: the table's name.
        table: what it holds.
        values: the flags.
    """

    def __init__(self, path: str, flag: str, table: Any, values: flags.FlagValues) -> None:
        self._path = path
        self._flag = flag
        self._table = table
        if flag not in TUNABLE:
            why = "may not be tuned: its trials could not be compared" if flag in values else "is no flag"
            raise self._error(f"{why}; use some of {', '.join(TUNABLE)}")
        self._kind = values[flag].flag_type()

    def read(self) -> Range | Choices:
        """Read and check it."""
        if not isinstance(self._table, dict):
            raise self._error(f"must be a table with low and high, or with choices, but {self._table!r} came")
        unknown = [key for key in self._table if key not in ("choices", *_OF_RANGES)]
        if unknown:
            raise self._error(f"takes low, high, scale and step, or choices, but '{unknown[0]}' came")
        if "choices" not in self._table:
            return self._range()
        if len(self._table) > 1:
            raise self._error("has choices and a range: keep one of them")
        choices = self._table["choices"]
        if not isinstance(choices, list) or not choices:
            raise self._error(f"must have a list of one or more choices, but {choices!r} came")
        return Choices(self._flag, tuple(dict.fromkeys(self._value("choices", choice) for choice in choices)))

    def _range(self) -> Range:
        if self._kind not in ("int", "float"):
            raise self._error('takes no range: write choices = ["...", "..."]')
        missing = [key for key in ("low", "high") if key not in self._table]
        if missing:
            raise self._error(f"has no {missing[0]}: give low and high, or choices")
        low, high = (self._value(key, self._table[key]) for key in ("low", "high"))
        if low > high:
            raise self._error(f"must have a low that is not above its high, but {low} and {high} came")
        scale = self._table.get("scale", "linear")
        if scale not in _SCALES:
            raise self._error(f"must have a scale of {' or '.join(_SCALES)}, but {scale!r} came")
        step = self._table.get("step")
        if step is not None:
            step = self._number("step", step)
            least = 1 if scale == "log" else 0
            if not least < step < float("inf"):
                with_scale = f' with scale = "{scale}"' if least else ""
                raise self._error(f"must have a step above {least}{with_scale}, but {step} came")
        return Range(self._flag, low, high, step, scale)

    def _value(self, key: str, value: Any) -> Any:
        """Check a value as the flag itself would."""
        if self._kind in ("int", "float"):
            settled: Any = self._number(key, value)
            checked = settled
        else:
            if not isinstance(value, str):
                raise self._error(f'must have texts in quotes for {key}, like "32,32", but {value!r} came')
            checked = [part.strip() for part in value.split(",")]
            settled = ",".join(checked)
            checked = settled if self._kind == "string" else checked
        try:
            check_value(self._flag, checked)
        except UserError as error:
            raise self._error(f"has a value for {key} that cannot be: {error}".rstrip(".")) from error
        return settled

    def _number(self, key: str, value: Any) -> Any:
        whole = self._kind == "int"
        if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
            raise self._error(
                f"must have {'whole numbers' if whole else 'numbers'} for {key}, but {value!r} came"
            )
        return value if whole else float(value)

    def _error(self, what: str) -> UserError:
        return UserError(f"[{self._flag}] in the search space {self._path} {what}.")


def _check_temperatures(path: str, space: Space, values: flags.FlagValues) -> None:
    """Check that no trial would have a temperature that rises."""
    ranges = {part.flag: part.choices if isinstance(part, Choices) else (part.low, part.high) for part in space}
    lowest = min(ranges.get("initial_temperature", [values.initial_temperature]))
    highest = max(ranges.get("final_temperature", [values.final_temperature]))
    if highest > lowest:
        raise UserError(
            f"The search space {path} has trials whose final_temperature, up to {highest}, is above their "
            f"initial_temperature, from {lowest}: the temperature falls during training, so keep them apart."
        )
