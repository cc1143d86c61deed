"""Every method that can be fitted and compared, as data: what it may see, and what makes it differ from ours.

A method is fitted by `METHODS[name].fit(setting, session)`. Nothing here imports TensorFlow.
"""

import dataclasses
import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tffs.methods.fitted import Fitted, FittedModel
    from tffs.planning.setting import Setting
    from tffs.training.session import Session

FINE_TUNING_STEPS = 1000


@dataclasses.dataclass(frozen=True, kw_only=True)
class Method:
    """How a model, or a choice of features, is fitted to a settled run.

    Attributes:
        loss: what is minimized: `reconstruction` or, for episodes only, `cross_entropy`.
        starts_from: the method whose fit it starts from, or None.
        chooses_all: whether it takes every feature, whatever K is.
        title: what people call it; {k} stands for K.
    """

    loss: str = "reconstruction"
    starts_from: str | None = None
    chooses_all: bool = False
    title: str = ""

    @property
    def depends_on(self) -> tuple[str, ...]:
        """What a fit differs by, beside the dataset and the split."""
        return ("support_size", "num_selected")

    def fit(self, setting: "Setting", session: "Session", start: "Fitted | None" = None) -> "Fitted":
        """Fit to a run; `start` is what `starts_from` gave for the same run."""
        raise NotImplementedError


@dataclasses.dataclass(frozen=True)
class Trained(Method):
    """A selector and a decoder that learn together by gradient descent.

    Attributes:
        rows: what a training step is made of: `episodes` of source tasks, or rows pooled from `source`, the
            target's `support`, or `source_and_support`.
        model: arguments of `concrete_model` that differ from the run's.
        training: fields of `TrainingConfig` that differ from the run's.
        keeps: the weights of the `best` validation error (early stopping), or the `last` ones.
        learns: which part learns, `selector`, or None for all.
    """

    rows: str = "episodes"
    model: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    training: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    keeps: str = "best"
    learns: str | None = None

    @property
    def depends_on(self) -> tuple[str, ...]:
        """What a fit differs by, beside the dataset and the split."""
        return ("num_selected",) if self.rows == "source" else super().depends_on

    def fit(self, setting: "Setting", session: "Session", start: "Fitted | None" = None) -> "FittedModel":
        """Train."""
        from tffs.methods.gradient import train

        return train(self, setting, session, start)


@dataclasses.dataclass(frozen=True)
class Ranked(Method):
    """A ranking of all features without learning, of which the first K are taken; it reconstructs nothing.

    Attributes:
        baseline: `<module>.<function>` in `tffs.baselines`; the function takes source rows and support rows,
            each [rows, features], and gives rankings, best feature first.
        rows: what it sees: the target's `support`, or `source_and_support`.
    """

    baseline: str
    rows: str

    @property
    def depends_on(self) -> tuple[str, ...]:
        """What a fit differs by, beside the dataset and the split."""
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
        rows: what a training step of the decoder is made of: rows pooled from `source`, as for `cae_s`, or
            `episodes` of source tasks, as for ours.
    """

    baseline: str
    rows: str = "source"

    @property
    def depends_on(self) -> tuple[str, ...]:
        """What a fit differs by, beside the dataset and the split."""
        if self.chooses_all:
            return ("support_size",)
        return ("num_selected",) if self.rows == "source" else super().depends_on

    def fit(self, setting: "Setting", session: "Session", start: "Fitted | None" = None) -> "FittedModel":
        """Choose, and train the decoder."""
        from tffs.methods.gradient import train_decoder

        return train_decoder(self, setting, session)


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
    "ours": Trained(),
    "ours_wo_r": Trained(model={"task_code_dim": 0}),
    "ours_wo_alpha": Trained(model={"selector": "direct"}),
    **{f"ours_{name}": Trained(training=training) for name, training in _TAUS.items()},
    "ours_wo_noise": Trained(training={"noise": "off"}),
    **{f"ours_T{size}": Trained(model={"selector_dim": size}) for size in (1, 10, 50, 100, 200, 300, 400)},
    "ours_last": Trained(keeps="last"),
    "ours_fan_in": Trained(model=_FAN_IN),
    **{f"ours_pi{stddev:g}": Trained(model={"pi_stddev": stddev}) for stddev in (0.3, 1.0)},
    "cae_s": Trained("source", _CAE),
    "cae_t": Trained("support", _CAE),
    "cae_st": Trained("support", _CAE, _FINE_TUNING, "last", starts_from="cae_s"),
    "cae_st_selector": Trained("support", _CAE, _FINE_TUNING, "last", "selector", starts_from="cae_s"),
    "cae_st_sim": Trained("source_and_support", _CAE),
    **{f"cae_s_{name}": Trained("source", _CAE, training) for name, training in _TAUS.items()},
    "cae_s_wo_noise": Trained("source", _CAE, {"noise": "off"}),
    "cae_s_fan_in": Trained("source", {**_CAE, **_FAN_IN}),
    "cae_s_indirect": Trained("source", {**_CAE, "selector": "embedding"}),
    "ls_t": Ranked("laplacian_score.rankings", "support"),
    "ls_st": Ranked("laplacian_score.rankings", "source_and_support"),
    "spec_t": Ranked("spec.rankings", "support"),
    "spec_st": Ranked("spec.rankings", "source_and_support"),
    "spec_t_corrected": Ranked("spec.corrected_rankings", "support"),
    "spec_st_corrected": Ranked("spec.corrected_rankings", "source_and_support"),
    "random": Fixed(_RANDOM),
    "variance": Fixed(_VARIANCE),
    "all": Ranked("fixed_choices.every_feature", "source_and_support", chooses_all=True),
    "ours_supervised": Trained(loss="cross_entropy"),
    "random_supervised": Fixed(_RANDOM, "episodes", loss="cross_entropy"),
    "all_supervised": Fixed(_ALL, "episodes", loss="cross_entropy", chooses_all=True),
}

# What a run is compared with: the same decoder, trained in the same way, on features that need no learning.
YARDSTICKS: dict[str, Method] = {
    "random": Fixed(_RANDOM, "episodes", title="{k} random features"),
    "variance": Fixed(_VARIANCE, "episodes", title="{k} features of highest variance"),
}
# The same where labels are predicted; all features show what choosing costs.
YARDSTICKS_OF_CLASSIFIERS: dict[str, Method] = {
    **YARDSTICKS,
    "all": Fixed(_ALL, "episodes", chooses_all=True, title="all features"),
}


def method_of_runs() -> Trained:
    """Give the method that a run is fitted with: the paper's."""
    return Trained()
