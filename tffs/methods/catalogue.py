"""Every method that can be fitted and compared, as data: what it may see, and what makes it differ from ours.

A method is fitted by `METHODS[name].fit(setting, session)`. Nothing here imports TensorFlow.
"""

import dataclasses
import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tffs.errors import UserError

if TYPE_CHECKING:
    from tffs.config import RunConfig
    from tffs.methods.fit_record import FitRecord
    from tffs.methods.fitted import Fitted, FittedModel, FittedRun
    from tffs.planning.setting import Setting
    from tffs.training.session import Session

POSTERIOR, CONCRETE = "posterior", "concrete"
FINE_TUNING_STEPS = 1000


@dataclasses.dataclass(frozen=True, kw_only=True)
class Method:
    """How a model, or a choice of features, is fitted to a settled run.

    Attributes:
        rows: what it sees: `episodes` of source tasks, or rows pooled from `source`, the target's `support`, or
            `source_and_support`.
        loss: what is minimized: `reconstruction` or, for episodes only, `cross_entropy`.
        starts_from: the method whose fit it starts from, or None.
        chooses_all: whether it takes every feature, whatever K is.
    """

    rows: str = "episodes"
    loss: str = "reconstruction"
    starts_from: str | None = None
    chooses_all: bool = False

    @property
    def depends_on(self) -> tuple[str, ...]:
        """What a fit differs by, beside the dataset and the split."""
        if self.chooses_all:
            return ("support_size",)
        return ("num_selected",) if self.rows == "source" else ("support_size", "num_selected")

    @property
    def takes_turns(self) -> bool:
        """Whether fits that differ in N_S alone cost less together, by `fit_in_turns`."""
        return False

    def fit(self, setting: "Setting", session: "Session", start: "Fitted | None" = None) -> "Fitted":
        """Fit to a run; `start` is what `starts_from` gave for the same run."""
        raise NotImplementedError

    def fit_in_turns(self, settings: "Sequence[Setting]", session: "Session") -> "Sequence[Fitted | Exception]":
        """Fit to several runs that differ in N_S alone; what fails is given in its place."""
        raise NotImplementedError


@dataclasses.dataclass(frozen=True)
class Trained(Method):
    """A selector and a decoder that learn together by gradient descent.

    Attributes:
        model: arguments of `concrete_model` that differ from the run's.
        training: fields of `TrainingConfig` that differ from the run's.
        keeps: the weights of the `best` validation error (early stopping), or the `last` ones.
        learns: which part learns, `selector`, or None for all.
    """

    model: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    training: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    keeps: str = "best"
    learns: str | None = None

    def fit(self, setting: "Setting", session: "Session", start: "Fitted | None" = None) -> "FittedModel":
        """Train."""
        from tffs.methods.gradient import train

        return train(self, setting, session, start)

    @property
    def takes_turns(self) -> bool:
        """Whether fits that differ in N_S alone cost less together: they draw the same noise."""
        return self.starts_from is None and "support_size" in self.depends_on

    def fit_in_turns(
        self, settings: "Sequence[Setting]", session: "Session"
    ) -> "list[FittedModel | Exception]":
        """Train for several runs, a few steps of each at a time; what fails is given in its place."""
        from tffs.methods.gradient import train_together

        return train_together(self, settings, session)

    def restored(self, model: Any, record: "FitRecord") -> "FittedModel":
        """Give what was fitted before, from its model and its record."""
        from tffs.methods.gradient import restored

        return restored(model, record)


@dataclasses.dataclass(frozen=True)
class Ranked(Method):
    """A ranking of all features without learning, of which the first K are taken; it reconstructs nothing.

    Attributes:
        baseline: `<module>.<function>` in `tffs.baselines`; the function takes source rows and support rows,
            each [rows, features], and gives rankings, best feature first.
    """

    baseline: str

    @property
    def depends_on(self) -> tuple[str, ...]:
        """What a fit differs by: it ranks all features, whatever K is."""
        return ("support_size",)

    def fit(self, setting: "Setting", session: "Session", start: "Fitted | None" = None) -> "Fitted":
        """Rank the features."""
        from tffs.methods.ranking import rank

        return rank(self, setting)


@dataclasses.dataclass(frozen=True)
class Fixed(Method):
    """Features chosen without learning, the same for every task, with a decoder that is trained on them.

    Attributes:
        baseline: `<module>.<function>` in `tffs.baselines`; the function takes the tasks, the training rows, K
            and the seed, and gives the features.
    """

    baseline: str

    def fit(self, setting: "Setting", session: "Session", start: "Fitted | None" = None) -> "FittedModel":
        """Choose, and train the decoder."""
        from tffs.methods.gradient import train_decoder

        return train_decoder(self, setting, session)


@dataclasses.dataclass(frozen=True)
class Posterior(Method):
    """The new task's posterior in closed form, and what is chosen to go with it on left-out source tasks.

    Attributes:
        components: numbers of components that the decoder's mixture may have; without any it is linear.
        residual: whether a network may correct it, where the run's configuration allows it.
    """

    components: tuple[int, ...] = (8, 32)
    residual: bool = True

    @property
    def depends_on(self) -> tuple[str, ...]:
        """What a fit differs by: nothing, because one model answers for every support and every K."""
        return ()

    def fit(self, setting: "Setting", session: "Session", start: "Fitted | None" = None) -> "FittedRun":
        """Learn the source tasks' statistics, and choose what they leave open."""
        from tffs.methods.posterior import fit

        return fit(self, setting, session)

    def restored(self, model: Any, record: "FitRecord") -> "FittedRun":
        """Give what was fitted before, from its model and its record."""
        from tffs.methods.posterior import restored

        return restored(model, record)


@dataclasses.dataclass(frozen=True)
class LearnedSelection(Method):
    """The paper's selectors, trained through the posterior as their decoder; K distinct features."""

    starts_from: str | None = POSTERIOR

    def fit(self, setting: "Setting", session: "Session", start: "Fitted | None" = None) -> "FittedModel":
        """Train the selectors."""
        from tffs.methods.gradient import train_through_posterior

        return train_through_posterior(setting, session, start)


@dataclasses.dataclass(frozen=True)
class Pooled(Method):
    """One order of all features for every task, and one Gaussian of all source rows to decode with.

    Attributes:
        order: `greedy` (column subset selection on the pooled covariance), `variance` (the highest first) or
            `random`.
    """

    order: str

    @property
    def depends_on(self) -> tuple[str, ...]:
        """What a fit differs by: nothing, because it orders all features for every support."""
        return ()

    def fit(self, setting: "Setting", session: "Session", start: "Fitted | None" = None) -> "Fitted":
        """Take the covariance of all source rows, and order the features."""
        from tffs.methods.pooled import fit

        return fit(self, setting)


def baseline(name: str) -> Callable[..., Any]:
    """Give the function that `<module>.<function>` names in `tffs.baselines`."""
    module, function = name.split(".")
    return getattr(importlib.import_module(f"tffs.baselines.{module}"), function)


def _at(tau: float) -> dict[str, float]:
    return {"initial_temperature": tau, "final_temperature": tau}


_CAE: dict[str, Any] = {"selector": "direct", "task_code_dim": 0}
_TAUS = {"tau0.01": _at(0.01), "tau1": _at(1.0), "tau10": _at(10.0)}
# Weights uniform within 1 / sqrt(inputs), as PyTorch starts them, in which the paper was implemented.
_FAN_IN: dict[str, Any] = {
    "kernel_initializer": {
        "class_name": "VarianceScaling",
        "config": {"scale": 1 / 3, "mode": "fan_in", "distribution": "uniform"},
    }
}
_RANDOM, _VARIANCE = "fixed_choices.random_features", "fixed_choices.highest_variance_features"
_ALL = "fixed_choices.all_features"
# Fine-tuning goes on where the annealing ended: at the final temperature.
_FINE_TUNING = {**_at(0.01), "steps": FINE_TUNING_STEPS, "jit": "off"}

METHODS: dict[str, Method] = {
    "posterior": Posterior(),
    "posterior_linear": Posterior(components=(), residual=False),
    "concrete_posterior": LearnedSelection(),
    "greedy": Pooled("greedy"),
    "ours": Trained(),
    "ours_wo_r": Trained(model={"task_code_dim": 0}),
    "ours_wo_alpha": Trained(model={"selector": "direct"}),
    **{f"ours_{name}": Trained(training=training) for name, training in _TAUS.items()},
    "ours_wo_noise": Trained(training={"noise": "off"}),
    **{f"ours_T{size}": Trained(model={"selector_dim": size}) for size in (1, 10, 50, 100, 200, 300, 400)},
    "ours_last": Trained(keeps="last"),
    "ours_fan_in": Trained(model=_FAN_IN),
    "ours_wo_r_fan_in": Trained(model={"task_code_dim": 0, **_FAN_IN}),
    **{f"ours_pi{stddev:g}": Trained(model={"pi_stddev": stddev}) for stddev in (0.3, 1.0)},
    "cae_s": Trained(_CAE, rows="source"),
    "cae_t": Trained(_CAE, rows="support"),
    "cae_st": Trained(_CAE, _FINE_TUNING, "last", rows="support", starts_from="cae_s"),
    "cae_st_selector": Trained(_CAE, _FINE_TUNING, "last", "selector", rows="support", starts_from="cae_s"),
    "cae_st_sim": Trained(_CAE, rows="source_and_support"),
    **{f"cae_s_{name}": Trained(_CAE, training, rows="source") for name, training in _TAUS.items()},
    "cae_s_wo_noise": Trained(_CAE, {"noise": "off"}, rows="source"),
    "cae_s_fan_in": Trained({**_CAE, **_FAN_IN}, rows="source"),
    "cae_s_indirect": Trained({**_CAE, "selector": "embedding"}, rows="source"),
    "ls_t": Ranked("laplacian_score.rankings", rows="support"),
    "ls_st": Ranked("laplacian_score.rankings", rows="source_and_support"),
    "spec_t": Ranked("spec.rankings", rows="support"),
    "spec_st": Ranked("spec.rankings", rows="source_and_support"),
    "spec_t_corrected": Ranked("spec.corrected_rankings", rows="support"),
    "spec_st_corrected": Ranked("spec.corrected_rankings", rows="source_and_support"),
    "random": Fixed(_RANDOM, rows="source"),
    "variance": Fixed(_VARIANCE, rows="source"),
    "all": Ranked("fixed_choices.every_feature", rows="source_and_support", chooses_all=True),
    "ours_supervised": Trained(loss="cross_entropy"),
    "random_supervised": Fixed(_RANDOM, loss="cross_entropy"),
    "all_supervised": Fixed(_ALL, loss="cross_entropy", chooses_all=True),
}

# What a run of the paper's network is compared with: the same decoder, trained in the same way, on features
# that need no learning.
YARDSTICKS: dict[str, Method] = {"random": Fixed(_RANDOM), "variance": Fixed(_VARIANCE)}
# The same where labels are predicted; all features show what choosing costs.
YARDSTICKS_OF_CLASSIFIERS: dict[str, Method] = {**YARDSTICKS, "all": Fixed(_ALL, chooses_all=True)}
# What the posterior is compared with, and the methods in closed form that are meant by these names beside it.
YARDSTICKS_OF_POSTERIOR: tuple[str, ...] = ("greedy", "variance", "random")
CLOSED_FORM: dict[str, Pooled] = {name: Pooled(name) for name in YARDSTICKS_OF_POSTERIOR}

_ALIASES = {CONCRETE: "ours"}
# What can be compared with a run, by the names of --compare.
COMPARABLE = tuple(dict.fromkeys((*METHODS, *CLOSED_FORM, *_ALIASES)))
_TITLES = {
    "random": "{k} random features",
    "variance": "{k} features of highest variance",
    "greedy": "{k} features chosen greedily",
    "all": "all features",
    **dict.fromkeys((CONCRETE, "ours"), "the paper's network, {k} features"),
}

# What a run can be fitted with, by the names of --method.
METHODS_OF_RUNS: dict[str, Trained | Posterior] = {POSTERIOR: Posterior(), CONCRETE: Trained()}


def method_of_runs(config: "RunConfig") -> Trained | Posterior:
    """Give the method that a run is fitted with."""
    assert config.method is not None
    return METHODS_OF_RUNS[config.method]


def compared(run: "RunConfig", names: Sequence[str]) -> dict[str, Method]:
    """Give the methods that are measured beside a run's own, by name.

    Args:
        run: what they are measured beside.
        names: of `COMPARABLE`; the yardsticks of the run's method if there are none. One that cannot do what
            the run asks for raises `UserError`.
    """
    classifies = run.training.predicts_labels
    if run.method == POSTERIOR:
        known = {**METHODS, **CLOSED_FORM}
        names = names or YARDSTICKS_OF_POSTERIOR
    else:
        yardsticks = YARDSTICKS_OF_CLASSIFIERS if classifies else YARDSTICKS
        known = {**CLOSED_FORM, **METHODS, **yardsticks}
        names = names or tuple(yardsticks)
    found = {name: known[_ALIASES.get(name, name)] for name in names}
    unable = [name for name, method in found.items() if not trains_a_network(method)]
    if classifies and unable:
        raise UserError(
            f"--compare={unable[0]} predicts no labels, which --loss=cross_entropy asks for: leave it out."
        )
    return found


def trains_a_network(method: Method) -> bool:
    """Tell whether the options of the paper's network are of use to a method."""
    return isinstance(method, (Trained, Fixed))


def shown_as(name: str, num_selected: int) -> str:
    """Give what people call a method that is compared with a run."""
    return _TITLES.get(name, f"{name}, {{k}} features").format(k=num_selected)
