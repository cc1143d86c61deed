"""What a run trains on: the data, the split, and the configuration with everything settled."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from tffs.config import DataPlace, RunConfig
from tffs.config.run import default_scaling, settle_jit
from tffs.data import draws
from tffs.data.classes import with_classes
from tffs.data.datasets import open_dataset
from tffs.data.episodes import EpisodeGenerator
from tffs.data.memory import shared_tensor
from tffs.data.source_statistics import SourceStatistics
from tffs.data.splits import Split
from tffs.data.stored_rows import Rows, StoredRows
from tffs.data.tasks import TaskRows, Tasks
from tffs.errors import UserError, listed
from tffs.layers import Scaling
from tffs.methods.catalogue import CONCRETE, POSTERIOR
from tffs.models import RawUnitsSelector
from tffs.planning.plan import Plan, named, no_median, plan, plan_table
from tffs.training.chunks import Chunks
from tffs.training.validation import Validator

SCALED_BYTES = 8 * 2**20
BEAM_OR_MEMORY = (
    "--cache=memory holds all rows in this process, but with --beam_options the workers of Beam go through "
    "them where they are: leave --cache out, or prepare the table first with --mode=prepare and "
    "--beam_options, and then leave these out."
)


@dataclasses.dataclass(frozen=True)
class Setting:
    """A run, ready to train.

    Attributes:
        config: the configuration; nothing in it is left to draw or to decide.
        tasks: all rows, in memory or on the disk, in scaled units; where labels are to be predicted, they count
            from 0 without a gap.
        split: who trains, validates and is tested.
        scaling: from raw to scaled units.
        statistics: what the source tasks' rows look like in raw units.
        support: float32 [N_S, features], the target's support rows in raw units; empty without a target.
        feature_weights: [features], how much an error of each feature counts beside what its scaling says; None
            if all count alike.
    """

    config: RunConfig
    tasks: Tasks
    split: Split
    scaling: Scaling
    statistics: SourceStatistics
    support: np.ndarray
    feature_weights: np.ndarray | None = None

    @functools.cached_property
    def rows(self) -> tf.Tensor | StoredRows:
        """All rows as one tensor that every generator shares, or as they are stored."""
        matrix = self.tasks.matrix
        return shared_tensor(matrix) if isinstance(matrix, np.ndarray) else matrix

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes that are to be predicted; empty where none are."""
        return self.tasks.class_names if self.config.training.predicts_labels else ()

    @property
    def num_classes(self) -> int | None:
        """How many classes a model of this run tells apart, or None if it reconstructs."""
        return len(self.classes) or None

    @functools.cached_property
    def labels(self) -> tf.Tensor | None:
        """All rows' labels as one tensor, where they are to be predicted."""
        with tf.device("CPU:0"):
            return tf.constant(self.tasks.labels, tf.int32) if self.classes else None

    @functools.cached_property
    def source_mean(self) -> np.ndarray:
        """The mean of the source rows in scaled units: float32 [features]."""
        return np.asarray(self.scaling(self.statistics.mean))

    def in_raw_units(self, model: Any) -> RawUnitsSelector:
        """Put a trained model between the scaling and its inverse, to be saved and served."""
        raw = RawUnitsSelector(model, self.scaling)
        raw.build()
        return raw

    def with_validation(self) -> "Setting":
        """Give the run with the paper's split, for a network that must validate; the target's rows stay."""
        if self.split.validation.names:
            return self
        concrete = dataclasses.replace(self.config, method=CONCRETE)
        planned = plan(concrete, self.tasks, lambda sentence: None)
        data = dataclasses.replace(planned.config.data, scaling=self.config.data.scaling)
        config = dataclasses.replace(planned.config, data=data, method=self.config.method)
        return dataclasses.replace(self, config=config, split=planned.split)

    def chunks(self, noise: int) -> Chunks:
        """Draw training steps, each with Gumbel noise for so many Concrete variables."""
        episodes = self._episodes(self.split.train, draws.TRAINING_EPISODES)
        return Chunks(episodes, self.config.data.episodes_per_step, noise, self.config.seed)

    def validator(self, model: Any) -> Validator:
        """Measure a model on the run's fixed validation episodes."""
        episodes = self._episodes(self.split.validation, draws.VALIDATION_EPISODES)
        return Validator(model, episodes, self.config.training.loss)

    def _episodes(self, tasks: TaskRows, stream: int) -> EpisodeGenerator:
        """Draw episodes of tasks; the smallest may have fewer rows for a query than the run asks for."""
        size, query_size = self.config.data.support_size, self.config.data.query_size
        assert query_size is not None
        query_size = min(query_size, tasks.room(size))
        return EpisodeGenerator(self.rows, tasks, size, query_size, self.config.seed, stream, self.labels)


def settle(
    config: RunConfig,
    place: DataPlace,
    say: Callable[[str], None],
    show: Callable[[str, float], None] = lambda doing, share: None,
    stop: Callable[[], bool] = lambda: False,
) -> Setting:
    """Open the dataset, plan the run, load the rows, and settle everything that depends on them.

    Args:
        config: the run as the flags give it.
        place: where the rows come from.
        say: receives one-sentence notes for the person.
        show: is called with what is being done and the share of it that is done.
        stop: asked while workers of Beam go through the rows, now and later; True ends that.

    Returns:
        The setting; what cannot be trained raises `UserError`.
    """
    with_beam = bool(place.beam_options) and config.method == POSTERIOR
    if with_beam and place.cache == "memory":
        raise UserError(BEAM_OR_MEMORY)
    dataset = open_dataset(config.data.dataset, place, say, show)
    config = named(config, dataset.name)
    if dataset.survey is not None:
        planned, found = plan_table(config, dataset.survey, dataset.sizes(config.data.missing))
        dataset.refuse_for(found.errors)
        for note in found.notes:
            say(f"Note: {note}")
    tasks = dataset.load(place, config.data.missing, say, show, stop if with_beam else None)
    if dataset.survey is None:
        planned = plan(config, tasks, say)
    assert planned is not None
    show("scaling", 0.0)
    setting = settle_rows(planned, tasks, say)
    show("scaling", 1.0)
    return setting


def settle_rows(
    planned: Plan, tasks: Tasks, say: Callable[[str], None], feature_weights: np.ndarray | None = None
) -> Setting:
    """Settle everything that depends on the rows.

    Args:
        planned: the run, and which rows play which part.
        tasks: the rows in raw units; where the run scales, a matrix in memory is scaled in place.
        say: receives one-sentence notes for the person.
        feature_weights: see `Setting`.

    Returns:
        The setting; what cannot be trained raises `UserError`.
    """
    data, split = planned.config.data, planned.split
    method = data.scaling or default_scaling(data.name.is_table)
    source = np.sort(np.concatenate([split.train.rows, split.validation.rows]))
    impute = data.missing == "median"
    statistics = SourceStatistics.of(tasks.matrix, source, medians=impute)
    unknown = [tasks.feature_names[feature] for feature in np.flatnonzero(np.isnan(statistics.median))]
    if unknown:
        raise UserError(no_median(unknown))
    scaling = _scaling(statistics, method, impute)
    support = tasks.matrix[split.target_support]
    if method != "none" or impute:
        tasks = dataclasses.replace(tasks, matrix=_scaled(tasks.matrix, scaling))
    squeezed = statistics.squeezed() if method == "minmax" else []
    if 4 * len(squeezed) > tasks.num_features:
        names = listed([tasks.feature_names[feature] for feature in squeezed], 3)
        say(
            f"Note: a few extreme values squeeze {len(squeezed)} of {tasks.num_features} features ({names}) "
            "into a small part of their range, where errors hardly count; --scaling=standard weighs features "
            "equally."
        )
    settled = _settled(planned, tasks, scaling, statistics, support, method)
    return dataclasses.replace(settled, feature_weights=feature_weights)


def settle_scaled(
    config: RunConfig, scaled: Tasks, statistics: SourceStatistics, say: Callable[[str], None]
) -> Setting:
    """Settle everything for source rows that a pipeline has scaled before.

    Args:
        config: the run; its dataset and scaling must be given, and it holds no task out.
        scaled: the source rows, in scaled units.
        statistics: what they looked like in raw units.
        say: receives one-sentence notes for the person.

    Returns:
        The setting; what cannot be trained raises `UserError`.
    """
    method = config.data.scaling
    assert method is not None
    planned = plan(config, scaled, say)
    scaling = _scaling(statistics, method, config.data.missing == "median")
    support = np.empty((0, scaled.num_features), np.float32)
    return _settled(planned, scaled, scaling, statistics, support, method)


def _scaling(statistics: SourceStatistics, method: str, impute: bool) -> Scaling:
    scaling = Scaling(impute=impute, name="scaling")
    scaling.build((None, len(statistics.low)))
    scaling.learn(*statistics.offset_and_width(method), statistics.median)
    return scaling


def _settled(
    planned: Plan,
    tasks: Tasks,
    scaling: Scaling,
    statistics: SourceStatistics,
    support: np.ndarray,
    method: str,
) -> Setting:
    """Decide what the data decides: classes, the last activation, and whether to compile."""
    config = planned.config
    if config.training.predicts_labels:
        tasks = with_classes(tasks)
    activation = config.model.output_activation
    if activation == "auto":
        activation = statistics.activation(method)
    settled = dataclasses.replace(
        config,
        data=dataclasses.replace(config.data, scaling=method),
        model=dataclasses.replace(config.model, output_activation=activation),
        training=dataclasses.replace(
            config.training, jit=settle_jit(config.training.jit, config.training.steps)
        ),
    )
    return Setting(settled, tasks, planned.split, scaling, statistics, support)


def _scaled(matrix: Rows, scaling: Scaling) -> Rows:
    """Scale all rows with the layer that the model will scale its clients' rows with.

    An array is scaled once and in place, stored rows whenever they are read; both give the same numbers.
    """
    if isinstance(matrix, StoredRows):
        return matrix.scaled(scaling.in_numpy())
    step = max(SCALED_BYTES // (4 * matrix.shape[1]), 1)
    for start in range(0, len(matrix), step):
        matrix[start : start + step] = scaling(matrix[start : start + step])
    return matrix
