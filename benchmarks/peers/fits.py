"""What is fitted once for all targets of a split: posteriors, the yardstick `greedy`, concrete autoencoders."""

import dataclasses
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.peers.questions import Question, Target, network_setting, setting_of
from tffs.methods.catalogue import METHODS, POSTERIOR
from tffs.methods.posterior import FittedPosterior
from tffs.training.session import Session

CLOSED = "posterior, no network"
CAE = "concrete autoencoder"
GREEDY = "greedy"
FITTED = (POSTERIOR, CLOSED, GREEDY, CAE)
STEPS = 50_000  # of the concrete autoencoder, as in the paper


@dataclasses.dataclass
class Fits:
    """Fits for one question, made when they are first asked for.

    Attributes:
        question: the split.
        steps: of the concrete autoencoder.
        residual: whether the posterior may have a network: `auto` as by default, or `off`.
        made: what was fitted, by name.
        seconds: of the processor, that each took.
    """

    question: Question
    steps: int = STEPS
    residual: str = "auto"
    made: dict[Any, Any] = dataclasses.field(default_factory=dict)
    seconds: dict[Any, float] = dataclasses.field(default_factory=dict)

    def posterior(self) -> FittedPosterior:
        """Give the posterior as a run has it."""
        return self.of(POSTERIOR)[0]

    def greedy(self) -> FittedPosterior:
        """Give the yardstick: greedy choice and one Gaussian of all source rows."""
        return self.of(GREEDY)[0]

    def of(self, name: str, count: int = 0) -> tuple[Any, float]:
        """Give one of `FITTED`, and the processor's seconds that it took; only autoencoders depend on K."""
        key = (name, count if name == CAE else 0)
        fits: dict[str, Callable[[], Any]] = {
            POSTERIOR: lambda: self._posterior(self.residual),
            CLOSED: lambda: self._posterior("off"),
            GREEDY: lambda: METHODS[GREEDY].fit(self.question.setting, Session()),
            CAE: lambda: self._autoencoder(count),
        }
        return self._once(key, fits[name]), self.seconds[key]

    def error(self, target: Target, features: np.ndarray) -> float:
        """Give the error that the posterior's decoder leaves with these features of a target."""
        return self._once(
            (target.name, frozenset(features.tolist())),
            lambda: self.question.error(
                self.posterior().answer(target.support, target.rows, features), target.rows, features
            ),
        )

    def _posterior(self, residual: str) -> FittedPosterior:
        asked = self.question
        setting = setting_of(asked.table, asked.raw, asked.split, POSTERIOR, residual=residual)
        fitted = METHODS[POSTERIOR].fit(setting, Session())
        fitted.candidates(np.asarray(asked.targets[0].support), 2)  # traces its graph
        return fitted

    def _autoencoder(self, count: int) -> Any:
        changes = {} if self.steps == STEPS else {"eval_every": max(self.steps // 2, 1), "jit": "off"}
        setting = network_setting(self.question, count, steps=self.steps, **changes)
        return METHODS["cae_s"].fit(setting, Session())

    def _once(self, key: Any, fit: Callable[[], Any]) -> Any:
        if key not in self.made:
            began = time.process_time()
            self.made[key] = fit()
            self.seconds[key] = time.process_time() - began
        return self.made[key]
