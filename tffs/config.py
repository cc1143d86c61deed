"""The configuration of a run, as one frozen tree, and the mapping between it and the flags."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from data_builders.reference import short_name
from data_builders.table.options import TableOptions, is_table
from tffs.distribute.cluster import Cluster
from tffs.tuning.space import Space

PAPER_EPISODE_ROWS = 64  # N_S + N_Q in the paper
JIT_STEPS = 5000  # from here on a compiled loop saves more seconds than compiling costs


@dataclasses.dataclass(frozen=True)
class DataConfig:
    """Which rows.

    Attributes:
        dataset: a builder, named as in `data_builders.reference`, or `table/<key>` for a user's table, where
            the key goes by its content; None for a table that was not read yet.
        scaling: `minmax`, `standard` or `none`; None for what suits the dataset.
        missing: `error`, `median` or `drop_rows`: what to do about missing values.
        target_task: the held-out task; None to draw it from the seed, "none" to hold none out.
        validation: `task` or `rows`, the split protocol.
        validation_task: the validation task; None to draw it from the seed.
        support_size: N_S.
        query_size: N_Q; None for the paper's 64 - N_S.
        episodes_per_step: episodes averaged in one gradient step.
    """

    dataset: str | None
    scaling: str | None
    missing: str
    target_task: str | None
    validation: str
    validation_task: str | None
    support_size: int
    query_size: int | None
    episodes_per_step: int


@dataclasses.dataclass(frozen=True)
class ModelConfig:
    """Which model; see `tffs.models.FewShotSelector`. An `output_activation` of "auto" follows the data."""

    num_selected: int
    selector_dim: int
    embedding_units: int
    decoder_units: tuple[int, ...]
    task_code_dim: int
    pi_stddev: float
    output_activation: str
    selection: str


@dataclasses.dataclass(frozen=True)
class TrainingConfig:
    """How it is trained.

    Attributes:
        steps: I, the number of gradient steps and the length of the annealing.
        learning_rate: of Adam.
        initial_temperature: T_0.
        final_temperature: T_1.
        noise: `on` for Gumbel noise in training, `off` for none.
        eval_every: steps between validations.
        jit: `on` or `off` for a loop compiled by XLA; `auto` decides by the number of steps.
        loss: `reconstruction` of all features, or `cross_entropy` of the query rows' labels.
    """

    steps: int
    learning_rate: float
    initial_temperature: float
    final_temperature: float
    noise: str
    eval_every: int
    jit: str
    loss: str = "reconstruction"


@dataclasses.dataclass(frozen=True)
class RunConfig:
    """All that decides a run's result: two runs with equal RunConfig give the same model."""

    seed: int
    data: DataConfig
    model: ModelConfig
    training: TrainingConfig

    @classmethod
    def from_flags(cls, values: Mapping[str, Any]) -> "RunConfig":
        """Build the tree from flag names and values; a flag belongs to the part that has its name.

        What is not there and has a default takes it: a run of an older version did not know the flag.
        """

        def part(kind: type) -> Any:
            needed = [
                field.name
                for field in dataclasses.fields(kind)
                if field.name in values or field.default is dataclasses.MISSING
            ]
            return kind(**{name: _frozen(values[name]) for name in needed})

        return cls(values["seed"], part(DataConfig), part(ModelConfig), part(TrainingConfig))

    def to_flags(self) -> dict[str, Any]:
        """Flatten the tree to flag names and values, as `config.json` stores them."""
        flat = dataclasses.asdict(self)
        return {"seed": self.seed, **flat["data"], **flat["model"], **flat["training"]}


@dataclasses.dataclass(frozen=True)
class DataPlace:
    """Where rows come from; the same rows from another place make the same run.

    Attributes:
        data_dir: where prepared datasets are kept.
        mirror: a folder with `<dataset>/<file name>` that replaces the network, or None.
        table: a user's table, or None.
        cache: `memory` to hold all rows, `stream` to read them from the prepared files as they are drawn, or
            `auto` to decide by their size.
        beam_options: options of Beam, `name=value` or `name` each, to prepare the table with; none to do
            without Beam.
        loaders: how many processes load the rows at a time, which `auto` divides the memory by.
    """

    data_dir: str
    mirror: str | None = None
    table: TableOptions | None = None
    cache: str = "auto"
    beam_options: tuple[str, ...] = ()
    loaders: int = 1


@dataclasses.dataclass(frozen=True)
class ExperimentConfig:
    """A grid of methods and sizes, and where its results are.

    Attributes:
        name: of the results file.
        axes: the values of `dataset`, `method`, `support_size`, `num_selected` and `split`.
        cells: which part of the grid to run, like `dataset=mnist_r,method=ours|cae_s`; empty for all.
        workers: processes; 0 for one a core.
        results_dir: the folder of the results files.
        results_page: the page that is made of them.
        runs: the run and the place of the rows for each dataset.
    """

    name: str
    axes: Mapping[str, tuple]
    cells: str
    workers: int
    results_dir: str
    results_page: str
    runs: dict[str, tuple[RunConfig, DataPlace]]


@dataclasses.dataclass(frozen=True)
class TuneConfig:
    """A search for better hyperparameters.

    Attributes:
        tuner: `random`, `bayesian` or `hyperband`.
        trials: full trainings, or as many steps in shorter ones.
        folds: how many source tasks validate in turn; a trial is trained once for each.
        space: what each tuned flag may be; empty in other modes.
        workers: processes; 0 for one a core.
    """

    tuner: str
    trials: int
    folds: int
    space: Space
    workers: int


@dataclasses.dataclass(frozen=True)
class ServeConfig:
    """How a model is served.

    Attributes:
        model_name: what clients call it.
        base_path: the folder of its versions.
        port: for gRPC; 0 for any that is free.
        rest_api_port: for REST; 0 for any that is free.
        bind_address: the address to listen on.
        batching: whether requests that wait are computed together.
        poll_seconds: between looks for new versions.
    """

    model_name: str
    base_path: str
    port: int
    rest_api_port: int
    bind_address: str
    batching: bool
    poll_seconds: float


@dataclasses.dataclass(frozen=True)
class Command:
    """What the person asked for: a mode, where things are, and the run itself.

    Attributes:
        mode: what to do.
        run: the run as given by the flags; its parts that depend on the data are not settled yet.
        given: the names of the flags that were given, in a flag file or on the command line.
        place: where the rows come from.
        workdir: where this run writes.
        threads: threads for TensorFlow; 0 to choose by problem size.
        cluster: for `run` and `train`: the workers that train together; None for this process alone.
        model: for `select`: a workdir, an export folder or a version folder.
        support: for `select`: a CSV, Parquet, .npz or .npy file.
        format: `table` or `json`.
        experiment: for `experiment` and `tables`: the grid and its results.
        server: for `select`: the address of a server to ask instead of a model on the disk, or None.
        keep_versions: for `export` and `run`: how many versions stay; 0 for all.
        serve: for `serve`: the model and the ports; its `model_name` is also the client's.
        tune: for `tune`: the search.
    """

    mode: str
    run: RunConfig
    given: frozenset[str]
    place: DataPlace
    workdir: str
    threads: int
    cluster: Cluster | None
    model: str
    support: str | None
    format: str
    experiment: ExperimentConfig
    server: str | None
    keep_versions: int
    serve: ServeConfig
    tune: TuneConfig


def default_query_size(support_size: int) -> int:
    """Give the paper's N_Q, which makes N_S + N_Q = 64, and at least one row."""
    return max(PAPER_EPISODE_ROWS - support_size, 1)


def default_scaling(dataset: str) -> str:
    """Choose the scaling: minmax for a table, none for the builders' data, which is as the paper has it."""
    return "minmax" if is_table(dataset) else "none"


def shown_name(dataset: str) -> str:
    """Give a dataset's name for people: without the key of a table's content or a builder's folder."""
    return dataset.rpartition("/")[2].rpartition("-")[0] if is_table(dataset) else short_name(dataset)


def settle_jit(jit: str, steps: int) -> str:
    """Decide `auto` from the total number of steps."""
    if jit != "auto":
        return jit
    return "on" if steps >= JIT_STEPS else "off"


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
