"""Read the result.json of an earlier evaluation, which somebody may have damaged or written by hand."""

from collections.abc import Mapping
from typing import Any

from tffs.evaluation.figures import METRICS
from tffs.methods.catalogue import YARDSTICKS_OF_CLASSIFIERS
from tffs.workdir import Workdir

FILE = "result.json"
_NUMBERS = (
    "num_selected",
    "support_size",
    "steps",
    "best_step",
    "train_seconds",
    "steps_per_second",
    "distinct",
)
_FIGURES = ("msre", "relative_error")  # in the results of every version; numbers, or null for none


def stored_result(workdir: Workdir) -> dict[str, Any] | None:
    """Give what result.json holds, or None if there is none; it has all that a report is made of."""
    result = workdir.read_json(FILE)
    if result is not None:
        wrong = _wrong(result)
        if wrong:
            raise workdir.not_ours(FILE, wrong)
    return result


def _wrong(result: Mapping[str, Any]) -> str:
    """Say what is wrong with a result; empty if nothing is."""
    missing = [name for name in (*_NUMBERS, *_FIGURES, "selected", "yardsticks") if name not in result]
    if missing:
        return f"it lacks '{missing[0]}'"
    wrong = [name for name in _NUMBERS if not _is_number(result[name])] + _wrong_figures(result)
    if result.get("evaluated_on") not in ("target", "validation"):
        wrong.append("evaluated_on")
    if result.get("evaluated_on") == "target" and not _are_names(result["selected"]):
        wrong.append("selected")
    if result.get("accuracy") is not None:
        wrong += [] if _are_names(result.get("classes")) else ["classes"]
        wrong += [] if _is_number(result.get("chance")) else ["chance"]
    return f"'{wrong[0]}' is not what it should be" if wrong else _wrong_yardsticks(result)


def _wrong_yardsticks(result: Mapping[str, Any]) -> str:
    yardsticks = result["yardsticks"]
    if not isinstance(yardsticks, dict) or not yardsticks.keys() <= YARDSTICKS_OF_CLASSIFIERS.keys():
        return "'yardsticks' is not what it should be"
    for name, figures in yardsticks.items():
        comparable = isinstance(figures, dict) and not _wrong_figures(figures)
        if not comparable or (result.get("accuracy") is not None and figures.get("accuracy") is None):
            return f"the yardstick '{name}' is not what it should be"
    return ""


def _wrong_figures(figures: Mapping[str, Any]) -> list[str]:
    wrong = [name for name in METRICS if not (figures.get(name) is None or _is_number(figures[name]))]
    return wrong + [name for name in _FIGURES if name not in figures]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)
