"""All that decides the result of a run."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from data_builders.dataset_name import DatasetName
from tffs.config.modes import AFTER_TRAINING, WITH_ROWS
from tffs.methods.catalogue import CONCRETE, METHODS_OF_RUNS, POSTERIOR
from tffs.options import (
    InvalidOption,
    Option,
    Section,
    built,
    number,
    one_of,
    option,
    options,
    part,
    whole,
    wholes,
)

PAPER_EPISODE_ROWS = 64  # N_S + N_Q in the paper
JIT_STEPS = 5000  # from here on a compiled loop saves more seconds than compiling costs
MOST_UNITS = 2**20
NO_TARGET, FOLDS = "none", "folds"  # what --target_task may be beside the name of a task
_NETWORK = (CONCRETE,)  # the methods that train the paper's network
LOSSES = ("reconstruction", "cross_entropy")


@dataclasses.dataclass(frozen=True)
class DataConfig(Section, group="Data"):
    """Which rows. `dataset` is None for a table that was not read yet, and `table/<key>` for one that was."""

    dataset: str | None = option(
        None,
        "which of the datasets with a builder, or a TFDS builder of your own by its path or import name",
        modes=(*WITH_ROWS, "inspect", "prepare"),
    )
    scaling: str | None = option(
        None,
        "'minmax', 'standard' or 'none': learned from the source tasks, kept in the model, so that values go "
        "in and come out in raw units (default standard for a table, none for a dataset)",
        one_of("minmax", "standard", "none"),
        group="Your own table",
    )
    missing: str = option(
        "error",
        "what to do about missing values: 'error', 'median' (fill in the source tasks' medians, also when the "
        "model is used) or 'drop_rows'",
        one_of("error", "median", "drop_rows"),
        group="Your own table",
        modes=(*WITH_ROWS, "inspect", "prepare"),
    )
    target_task: str | None = option(
        None,
        "the task to hold out and select for; 'folds' learns from every task and leaves each out once to "
        "measure it (default for a table with --method=posterior); 'none' only learns from every task; else "
        "drawn from the seed",
    )
    folds: int = option(
        5,
        "into how many folds the tasks are dealt to measure the run on tasks it has not seen, where no target "
        "is held out",
        whole(2, 1000),
        modes=("run", "train", *AFTER_TRAINING, "inspect"),
        methods=(POSTERIOR,),
        before=5,
    )
    validation: str = option(
        "task",
        "'task': one source task validates and 80 % of the rows of each source task are used; 'rows': 80 % of "
        "each source task train, 20 % validate (the default where no task is held out)",
        one_of("task", "rows"),
    )
    validation_task: str | None = option(None, "the task to validate on; drawn from the seed if not given")
    support_size: int = option(4, "N_S, rows in a support set", whole(1), group="Episodes")
    query_size: int | None = option(
        None, "N_Q, query rows an episode; 64 - N_S if not given", whole(1), group="Episodes", methods=_NETWORK
    )
    episodes_per_step: int = option(
        1, "episodes averaged in one step", whole(1), group="Episodes", tunable=True, methods=_NETWORK
    )

    @property
    def held_out(self) -> str | None:
        """The task that is held out, once it is drawn, or None where none is."""
        return None if self.target_task in (NO_TARGET, FOLDS) else self.target_task

    @property
    def name(self) -> DatasetName:
        """The dataset's name, once it is known."""
        assert self.dataset is not None
        return DatasetName(self.dataset)


@dataclasses.dataclass(frozen=True)
class ModelConfig(Section, group="Model"):
    """Which model."""

    num_selected: int = option(
        10,
        "K, features to select; --mode=select takes any K, 'auto' for as many as are worth measuring, or the "
        "model's own if none is given",
        whole(1),
        modes=(*WITH_ROWS, "inspect", "select"),
    )
    selection: str = option(
        "argmax",
        "'argmax' (the paper) or 'unique' (K distinct features)",
        one_of("argmax", "unique"),
        methods=_NETWORK,
    )
    embedding_units: int = option(
        64, "units of the support set's embedding", whole(1, MOST_UNITS), tunable=True, methods=_NETWORK
    )
    selector_dim: int = option(
        300, "T, the size of each selector's parameter pi", whole(1, MOST_UNITS), tunable=True, methods=_NETWORK
    )
    pi_stddev: float = option(
        0.05, "standard deviation of the initial pi", number(), tunable=True, methods=_NETWORK
    )
    decoder_units: tuple[int, ...] = option(
        (32, 32),
        "units of the decoder's hidden layers",
        wholes(1, MOST_UNITS, "32,32"),
        tunable=True,
        methods=_NETWORK,
    )
    task_code_dim: int = option(
        1, "the size of the decoder's task code r(S)", whole(1, MOST_UNITS), tunable=True, methods=_NETWORK
    )
    output_activation: str = option(
        "auto",
        "what reconstructions end with: 'sigmoid', 'tanh', 'linear', or 'auto' to follow the range of the data",
        one_of("auto", "sigmoid", "tanh", "linear"),
        methods=_NETWORK,
    )


@dataclasses.dataclass(frozen=True)
class TrainingConfig(Section, group="Training"):
    """How it is trained."""

    loss: str = option(
        "reconstruction",
        "'reconstruction': select features that all others follow from; 'cross_entropy': select features that "
        "predict the rows' labels (the support rows need none)",
        one_of(*LOSSES),
        before="reconstruction",
    )
    steps: int = option(50000, "training steps; a posterior's residual network takes 6000 at most", whole(1))
    learning_rate: float = option(0.001, "Adam's learning rate", number(), tunable=True)
    initial_temperature: float = option(
        10.0, "T_0, tau at the first step", number(), tunable=True, methods=_NETWORK
    )
    final_temperature: float = option(
        0.01, "T_1, tau at the last step", number(), tunable=True, methods=_NETWORK
    )
    noise: str = option(
        "on", "'on' or 'off': Gumbel noise in training", one_of("on", "off"), tunable=True, methods=_NETWORK
    )
    eval_every: int = option(500, "steps between validations", whole(1), methods=_NETWORK)
    residual: str = option(
        "auto",
        "'on', 'off' or 'auto': train a network that corrects what the posterior infers, and keep it if it is "
        "better on source tasks that were left out; 'auto' where there are enough rows",
        one_of("auto", "on", "off"),
        methods=(POSTERIOR,),
        before="off",
    )
    jit: str = option(
        "auto",
        "'on', 'off' or 'auto': compile the training loop with XLA",
        one_of("auto", "on", "off"),
        methods=_NETWORK,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.final_temperature > self.initial_temperature:
            raise InvalidOption(
                f"final_temperature must not be above initial_temperature, {self.initial_temperature}, because "
                f"the temperature falls during training, but received {self.final_temperature}."
            )

    @property
    def predicts_labels(self) -> bool:
        """Whether the decoder gives classes instead of features."""
        return self.loss == "cross_entropy"


@dataclasses.dataclass(frozen=True)
class RunConfig(Section, group="Training"):
    """All that decides a run's result: two runs with equal RunConfig give the same model."""

    data: DataConfig = part()
    model: ModelConfig = part()
    training: TrainingConfig = part()
    method: str | None = option(
        None,
        "'posterior': features and reconstructions from the new task's posterior; 'concrete': the paper's "
        "network (default concrete with --loss=cross_entropy, --mode=tune or --distribute=multi_worker, else "
        "posterior)",
        one_of(*METHODS_OF_RUNS),
        group="Model",
        before=CONCRETE,
    )
    seed: int = option(0, "what every draw of the run depends on", whole(0))

    @property
    def learns_from_all_rows(self) -> bool:
        """Whether every row of every source task is learned from, and none validates.

        The paper's splits are for its datasets with a target.
        """
        no_target = self.data.target_task in (NO_TARGET, FOLDS)
        return self.method == POSTERIOR and (no_target or self.data.name.is_table)

    @classmethod
    def from_flags(cls, values: Mapping[str, Any]) -> "RunConfig":
        """Build the tree from flag names and values, as `to_flags` gives them; others are passed over."""
        return built(cls, values)

    def identity(self) -> dict[str, Any]:
        """Give what tells this run from others: a table by its content, whatever its file is called."""
        return {**self.to_flags(), "dataset": self.data.name.content}

    def to_flags(self) -> dict[str, Any]:
        """Flatten the tree to flag names and values, as `config.json` stores them."""
        parts = (self, self.data, self.model, self.training)
        return {name: value for section in parts for name, value in section.to_options().items()}


def default_scaling(table: bool) -> str:
    """Choose the scaling: standard for a table, none for the builders' data, which is as the paper has it."""
    return "standard" if table else "none"


def default_query_size(support_size: int) -> int:
    """Give the paper's N_Q, which makes N_S + N_Q = 64, and at least one row."""
    return max(PAPER_EPISODE_ROWS - support_size, 1)


def settle_jit(jit: str, steps: int) -> str:
    """Decide `auto` from the total number of steps."""
    if jit != "auto":
        return jit
    return "on" if steps >= JIT_STEPS else "off"


# Every option of a run, by its name.
RUN_OPTIONS: Mapping[str, Option] = {
    name: option
    for section in (TrainingConfig, DataConfig, ModelConfig, RunConfig)
    for name, option in options(section).items()
}
