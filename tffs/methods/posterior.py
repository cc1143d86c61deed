"""Fit the task posterior to a settled run."""

import time
from typing import Any

import numpy as np
import tensorflow as tf

from tffs.data.batches import batch_rows
from tffs.data.sums import begin
from tffs.methods.catalogue import Posterior
from tffs.methods.fit_record import FitRecord
from tffs.models import PosteriorSelector
from tffs.models.posterior_selector import Ranking
from tffs.planning.setting import Setting
from tffs.posterior.fitting import fit_posterior, passes_for, source_of
from tffs.posterior.residual import Attempt, corrected, share_left
from tffs.posterior.source import Source
from tffs.training.session import Session
from tffs.training.trainer import TrainingSummary

DOING = "fitting"


class FittedPosterior:
    """A posterior that selects and reconstructs, for any support and any number of features.

    Args:
        model: in scaled units.
        seconds: what fitting took.
        facts: what was chosen, and how.
        summary: how its residual network was trained, or None where it has none.
    """

    any_support = True
    classifies = False

    def __init__(
        self,
        model: PosteriorSelector,
        seconds: float,
        facts: dict[str, Any],
        summary: TrainingSummary | None = None,
    ) -> None:
        self.model = model
        self.seconds = seconds
        self.facts = facts
        self.summary = summary
        self.best_step = None if summary is None else summary.best_step
        rows = tf.TensorSpec([None, None, model.num_features], tf.float32)
        self._rank = tf.function(lambda support: model.rank(support), input_signature=[rows], autograph=False)
        self._infer = tf.function(
            lambda support, values: model.infer(support, values), input_signature=[rows, rows], autograph=False
        )

    def candidates(self, support: np.ndarray, num_selected: int) -> list[np.ndarray]:
        """Let the model choose."""
        return [np.asarray(self.rank(support).indices)[0, :num_selected]]

    def rank(self, support: np.ndarray) -> Ranking:
        """Let the model order all features, for one support [rows, features]."""
        return self._rank(tf.constant(support[None]))

    def answer(self, support: np.ndarray, rows: np.ndarray, selected: np.ndarray) -> np.ndarray:
        """Let the model infer what is not selected."""
        return self.inferred_from(support, rows, selected)[0]

    def inferred_from(
        self, support: np.ndarray, rows: np.ndarray, selected: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Infer rows from their selected features: means and variances."""
        values = np.full(rows.shape, np.nan, np.float32)
        values[:, selected] = rows[:, selected]
        return self.inferred(support, values)

    def inferred(self, support: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Infer rows [rows, features], NaN where a feature was not measured: means and variances."""
        step = batch_rows(values.shape[1])
        parts = [
            self._infer(support[None], part[None]) for part in np.split(values, range(step, len(values), step))
        ]
        means = np.concatenate([np.asarray(part.mean)[0] for part in parts])
        return means, np.concatenate([np.asarray(part.variance)[0] for part in parts])


def fit(method: Posterior, setting: Setting, session: Session) -> FittedPosterior:
    """Learn the source tasks' statistics, and choose what they leave open.

    Args:
        method: which decoders it may choose from.
        setting: the run: data, split and configuration.
        session: how the fit is watched.
    """
    began = time.perf_counter()
    session.share(DOING, 0.0)
    source, watching = source_of_run(setting)
    begin(source.matrix, DOING, passes_for(source, method.components))
    config = setting.config
    assert config.data.scaling is not None
    fitted = fit_posterior(
        source,
        watching,
        config.data.scaling,
        config.model.num_selected,
        config.seed,
        method.components,
        setting.feature_weights,
        lambda done: session.share(DOING, done),
    )
    wanted = config.training.residual if method.residual else "off"
    attempt = Attempt(wanted, config.training, config.seed, session, config.identity())
    model, tried, summary = corrected(fitted, source, watching, attempt)
    facts = {**fitted.facts, "rank": model.prior.rank, "residual": tried}
    model.calibration.shrink(share_left(facts))
    return FittedPosterior(model, time.perf_counter() - began, facts, summary)


def restored(model: PosteriorSelector, record: FitRecord) -> FittedPosterior:
    """Give what was fitted before, from its model and its record."""
    return FittedPosterior(model, record.seconds, record.facts, record.summary)


def source_of_run(setting: Setting) -> tuple[Source, tuple[int, ...]]:
    """Give the tasks that a run learns from, and the groups of it that only choose."""
    split, data = setting.split, setting.config.data
    validation = split.validation if data.validation == "task" and split.validation.names else None
    folds = None if data.held_out else data.folds
    return source_of(setting.tasks.matrix, split.train, validation, folds, setting.config.seed)
