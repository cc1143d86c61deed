"""Read the result.json of an earlier evaluation, which somebody may have damaged or written by hand."""

from collections.abc import Mapping
from typing import Any

from tffs.evaluation.figures import METRICS
from tffs.evaluation.result import LEFT_OUT, TARGET, VALIDATION
from tffs.methods.catalogue import COMPARABLE
from tffs.workdir import Workdir

FILE = "result.json"
BY_COUNT = "by_count.json"  # what was measured of tasks and features, for several numbers of features
_NUMBERS = ("num_selected", "support_size", "train_seconds", "distinct")
_OF_TRAINING = ("steps", "best_step", "steps_per_second")  # null for a method that trains nothing
_FIGURES = ("msre", "relative_error")  # in the results of every version; numbers, or null for none


def stored_result(workdir: Workdir) -> dict[str, Any] | None:
    """Give what result.json holds, or None if there is none; it has all that a report is made of."""
    result = workdir.read_json(FILE)
    if result is not None:
        wrong = _wrong(result)
        if wrong:
            raise workdir.not_ours(FILE, wrong)
    return result


def result_with_counts(workdir: Workdir) -> dict[str, Any] | None:
    """Give what result.json and by_count.json hold; `by_count` is None where a run has no such file."""
    result = stored_result(workdir)
    if result is None:
        return None
    by_count = workdir.read_json(BY_COUNT)
    if by_count is not None and not _fits(by_count, result):
        raise workdir.not_ours(BY_COUNT, "it does not fit result.json")
    return {**result, "by_count": by_count}


def _fits(by_count: Mapping[str, Any], result: Mapping[str, Any]) -> bool:
    """Tell whether figures by count are of the tasks and features of a result."""
    try:
        counts, tasks, features = (len(by_count["counts"]), len(result["tasks"]), len(result["features"]))
        by_task, by_feature = by_count["tasks"], by_count["features"]
        return (
            len(by_count["stability"]) == counts
            and {"measured", "expected"} <= by_task.keys()
            and {"rmse", "share", "coverage", "chosen"} <= by_feature.keys()
            and all([len(row) for row in rows] == [counts] * tasks for rows in by_task.values())
            and all([len(row) for row in rows] == [features] * counts for rows in by_feature.values())
        )
    except (KeyError, TypeError, AttributeError):
        return False


def write_result(workdir: Workdir, result: Mapping[str, Any]) -> dict[str, Any]:
    """Write a result; its `by_count` goes into a file of its own, which is too long to be read by people.

    Returns:
        What result.json holds.
    """
    result = dict(result)
    by_count = result.pop("by_count", None)
    if by_count is not None:
        workdir.write_json(BY_COUNT, by_count, indent=None)
    return workdir.write_json(FILE, result)


def _wrong(result: Mapping[str, Any]) -> str:
    """Say what is wrong with a result; empty if nothing is."""
    missing = [
        name for name in (*_NUMBERS, *_OF_TRAINING, *_FIGURES, "selected", "yardsticks") if name not in result
    ]
    if missing:
        return f"it lacks '{missing[0]}'"
    trained = any(result[name] is not None for name in _OF_TRAINING) or not result.get("chosen")
    numbers: tuple[str, ...] = (*_NUMBERS, *_OF_TRAINING) if trained else _NUMBERS
    if _classifies(result):
        numbers += ("accuracy", "chance")
        if not _are_names(result.get("classes")):
            return "'classes' must be a list of names"
    wrong = [name for name in numbers if not _is_number(result.get(name))]
    if wrong:
        return f"'{wrong[0]}' must be a number"
    if result.get("evaluated_on") not in (TARGET, LEFT_OUT, VALIDATION, None):
        return f"'evaluated_on' must be '{TARGET}', '{LEFT_OUT}', '{VALIDATION}' or null"
    if result["evaluated_on"] != VALIDATION and not _are_names(result["selected"]):
        return "'selected' must be a list of names"
    return _wrong_figures(result) or _wrong_yardsticks(result)


def _classifies(result: Mapping[str, Any]) -> bool:
    return result.get("accuracy") is not None or result.get("classes") is not None


def _wrong_yardsticks(result: Mapping[str, Any]) -> str:
    yardsticks = result["yardsticks"]
    if not isinstance(yardsticks, dict) or not yardsticks.keys() <= set(COMPARABLE):
        return "'yardsticks' must be an object of the figures of methods"
    for name, figures in yardsticks.items():
        wrong = _wrong_figures(figures) if isinstance(figures, dict) else "it must be an object"
        if not wrong and _classifies(result) and figures.get("accuracy") is None:
            wrong = "it lacks 'accuracy'"
        if wrong:
            return f"yardstick '{name}': {wrong}"
    return ""


def _wrong_figures(figures: Mapping[str, Any]) -> str:
    for name in METRICS:
        if not (figures.get(name) is None or _is_number(figures[name])):
            return f"'{name}' must be a number or null"
    missing = [name for name in _FIGURES if name not in figures]
    return f"it lacks '{missing[0]}'" if missing else ""


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)
