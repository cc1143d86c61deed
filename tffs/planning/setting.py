"""What a run trains on: the data, the split, and the configuration with everything settled."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from data_builders.table.options import is_table
from tffs.config import DataPlace, RunConfig, default_scaling, settle_jit
from tffs.data import datasets, draws
from tffs.data.classes import with_classes
from tffs.data.episodes import EpisodeGenerator
from tffs.data.memory import shared_tensor
from tffs.data.source_statistics import SourceStatistics
from tffs.data.splits import Split
from tffs.data.stored_rows import Rows, StoredRows
from tffs.data.tasks import Tasks
from tffs.errors import UserError, listed
from tffs.layers import Scaling
from tffs.models import FewShotSelector, RawUnitsSelector
from tffs.planning.plan import check_table, no_median, plan
from tffs.training.chunks import Chunks
from tffs.training.validation import Validator

SCALED_BYTES = 8 * 2**20


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
    """

    config: RunConfig
    tasks: Tasks
    split: Split
    scaling: Scaling
    statistics: SourceStatistics
    support: np.ndarray

    @functools.cached_property
    def rows(self) -> tf.Tensor | StoredRows:
        """All rows as one tensor that every generator shares, or as they are stored."""
        matrix = self.tasks.matrix
        return shared_tensor(matrix) if isinstance(matrix, np.ndarray) else matrix

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes that are to be predicted; empty where none are."""
        return self.tasks.class_names if self.config.training.loss == "cross_entropy" else ()

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

    def model(self, **changes: Any) -> FewShotSelector:
        """Make the untrained model, with `changes` to its arguments."""
        arguments = {
            "num_features": self.tasks.num_features,
            **dataclasses.asdict(self.config.model),
            "seed": self.config.seed,
            "num_classes": self.num_classes,
        }
        model = FewShotSelector(**{**arguments, **changes})
        model.build()
        return model

    def in_raw_units(self, model: FewShotSelector) -> RawUnitsSelector:
        """Put a trained model between the scaling and its inverse, to be saved and served."""
        raw = RawUnitsSelector(model, self.scaling)
        raw.build()
        return raw

    def chunks(self, noisy: bool) -> Chunks:
        """Draw training steps; `noisy` if the model has Concrete variables to perturb."""
        data, seed = self.config.data, self.config.seed
        assert data.query_size is not None
        episodes = EpisodeGenerator(
            self.rows,
            self.split.train,
            data.support_size,
            data.query_size,
            seed,
            draws.TRAINING_EPISODES,
            self.labels,
        )
        noise = self.config.model.num_selected if noisy and self.config.training.noise == "on" else 0
        return Chunks(episodes, data.episodes_per_step, noise, seed)

    def validator(self, model: Any) -> Validator:
        """Measure a model on the run's fixed validation episodes."""
        data = self.config.data
        assert data.query_size is not None
        query_size = min(data.query_size, self.split.validation.room(data.support_size))
        episodes = EpisodeGenerator(
            self.rows,
            self.split.validation,
            data.support_size,
            query_size,
            self.config.seed,
            draws.VALIDATION_EPISODES,
            self.labels,
        )
        return Validator(model, episodes, self.config.training.loss)


def settle(
    config: RunConfig,
    place: DataPlace,
    say: Callable[[str], None],
    show: Callable[[str, float], None] = lambda doing, share: None,
) -> Setting:
    """Load the data and settle everything that depends on it.

    Args:
        config: the run as the flags give it.
        place: where the rows come from.
        say: receives one-sentence notes for the person.
        show: is told what is being done and which share of it is.

    Returns:
        The setting; what cannot be trained raises `UserError`.
    """
    given = config
    loaded = datasets.load(
        config.data.dataset,
        place,
        config.data.missing,
        say,
        show,
        lambda dataset, survey: check_table(given, dataset, survey),
    )
    return settle_loaded(config, loaded, say)


def settle_loaded(config: RunConfig, loaded: datasets.Loaded, say: Callable[[str], None]) -> Setting:
    """Settle everything that depends on the data, which is loaded already.

    Args:
        config: the run as the flags give it.
        loaded: the data; where the run scales, a matrix in memory is scaled in place.
        say: receives one-sentence notes for the person.

    Returns:
        The setting; what cannot be trained raises `UserError`.
    """
    tasks = loaded.tasks
    table = is_table(loaded.name)
    method = config.data.scaling or default_scaling(loaded.name)
    planned, split = _planned(config, loaded, (lambda sentence: None) if table else say)  # said already
    source = np.sort(np.concatenate([split.train.rows, split.validation.rows]))
    impute = config.data.missing == "median"
    statistics = SourceStatistics.of(tasks.matrix, source, medians=impute)
    unknown = [tasks.feature_names[feature] for feature in np.flatnonzero(np.isnan(statistics.median))]
    if unknown:
        raise UserError(no_median(unknown))
    scaling = _scaling(statistics, method, impute)
    support = tasks.matrix[split.target_support]
    if method != "none" or impute:
        tasks = dataclasses.replace(tasks, matrix=_scaled(tasks.matrix, scaling))
    squeezed = statistics.squeezed() if config.data.scaling is None and method == "minmax" else []
    if 4 * len(squeezed) > tasks.num_features:
        names = listed([tasks.feature_names[feature] for feature in squeezed], 3)
        say(
            f"Note: a few extreme values squeeze {len(squeezed)} of {tasks.num_features} features ({names}) "
            "into a small part of their range, where errors hardly count; --scaling=standard weighs features "
            "equally."
        )
    return _settled(planned, tasks, split, scaling, statistics, support, method)


def settle_scaled(
    config: RunConfig, scaled: datasets.Loaded, statistics: SourceStatistics, say: Callable[[str], None]
) -> Setting:
    """Settle everything for source rows that a pipeline has scaled before.

    Args:
        config: the run; its scaling must be given, and it holds no task out.
        scaled: the source rows, in scaled units.
        statistics: what they looked like in raw units.
        say: receives one-sentence notes for the person.

    Returns:
        The setting; what cannot be trained raises `UserError`.
    """
    method = config.data.scaling
    assert method is not None
    planned, split = _planned(config, scaled, say)
    scaling = _scaling(statistics, method, config.data.missing == "median")
    support = np.empty((0, scaled.tasks.num_features), np.float32)
    return _settled(planned, scaled.tasks, split, scaling, statistics, support, method)


def _planned(config: RunConfig, loaded: datasets.Loaded, say: Callable[[str], None]) -> tuple[RunConfig, Split]:
    named = dataclasses.replace(config, data=dataclasses.replace(config.data, dataset=loaded.name))
    return plan(named, loaded.tasks, say)


def _scaling(statistics: SourceStatistics, method: str, impute: bool) -> Scaling:
    scaling = Scaling(impute=impute, name="scaling")
    scaling.build((None, len(statistics.low)))
    scaling.learn(*statistics.offset_and_width(method), statistics.median)
    return scaling


def _settled(
    config: RunConfig,
    tasks: Tasks,
    split: Split,
    scaling: Scaling,
    statistics: SourceStatistics,
    support: np.ndarray,
    method: str,
) -> Setting:
    """Decide what the data decides: classes, the last activation, and whether to compile."""
    if config.training.loss == "cross_entropy":
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
    return Setting(settled, tasks, split, scaling, statistics, support)


def _scaled(matrix: Rows, scaling: Scaling) -> Rows:
    """Scale all rows with the layer that the model will scale its clients' rows with.

    An array is scaled once and in place, stored rows whenever they are read; both give the same numbers.
    """
    if isinstance(matrix, StoredRows):
        return matrix.scaled(scaling)
    step = max(SCALED_BYTES // (4 * matrix.shape[1]), 1)
    for start in range(0, len(matrix), step):
        matrix[start : start + step] = scaling(matrix[start : start + step])
    return matrix
