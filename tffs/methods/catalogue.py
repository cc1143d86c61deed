"""Every method that can be compared, as data: what it may see, and what makes it differ from ours."""

import dataclasses
from collections.abc import Mapping
from typing import Any

HEATS = (0.1, 1.0, 10.0, 100.0)  # of the Laplacian score's kernel (appendix B)
NEIGHBOURS = {"support": (1, 3, 5), "source_and_support": (5,)}
FINE_TUNING_STEPS = 1000


@dataclasses.dataclass(frozen=True)
class Trained:
    """A selector and a decoder that learn together.

    Attributes:
        rows: what a training step is made of: `episodes` of source tasks, or rows pooled from `source`, the
            target's `support`, or `source_and_support`.
        model: arguments of `concrete_model` that differ from the run's.
        training: fields of `TrainingConfig` that differ from the run's.
        starts_from: the method whose weights it starts from, or None.
        keeps: the weights of the `best` validation error (early stopping), or the `last` ones.
        learns: which part learns, `selector`, or None for all.
        loss: `reconstruction` or, for episodes only, `cross_entropy`.
    """

    rows: str = "episodes"
    model: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    training: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    starts_from: str | None = None
    keeps: str = "best"
    learns: str | None = None
    loss: str = "reconstruction"

    @property
    def depends_on(self) -> tuple[str, ...]:
        """What a fit differs by, beside the dataset and the split."""
        return ("num_selected",) if self.rows == "source" else ("support_size", "num_selected")


@dataclasses.dataclass(frozen=True)
class Ranked:
    """A ranking of all features without learning, of which the first K are taken; it reconstructs nothing.

    Attributes:
        score: `laplacian`, `spec` (in scikit-feature's order) or `spec_corrected`.
        rows: what it sees: the target's `support`, or `source_and_support`.
    """

    score: str
    rows: str
    starts_from: None = None
    loss: str = "reconstruction"

    @property
    def depends_on(self) -> tuple[str, ...]:
        """What a fit differs by, beside the dataset and the split."""
        return ("support_size",)


@dataclasses.dataclass(frozen=True)
class Fixed:
    """A yardstick: features chosen without learning.

    Attributes:
        choice: `random` or `variance`, the same for every task, or `all` for every feature.
        loss: with `reconstruction`, the choice has the decoder of `cae_s` trained in its way, but of `all` only
            the clusters are looked at; with `cross_entropy`, it has our decoder trained on the same episodes.
    """

    choice: str
    loss: str = "reconstruction"
    starts_from: None = None

    @property
    def decodes(self) -> bool:
        """Whether it has a decoder, which is to be trained."""
        return self.choice != "all" or self.loss == "cross_entropy"

    @property
    def depends_on(self) -> tuple[str, ...]:
        """What a fit differs by, beside the dataset and the split."""
        if self.choice == "all":
            return ("support_size",)
        return ("support_size", "num_selected") if self.loss == "cross_entropy" else ("num_selected",)


Method = Trained | Ranked | Fixed


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
    "cae_st": Trained("support", _CAE, _FINE_TUNING, "cae_s", "last"),
    "cae_st_selector": Trained("support", _CAE, _FINE_TUNING, "cae_s", "last", learns="selector"),
    "cae_st_sim": Trained("source_and_support", _CAE),
    **{f"cae_s_{name}": Trained("source", _CAE, training) for name, training in _TAUS.items()},
    "cae_s_wo_noise": Trained("source", _CAE, {"noise": "off"}),
    "cae_s_fan_in": Trained("source", {**_CAE, **_FAN_IN}),
    "cae_s_indirect": Trained("source", {**_CAE, "selector": "embedding"}),
    "ls_t": Ranked("laplacian", "support"),
    "ls_st": Ranked("laplacian", "source_and_support"),
    "spec_t": Ranked("spec", "support"),
    "spec_st": Ranked("spec", "source_and_support"),
    "spec_t_corrected": Ranked("spec_corrected", "support"),
    "spec_st_corrected": Ranked("spec_corrected", "source_and_support"),
    "random": Fixed("random"),
    "variance": Fixed("variance"),
    "all": Fixed("all"),
    "ours_supervised": Trained(loss="cross_entropy"),
    "random_supervised": Fixed("random", loss="cross_entropy"),
    "all_supervised": Fixed("all", loss="cross_entropy"),
}
