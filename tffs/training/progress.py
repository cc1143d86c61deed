"""Where training stands, as a line for a person."""

import math
from collections.abc import Callable
from typing import NamedTuple, Protocol, TextIO

from tffs.live_line import LiveLine


class Status(NamedTuple):
    """Where training stands.

    Attributes:
        step: steps done.
        steps: steps in all.
        loss: mean training loss of the last steps.
        validation_loss: the last validation's, NaN before the first.
        tau: the temperature, NaN where there is none.
        distinct: distinct features at the last validation, NaN where nothing is chosen.
        num_selected: K.
        confidence: mean highest probability at the last validation.
        steps_per_second: the recent rate.
        seconds_left: an estimate, NaN before there is one.
        loss_name: what the validation's loss is called.
    """

    step: int
    steps: int
    loss: float
    validation_loss: float
    tau: float
    distinct: float
    num_selected: int
    confidence: float
    steps_per_second: float
    seconds_left: float
    loss_name: str = "MSRE"


def line(status: Status) -> str:
    """Write one status as a line; what is not known yet is left out."""
    width = len(str(status.steps))
    parts = [f"step {status.step:>{width}}/{status.steps}", f"loss {status.loss:.4g}"]
    if not math.isnan(status.validation_loss):
        parts.append(f"validation {status.loss_name} {status.validation_loss:.4g}")
    if not math.isnan(status.tau):
        parts.append(f"tau {status.tau:.3g}")
    if not math.isnan(status.validation_loss) and not math.isnan(status.distinct):
        parts += [f"distinct {status.distinct:.1f}/{status.num_selected}", f"max p {status.confidence:.2f}"]
    if not math.isnan(status.steps_per_second):
        parts.append(f"{status.steps_per_second:,.0f} steps/s")
    if not math.isnan(status.seconds_left):
        parts.append(f"{duration(status.seconds_left)} left")
    return "  ".join(parts)


_ABBREVIATIONS = {
    "step ": "",
    "validation MSRE": "val",
    "validation loss": "val",
    "distinct": "dist",
    "max p": "p",
    " steps/s": "/s",
    " min ": "m",
    "  ": " ",
}


def fitted(text: str, width: int) -> str:
    """Shorten a line to `width` characters, by abbreviations if they suffice."""
    for word, abbreviation in _ABBREVIATIONS.items():
        if len(text) <= width:
            break
        text = text.replace(word, abbreviation)
    return text[:width]


def duration(seconds: float) -> str:
    """Write a duration: 45 s, 3 min 20 s, 2 h 05 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


class Watch(Protocol):
    """Whatever is called with where training stands."""

    def update(self, status: Status, final: bool = False) -> None:
        """Hear where training stands."""

    def end(self) -> None:
        """Hear that training has ended."""


class Silent:
    """Shows nothing."""

    def update(self, status: Status, final: bool = False) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""


class Progress:
    """Shows statuses on `stream`, as often as a person can read them.

    Args:
        stream: usually standard error.
        label: what is being trained, put before every line.
        before: is called before a line is written.
    """

    def __init__(self, stream: TextIO, label: str = "", before: Callable[[], None] = lambda: None) -> None:
        self._line = LiveLine(stream, fitted)
        self._before = before
        self._label = f"{label}: " if label else ""
        self._last = -1

    def update(self, status: Status, final: bool = False) -> None:
        """Show `status` if it is time to, or in any case if it is the final one."""
        if final and not self._line.live and self._last == status.step:
            return
        self._before()
        if self._line.write(self._label + line(status), final):
            self._last = status.step

    def end(self) -> None:
        """End the live line, so that what follows starts on a line of its own."""
        self._line.end()
