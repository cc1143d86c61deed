"""What training.json holds: how the model beside it was fitted, so that a finished run can be loaded again."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from tffs.methods.fitted import FittedRun
from tffs.training.trainer import TrainingSummary

_NO_TRAINING = dict.fromkeys(field.name for field in dataclasses.fields(TrainingSummary))


@dataclasses.dataclass(frozen=True)
class FitRecord:
    """How a run was fitted.

    Attributes:
        seconds: what fitting took.
        summary: of its gradient descent, or None where there was none.
        facts: what was chosen, as JSON can hold it; empty where the method leaves nothing to choose.
    """

    seconds: float
    summary: TrainingSummary | None
    facts: dict[str, Any]

    @classmethod
    def of(cls, fitted: FittedRun) -> "FitRecord":
        """Take what is to be kept of a fit."""
        return cls(fitted.seconds, fitted.summary, fitted.facts)

    def to_json(self) -> dict[str, Any]:
        """Give what training.json holds."""
        figures = _NO_TRAINING if self.summary is None else dataclasses.asdict(self.summary)
        return {**figures, "seconds": self.seconds, "chosen": self.facts or None}

    @classmethod
    def from_json(cls, figures: Mapping[str, Any]) -> "FitRecord":
        """Build from what training.json holds; before 0.7.0 every run was trained, and nothing was chosen.

        What is missing or of another kind raises ValueError.
        """
        facts = figures.get("chosen") or {}
        if not isinstance(facts, dict):
            raise ValueError(f"chosen must be an object, but is {facts!r}")
        trained = not facts or figures.get("best_step") is not None
        summary = TrainingSummary.from_json(dict(figures)) if trained else None
        seconds = figures.get("seconds", summary and summary.train_seconds)
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
            raise ValueError(f"seconds must be a number, but is {seconds!r}")
        return cls(seconds, summary, facts)
