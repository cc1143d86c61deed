"""`FewShotFeatureSelector`: few-shot feature selection as scikit-learn's users know it."""

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state

from tffs.errors import UserError
from tffs.estimator.choice import AUTO, Choice, Limits, choose
from tffs.estimator.feature_count import feature_count
from tffs.estimator.learned_attributes import LearnedAttributes
from tffs.estimator.names import said_in_python
from tffs.estimator.rows import as_given, by_place, in_order, rows_to_fit, selected_columns
from tffs.estimator.sklearn_compat import NanTag, validated
from tffs.serving.answers import Reconstruction
from tffs.serving.frames import as_rows

if TYPE_CHECKING:
    from tffs.estimator.assessing import Assessment
    from tffs.estimator.left_out_figures import LeftOutFigures
    from tffs.serving.front_door import FrontDoor

DEFAULT_K = 10
STANDARD = 0.6826894921370859  # the share of values within one standard deviation


class FewShotFeatureSelector(LearnedAttributes, NanTag, SelectorMixin, BaseEstimator):
    """Select the features that are worth measuring on a new task, and infer all others from them.

    It learns from many tasks that share their features (machines, patients, shops). After `fit` it selects for
    a task of which nothing is known; `adapt` gives a selector for a task of which some rows are known.

    Args:
        n_features_to_select: a number, a share of all features between 0 and 1, or "auto" for as many as are
            worth measuring. A fitted posterior answers for every number: `set_params` needs no new fit.
        method: "posterior", or "concrete" for the paper's network, which answers for one number of features and
            of support rows.
        scaling: "standard", "minmax" or "none"; rows go in and come out in raw units.
        missing: "error", "median" (NaN is filled in with the source tasks' medians) or "drop_rows".
        include: features that are measured anyway; they are taken first.
        exclude: features that cannot be measured; they are still inferred.
        costs: what each feature costs, by name; features are chosen by what they give for their cost.
        budget: what all chosen features may cost together.
        feature_weights: how much an error of each feature counts, in order or by name; 1 each if not given.
        folds: into how many folds the tasks are dealt to measure `task_errors_`; below 2 nothing is measured.
        random_state: an int makes fits repeatable.
        verbose: 1 shows progress.
        checkpoint_dir: where a long fit is kept, so that it goes on when it is repeated; needs an int as
            `random_state`.
        method_params: more parameters of the method, for example {"residual": "off"}, which fits without the
            network that corrects the posterior, or {"steps": 5000} for the paper's network.

    Attributes:
        n_features_in_: M.
        feature_names_in_: their names, if X was a DataFrame.
        order_: the features that may be chosen, best first.
        ranking_: a rank for each feature: 1 if it is selected, and more the later it would be.
        error_curve_: the expected error with 0, 1, ... features, as a share of that of the source rows' mean.
        expected_error_: of the selected features.
        novelty_: how unlike the source tasks the adapted rows are, from 0 to 1; None if that is not known.
        task_errors_: a line for each source task, measured when it was left out. It is measured when it is
            first asked for, which takes a few times as long as the fit, and with the number of features of the
            fit, without limits to what may be measured.
        feature_errors_: a line for each feature: its RMSE in raw units where it was not measured, the `share`
            of its variation that is left, how often its 90 % interval was right, how often it was chosen.
        stability_: how much of a choice stays the same over supports of a task, and over tasks; 1 is all.

    Example:
        Tasks are digits here, and the new task is the digit 9:

        >>> from sklearn.datasets import load_digits
        >>> import tffs
        >>> X, digit = load_digits(as_frame=True, return_X_y=True)
        >>> old = digit < 9
        >>> selector = tffs.FewShotFeatureSelector(
        ...     n_features_to_select=8, random_state=0, method_params={"residual": "off"}
        ... ).fit(X[old], groups=digit[old])
        >>> new = selector.adapt(X[digit == 9].head(4))
        >>> len(new.get_feature_names_out())
        8
        >>> everything = new.inverse_transform(new.transform(X[digit == 9]))
        >>> everything.shape
        (180, 64)
    """

    def __init__(
        self,
        n_features_to_select: int | float | str = DEFAULT_K,
        *,
        method: str = "posterior",
        scaling: str = "standard",
        missing: str = "error",
        include: Iterable[str] = (),
        exclude: Iterable[str] = (),
        costs: Mapping[str, float] | pd.Series | None = None,
        budget: float | None = None,
        feature_weights: Mapping[str, float] | Sequence[float] | None = None,
        folds: int = 5,
        random_state: Any = None,
        verbose: int = 0,
        checkpoint_dir: str | None = None,
        method_params: Mapping[str, Any] | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.method = method
        self.scaling = scaling
        self.missing = missing
        self.include = include
        self.exclude = exclude
        self.costs = costs
        self.budget = budget
        self.feature_weights = feature_weights
        self.folds = folds
        self.random_state = random_state
        self.verbose = verbose
        self.checkpoint_dir = checkpoint_dir
        self.method_params = method_params

    def fit(self, X: Any, y: Any = None, groups: Any = None) -> Self:
        """Learn from source tasks.

        Args:
            X: [rows, features] in raw units: a DataFrame, an array, or what else scikit-learn takes.
            y: is not used.
            groups: whose row it is, [rows]; without it all rows are one task.
        """
        for old in (
            "_door",
            "_making",
            "_result",
        ):  # what fails below leaves nothing that does not fit together
            self.__dict__.pop(old, None)
        with said_in_python():
            rows = rows_to_fit(self, X)
            from tffs.startup import import_tensorflow, quiet_tracing

            import_tensorflow()
            from tffs.estimator.learning import learn

            names = self._names()
            with quiet_tracing():
                learned = learn(rows, names, groups, self._fit_of(names), self._watcher())
        self._take(learned.door, learned.figures)
        return self

    def _take(self, door: "FrontDoor", figures: "LeftOutFigures", support: Any = None) -> None:
        """Be fitted from now on: with this model, these figures, and rows of a task."""
        self._door, self._figures, self._support = door, figures, support
        self._answers: dict[Any, Choice] = {}

    def adapt(
        self,
        support: Any,
        include: Iterable[str] | None = None,
        exclude: Iterable[str] | None = None,
        costs: Mapping[str, float] | pd.Series | None = None,
        budget: float | None = None,
    ) -> Self:
        """Give a fitted selector for a new task; this one stays as it is.

        More rows later: adapt the first selector again, with all of them.

        Args:
            support: rows of the new task in raw units, 0, 1 or more; a frame is taken by the names of its
                columns. None or no rows is what the source tasks alone say.
            include: in the place of this selector's parameter, if given; and so on.
            exclude: see `include`.
            costs: see `include`.
            budget: see `include`.
        """
        self._check_fitted()
        with said_in_python():
            new = copy.copy(self)
            rows = self._read(as_rows(support), "support rows")
            new._take(self._door, self._figures, None if rows is None or not len(rows) else copy.copy(rows))
            new.include = self.include if include is None else Limits(include=include).include
            new.exclude = self.exclude if exclude is None else Limits(exclude=exclude).exclude
            new.costs = self.costs if costs is None else costs
            new.budget = self.budget if budget is None else budget
            new._choice()  # which says now what is wrong with the rows
        return new

    def transform(self, X: Any) -> Any:
        """Give the selected columns of rows; a frame's columns are taken by their names."""
        self._check_fitted()
        rows = validated(self, self._read(X, "rows"), reset=False, allow_nan=self._allows_nan())
        return rows[:, self.get_support()]

    def inverse_transform(self, X: Any, return_std: bool = False) -> Any:
        """Infer all features of rows from the selected ones, in raw units; these come back as they are.

        Args:
            X: the selected features as `transform` gives them, or a frame with their names.
            return_std: also give the standard deviation of what was inferred.
        """
        self._check_fitted()
        chosen = [name for name, one in zip(self._names(), self.get_support(), strict=True) if one]
        frame = selected_columns(X, chosen, by_name=hasattr(self, "feature_names_in_"))
        answer = self.reconstruct(frame, STANDARD if return_std else None)
        parts = [answer.values, (answer.high - answer.low) / 2.0] if return_std else [answer]
        if not isinstance(X, pd.DataFrame):
            parts = [part.to_numpy() for part in parts]
        return tuple(parts) if return_std else parts[0]

    def reconstruct(self, values: Any, interval: float | None = 0.9) -> Any:
        """Infer all features of rows of which some were measured.

        Args:
            values: a frame with any of the features as columns, or an array of all; NaN where not measured.
            interval: the share of values that intervals shall cover; None for no intervals.

        Returns:
            A frame with all features in raw units, or with `interval` a `Reconstruction` of such frames: its
            `values`, `low` and `high`. Measured values come back as they were given.
        """
        self._check_fitted()
        values = self._by_place(as_rows(values))
        with said_in_python():
            if interval is not None and not self._door.describe().ranks:
                raise UserError("method='concrete' gives no intervals: pass interval=None.")
            if interval is None:
                return as_given(values, self._door.reconstruct(self._support, values))
            found = self._door.reconstruct(self._support, values, interval=interval)
        return Reconstruction(*(as_given(values, part) for part in found))

    def score(self, X: Any, y: Any = None, groups: Any = None) -> float:
        """Give minus the median relative error on tasks that were not seen: 0 is best.

        Of each task a few rows are known, as many as the parameter `support_size` says (4).

        Args:
            X: rows of other tasks than those that were learned from.
            y: is not used.
            groups: whose row it is; without it all rows are one task.
        """
        self._check_fitted()
        from tffs.estimator.grouping import coded
        from tffs.estimator.scoring import errors_of_tasks

        rows = validated(self, self._read(X, "rows"), reset=False, allow_nan=self._allows_nan(), min_samples=2)
        frame = pd.DataFrame(rows, columns=list(self._names()))
        with said_in_python():
            tasks = np.zeros(len(frame), int) if groups is None else coded(groups, len(frame))[0]
            errors = errors_of_tasks(
                self._door, frame, tasks, self.n_features_to_select, self._limits(), self._seed(0)
            )
        return -float(errors.median())

    def assess(self, features: Sequence[str]) -> "Assessment":
        """Judge a list of features beside as many that tffs would choose."""
        self._check_fitted()
        from tffs.estimator.assessing import assess

        with said_in_python():
            return assess(self._door, self._support, features, self._limits())

    def classify(self, values: Any) -> pd.DataFrame:
        """Give the probabilities of the classes of rows, for a loaded model that was trained to predict labels.

        Args:
            values: the selected features of the rows.
        """
        self._check_fitted()
        with said_in_python():
            return self._door.classify(self._support, self._by_place(as_rows(values)))

    def report(self, path: str, rows: bool = False, task: str | None = None) -> str:
        """Write a page for people: what to measure, how sure that is, and how it was made, in one HTML file.

        What can be measured on tasks left out is measured first, which takes a few times as long as the fit.

        Args:
            path: the file to write.
            rows: whether the adapted rows themselves are shown, and not only figures of them.
            task: what the adapted task is called, for the title.

        Returns:
            The path of the page.
        """
        self._check_fitted()
        from tffs.estimator.reporting import report

        with said_in_python():
            return report(self, path, rows, task)

    def save(self, path: str) -> None:
        """Write the fitted selector into a folder that `tffs.load` reads; a task's adapted rows are in it."""
        self._check_fitted()
        from tffs.estimator.storing import save

        with said_in_python():
            save(self, path)

    def export(self, path: str) -> str:
        """Write a new version of the SavedModel into the folder `path`, for TF Serving; returns its path.

        It answers for every task, whatever this selector was adapted to.
        """
        self._check_fitted()
        from tffs.estimator.storing import export

        with said_in_python():
            return export(self._door, path)

    def _get_support_mask(self) -> np.ndarray:
        chosen = self._choice().indices
        mask = np.zeros(self.n_features_in_, bool)
        mask[chosen] = True
        return mask

    def _choice(self) -> Choice:
        self._check_fitted()
        wanted, limits = self.n_features_to_select, self._limits()
        key = (wanted, limits.key())
        choice = self._answers.get(key)
        if choice is None:
            with said_in_python():
                choice = choose(self._door, self._support, wanted, limits)
            self._answers.clear()  # one is enough
            self._answers[key] = choice
        return choice

    def _limits(self) -> Limits:
        """Give what may be measured."""
        return Limits(self.include, self.exclude, self.costs, self.budget)

    def _read(self, data: Any, what: str) -> Any:
        """Put the columns of a frame into the model's order."""
        return in_order(self._by_place(data), self._names(), what)

    def _by_place(self, data: Any) -> Any:
        """Give a frame as an array where the rows of `fit` had no names, as integers are none."""
        return data if hasattr(self, "feature_names_in_") else by_place(data, self._names())

    def _fit_of(self, names: Sequence[str]) -> Any:
        """Put together how to fit."""
        from tffs.estimator.learning import Fit

        self._limits().check(names)
        if self.checkpoint_dir is not None and not isinstance(self.random_state, int | np.integer):
            raise UserError(
                "checkpoint_dir needs an int as random_state, so that a repeated fit is the same one. "
                f"Received: random_state={self.random_state!r}."
            )
        number = min(DEFAULT_K, len(names))
        if self.n_features_to_select == AUTO and self.method != "posterior":
            raise UserError(f"n_features_to_select='auto' is for method='posterior', not for '{self.method}'.")
        if self.n_features_to_select != AUTO:
            wanted = self.n_features_to_select
            more = isinstance(wanted, int | np.integer) and wanted > len(names)  # it warns when it selects
            number = len(names) if more else feature_count(wanted, len(names))
        return Fit(
            number,
            self.method,
            self.scaling,
            self.missing,
            self.folds,
            self._seed(None),
            self.feature_weights,
            self.checkpoint_dir,
            self.method_params or {},
        )

    def _seed(self, default: int | None) -> int:
        """Give a number that draws follow from; `default` where the random state gives another every time."""
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1)) if default is None else default

    def _watcher(self) -> Any:
        from tffs.estimator.names import in_python
        from tffs.running.watcher import Verbose, Watcher

        return Verbose(worded=in_python) if self.verbose else Watcher()

    def _names(self) -> tuple[str, ...]:
        """Name the features, as `get_feature_names_out` would."""
        if hasattr(self, "feature_names_in_"):
            return tuple(map(str, self.feature_names_in_))
        return tuple(f"x{place}" for place in range(self.n_features_in_))

    def _allows_nan(self) -> bool:
        return self.missing in ("median", "drop_rows")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_door")

    def _check_fitted(self) -> None:
        if not hasattr(self, "_door"):
            raise NotFittedError(
                "This FewShotFeatureSelector is not fitted yet: call fit with rows of source tasks, or use "
                "tffs.load."
            )
