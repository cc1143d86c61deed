"""What is measured of a fitted selector on tasks that were left out, when it is first asked for."""

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:  # they import TensorFlow, which a client of a server does without
    from tffs.methods.fitted import FittedRun
    from tffs.planning.setting import Setting
    from tffs.running.watcher import Watcher


class LeftOutFigures:
    """Figures of tasks that were left out; measuring them takes longer than fitting, so that it is done late.

    Args:
        setting: the run; it holds the rows.
        fitted: its model.
        watcher: is told how it goes.
        labels: what the tasks are called in `groups`.
    """

    def __init__(
        self, setting: "Setting", fitted: "FittedRun", watcher: "Watcher", labels: Sequence[Any]
    ) -> None:
        self._run: tuple[Setting, FittedRun, Watcher] | None = (setting, fitted, watcher)
        self._facts: Mapping[str, Any] | None = None
        self._labels: Sequence[Any] | None = labels
        self._lock = threading.Lock()

    @classmethod
    def known(cls, facts: Mapping[str, Any] | None) -> "LeftOutFigures":
        """Give figures that were measured before; None where none were."""
        figures = cls.__new__(cls)
        figures.__setstate__({"facts": facts if facts and facts.get("tasks") else None, "labels": None})
        return figures

    def without_measuring(self) -> "LeftOutFigures":
        """Give the figures that are known by now."""
        figures = type(self).__new__(type(self))
        figures.__setstate__(self.__getstate__())
        return figures

    @property
    def measured(self) -> bool:
        """Whether they were measured already."""
        return self._facts is not None

    def facts(self) -> Mapping[str, Any]:
        """Give what result.json holds of them; AttributeError where they cannot be measured."""
        facts = self.facts_or_none()
        if facts is None:
            raise AttributeError(
                "Nothing was measured on tasks left out: that takes a selector of method='posterior' with "
                "folds of at least 2, fitted to two tasks or more, and no copy of it that was pickled "
                "before it was asked."
            )
        return facts

    def facts_or_none(self) -> Mapping[str, Any] | None:
        """Give what result.json holds of them; None where they cannot be measured."""
        with self._lock:
            if self._facts is None and self._run is not None:
                self._facts = _measured(*self._run)
            return self._facts

    def task_errors(self) -> pd.DataFrame:
        """Give a line for each task that was left out."""
        lines = [
            {**{name: value for name, value in task.items() if name != "yardsticks"}, **task["yardsticks"]}
            for task in self.facts()["tasks"]
        ]
        frame = pd.DataFrame(lines).set_index("task")
        return (
            frame
            if self._labels is None
            else frame.set_axis(pd.Index(self._labels, name="task", tupleize_cols=False))
        )

    def feature_errors(self) -> pd.DataFrame:
        """Give a line for each feature."""
        return pd.DataFrame(self.facts()["features"]).set_index("feature").astype(float)

    def __getstate__(self) -> dict[str, Any]:
        """Give the figures without the rows that they are measured on, which may not be for other eyes."""
        return {"facts": self._facts, "labels": self._labels}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._run = None
        self._facts = state["facts"]
        self._labels = state["labels"]
        self._lock = threading.Lock()


def _measured(setting: "Setting", fitted: "FittedRun", watcher: "Watcher") -> Mapping[str, Any] | None:
    from tffs.config.run import FOLDS
    from tffs.evaluation.left_out import measured_on_left_out
    from tffs.evaluation.result import LEFT_OUT, source_rows
    from tffs.methods.catalogue import CLOSED_FORM, Posterior, method_of_runs
    from tffs.methods.posterior import FittedPosterior
    from tffs.startup import quiet_tracing

    method = method_of_runs(setting.config)
    if setting.config.data.target_task != FOLDS:
        return None
    assert isinstance(method, Posterior)
    assert isinstance(fitted, FittedPosterior)
    with quiet_tracing():
        found = measured_on_left_out(method, setting, fitted, CLOSED_FORM, watcher.share)
    if found is None:
        return None
    return {
        "evaluated_on": LEFT_OUT,
        "num_selected": setting.config.model.num_selected,
        "support_size": setting.config.data.support_size,
        "relative_error": found.own.relative_error,
        "source_rows": source_rows(setting),
        **found.unseen,
    }
