"""A trial: what is to be trained, and its outcome."""

import dataclasses
from collections.abc import Sequence
from typing import Any

DEFAULT = "default"  # the run with its own flags, which tuned ones are compared with


@dataclasses.dataclass(frozen=True)
class Job:
    """A training to be done.

    Attributes:
        trial: the trial's number, as keras-tuner writes it, or `DEFAULT`.
        flags: the tuned flags.
        steps: how long to train.
    """

    trial: str
    flags: dict[str, Any]
    steps: int


@dataclasses.dataclass(frozen=True)
class Figures:
    """What a training gave.

    Attributes:
        validation_loss: of the hard selection on the fixed validation episodes, at the best step; the mean over
            the folds, where there are several.
        distinct: the mean number of distinct features there.
        best_step: the step whose weights were best, in the fold that validates as the run itself does.
        seconds: wall time, of all folds.
    """

    validation_loss: float
    distinct: float
    best_step: int
    seconds: float


@dataclasses.dataclass(frozen=True)
class Row:
    """A trial that has ended.

    Attributes:
        trial: its number, or `DEFAULT`.
        flags: the tuned flags, or the run's own.
        steps: how long it was trained.
        figures: its outcome, or None if it failed.
        error: why it failed, or None.
    """

    trial: str
    flags: dict[str, Any]
    steps: int
    figures: Figures | None
    error: str | None = None

    @property
    def loss(self) -> float:
        """The validation loss; infinite for a trial that failed."""
        return float("inf") if self.figures is None else self.figures.validation_loss

    def to_json(self) -> dict[str, Any]:
        """Flatten to what a line of trials.jsonl holds."""
        names = [field.name for field in dataclasses.fields(Figures)]
        figures = dict.fromkeys(names) if self.figures is None else dataclasses.asdict(self.figures)
        return {
            "trial": self.trial,
            "status": "failed" if self.figures is None else "ok",
            "steps": self.steps,
            **figures,
            "flags": self.flags,
            "error": self.error,
        }


def best_of(rows: Sequence[Row], steps: int) -> Row | None:
    """Give the row of lowest loss among those trained for all `steps`; the default's, where none is lower.

    Shorter trainings decide what is trained longer; their losses are those of another schedule.
    """
    full = [row for row in rows if row.figures is not None and row.steps == steps]
    return min(full, key=lambda row: (row.loss, row.trial != DEFAULT), default=None)


def named(trial: str) -> str:
    """Give a trial's name for a sentence."""
    return "the default" if trial == DEFAULT else f"trial {trial}"
