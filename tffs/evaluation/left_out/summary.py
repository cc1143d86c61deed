"""Put together what was measured on tasks that a posterior has not seen, for result.json and for people."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tffs.evaluation.curve import suggested
from tffs.evaluation.figures import Figures
from tffs.evaluation.left_out.examiner import Examined, TaskFigures
from tffs.evaluation.left_out.swaps import swaps
from tffs.evaluation.stability import mean_jaccard
from tffs.planning.setting import Setting

EXTREME = 0.5  # few rows are extreme if they make more than this share of a task's error
LISTED_EXTREMES = 10
COMPARED_TASKS = 200  # for how stable choices are over tasks
SPREAD = (10.0, 90.0)  # percentiles over tasks that show how much errors differ
SHOWN_COUNT = 55  # figures of each task and feature are kept for at most so many measured features, or for K
DIGITS = 4  # of these figures


class Summary:
    """The figures of tasks that were left out, or of the held-out one.

    Args:
        found: what was measured.
        counts: numbers of measured features that errors were measured with.
        setting: the run.
    """

    def __init__(self, found: Examined, counts: Sequence[int], setting: Setting) -> None:
        figures = found.tasks
        self._figures = figures
        self._sums = found.features
        self._counts = tuple(counts)
        self._setting = setting
        self._names = setting.tasks.feature_names
        self._varies = setting.statistics.high > setting.statistics.low
        self._selected = setting.config.model.num_selected
        self._at = self._counts.index(self._selected)
        self._shares = np.stack([one.relative(one.errors) for one in figures])  # [tasks, counts]
        self._unknown = np.stack([one.relative(one.nothing_known) for one in figures])
        self._beside = {
            name: np.stack([one.relative(one.yardsticks[name]) for one in figures])
            for name in figures[0].yardsticks
        }

    def own(self, selected: Sequence[int]) -> Figures:
        """Give the medians over tasks as a run's figures."""
        errors = [one.errors[self._at] for one in self._figures]
        return self._medians(errors, self._shares[:, self._at], tuple(map(int, selected)))

    def yardsticks(self) -> dict[str, Figures]:
        """Give the same for the yardsticks."""
        return {
            name: self._medians([one.yardsticks[name][self._at] for one in self._figures], found[:, self._at])
            for name, found in self._beside.items()
        }

    def _medians(self, errors: Sequence[float], shares: np.ndarray, selected: tuple[int, ...] = ()) -> Figures:
        msre = float(np.median(errors))
        return Figures(
            msre=msre,
            msre_unmeasured=msre,  # what was measured comes back as it is
            relative_error=_number(_median(shares)),
            accuracy=None,
            ari=None,
            nmi=None,
            distinct=self._selected,
            selected=selected,
        )

    def facts(self) -> dict[str, Any]:
        """Give what result.json holds of the tasks, the curve, the features, stability and extremes."""
        return {
            "tasks": [self._task(place) for place in range(len(self._figures))],
            "curve": self._curve(),
            "features": self.features(),
            "stability": self._stability(),
            "swaps": swaps(
                [
                    choice
                    for one in self._figures
                    for choice in (self._chosen(one).tolist(), *one.others.tolist())
                ],
                self._names,
            ),
            "extremes": self._extremes(),
            "by_count": self._by_count(),
        }

    def left_out(self, folds: int) -> dict[str, Any]:
        """Give the figures over all left-out tasks."""
        shares = self._shares[:, self._at]
        known = not np.isnan(shares).all()
        worst = self._figures[int(np.nanargmax(shares))].exam.name if known else None
        return {
            "tasks": len(self._figures),
            "folds": folds,
            "relative_error": {
                "median": _number(_median(shares)),
                "mean": _number(_mean(shares)),
                "worst": _number(float(np.nanmax(shares)) if known else math.nan),
                "worst_task": worst,
            },
            "expected_error": self._expected(self._selected),
            "coverage": self._sums.coverage(self._at, self._varies),
            "below": {name: int((shares < found[:, self._at]).sum()) for name, found in self._beside.items()},
            "suggested_num_selected": self.suggested(),
        }

    def suggested(self) -> int:
        """Give from how many features on little is gained, by the expected errors."""
        return suggested(np.median([one.expected for one in self._figures], axis=0).tolist())

    def features(self) -> list[dict[str, Any]]:
        """Give for each feature how well it is known where it is not measured, and how often it is chosen."""
        return self._lines(self._at)

    def _lines(self, place: int) -> list[dict[str, Any]]:
        width = np.asarray(self._setting.scaling.width, np.float64)
        return self._sums.lines(place, self._names, width, len(self._figures))

    def _by_count(self) -> dict[str, Any]:
        """Give what was measured of each task and each feature for other numbers of features than K, too."""
        places = [
            place for place, count in enumerate(self._counts) if count <= max(SHOWN_COUNT, self._selected)
        ]
        counts = [self._counts[place] for place in places]
        lines = [self._lines(place) for place in places]
        tasks: dict[str, Any] = {
            "measured": self._shares[:, places],
            "expected": np.stack([one.expected[counts] for one in self._figures]),
            **self._beside_at(places),
        }
        orders = [one.order for one in self._figures[:COMPARED_TASKS]]
        return {
            "counts": counts,
            "tasks": {name: [_short(row) for row in found.tolist()] for name, found in tasks.items()},
            "features": {
                part: [_short([line[part] for line in one]) for one in lines]
                for part in ("rmse", "share", "coverage", "chosen")
            },
            "stability": _short(
                [mean_jaccard([order[:count].tolist() for order in orders]) for count in counts]
            ),
        }

    def _beside_at(self, places: Sequence[int]) -> dict[str, np.ndarray]:
        return {name: found[:, list(places)] for name, found in self._beside.items()}

    def _chosen(self, one: TaskFigures) -> np.ndarray:
        return one.order[: self._selected]

    def _task(self, place: int) -> dict[str, Any]:
        one = self._figures[place]
        return {
            "task": one.exam.name,
            "rows": len(one.exam.rows),
            "support_rows": len(one.exam.support),
            "relative_error": _number(self._shares[place, self._at]),
            "error_of_mean": _number(one.by_mean),
            "expected_error": _number(one.expected[self._selected]),
            "coverage": _number(_mean(one.covered[self._varies])),
            "novelty": _number(one.novelty),
            "selected": [self._names[feature] for feature in self._chosen(one)],
            "yardsticks": {name: _number(found[place, self._at]) for name, found in self._beside.items()},
        }

    def _curve(self) -> list[dict[str, Any]]:
        return [
            {
                "num_selected": count,
                "expected": self._expected(count),
                "measured": _number(_median(self._shares[:, place])),
                **self._spread("measured", self._shares[:, place]),
                "nothing_known": _number(_median(self._unknown[:, place])),
                **self._spread("nothing_known", self._unknown[:, place]),
                "yardsticks": {name: _number(_median(found[:, place])) for name, found in self._beside.items()},
            }
            for place, count in enumerate(self._counts)
        ]

    def _spread(self, what: str, shares: np.ndarray) -> dict[str, float | None]:
        """Give between which errors most tasks lie."""
        known = shares[~np.isnan(shares)]
        low, high = np.percentile(known, SPREAD) if len(known) else (math.nan, math.nan)
        return {f"{what}_low": _number(low), f"{what}_high": _number(high)}

    def _expected(self, count: int) -> float | None:
        return _number(_median(np.asarray([one.expected[count] for one in self._figures])))

    def _stability(self) -> dict[str, float | None]:
        """Give mean Jaccard indices of choices over supports of a task, and over tasks."""
        within = [
            mean_jaccard([self._chosen(one).tolist(), *one.others.tolist()])
            for one in self._figures
            if len(one.others)
        ]
        over = [self._chosen(one).tolist() for one in self._figures[:COMPARED_TASKS]]
        known = [one for one in within if one is not None]
        return {"supports": float(np.mean(known)) if known else None, "tasks": mean_jaccard(over)}

    def _extremes(self) -> list[dict[str, Any]]:
        """Give the cells of few rows that make most of a task's error, the most extreme task first."""
        tasks = self._setting.tasks
        offset, width = (
            np.asarray(part, np.float64) for part in (self._setting.scaling.offset, self._setting.scaling.width)
        )
        first = dict(zip(tasks.task_names, tasks.offsets, strict=False))
        found = []
        for one in sorted(self._figures, key=lambda one: -one.extreme_share):
            for cell in one.extremes if one.extreme_share > EXTREME else ():
                raw = [
                    float(value * width[cell.feature] + offset[cell.feature])
                    for value in (cell.value, cell.inferred)
                ]
                found.append(
                    {
                        "task": one.exam.name,
                        "row": int(cell.row - first[one.exam.name]) + 1,
                        "feature": self._names[cell.feature],
                        "value": raw[0],
                        "inferred": raw[1],
                        "share": one.extreme_share,
                    }
                )
        return found[:LISTED_EXTREMES]


def _mean(values: np.ndarray) -> float:
    """Give the mean of the values that there are."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def _median(values: np.ndarray) -> float:
    """Give the median of the values that there are."""
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else math.nan


def _number(value: float) -> float | None:
    """Give a number as JSON can hold it."""
    return float(value) if math.isfinite(value) else None


def _short(values: Sequence[float | None]) -> list[float | None]:
    """Give numbers with few digits, as JSON can hold them."""
    return [
        None if value is None or not math.isfinite(value) else float(f"{value:.{DIGITS}g}") for value in values
    ]
