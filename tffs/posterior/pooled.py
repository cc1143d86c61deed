"""What does not know of tasks: one Gaussian of all source rows."""

import numpy as np

from tffs.data.tasks import TaskRows
from tffs.layers import Calibration, ConditionalDecoder, TaskPrior
from tffs.models import PosteriorSelector
from tffs.posterior.prior import prior_of
from tffs.posterior.source import GroupSums, Source


def pooled_model(source: Source, weights: np.ndarray, num_selected: int) -> PosteriorSelector:
    """Make a model whose tasks are all alike: B = 0, nu = infinity, W the covariance of all rows.

    It chooses by greedy column subset selection on W and decodes with one Gaussian, whatever the support is.

    Args:
        source: the tasks to learn from, in scaled units.
        weights: [features], how much an error of each feature counts.
        num_selected: K.
    """
    one = _as_one_task(source)
    learned = prior_of(one, full=0.0)
    features = source.num_features
    model = PosteriorSelector(
        TaskPrior(features, learned.rank, name="prior"),
        ConditionalDecoder(features, 0, name="decoder"),
        Calibration(features, name="calibration"),
        num_selected,
    )
    model.build()
    alike = {"between": np.zeros_like(learned.arguments["between"]), "rest": 0.0, "spread": 0.0}
    model.prior.learn(**{**learned.arguments, **alike})
    model.learn(weights, source.row_mean(), *source.range())
    return model


def _as_one_task(source: Source) -> Source:
    """Take all rows that are not left out as those of one task; what was summed is not summed again."""
    tasks, parts = source.kept_tasks(), [source.sums[group] for group in source.kept]
    rows = np.concatenate([source.rows_of(task) for task in tasks])
    everything = TaskRows.from_lists(("all",), [np.sort(rows)])
    one = Source(source.matrix, everything, np.zeros(1, np.int64), (0,), source.origin)
    one.__dict__["sums"] = {
        0: GroupSums(
            tasks=np.zeros(1, np.int64),
            counts=np.asarray([len(rows)]),
            sums=np.sum([part.sums.sum(axis=0) for part in parts], axis=0)[None],
            squares=np.sum([part.squares for part in parts], axis=0),
            products=source.scatter() + source.scatter_of_means() if source.dense else None,
            low=np.minimum.reduce([part.low for part in parts]),
            high=np.maximum.reduce([part.high for part in parts]),
        )
    }
    return one
