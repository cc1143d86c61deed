"""What every peer trains: sizes, rows, initial weights and one fixed episode."""

import dataclasses
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

TASKS, ROWS_A_TASK = 4, 800
ANNEALING_STEPS, INITIAL_TEMPERATURE, FINAL_TEMPERATURE = 50_000, 10.0, 0.01
LEARNING_RATE, BETA_1, BETA_2, EPSILON = 1e-3, 0.9, 0.999, 1e-8
CHECK_TEMPERATURE = 1.0


@dataclasses.dataclass(frozen=True)
class Size:
    """The sizes of one model.

    Attributes:
        features: M.
        selected: K.
        embedding: size of f in both permutation-invariant networks.
        hidden: sizes of the decoder's hidden layers.
        steps: training steps in one measurement.
        chunk: steps in one call, for a peer that has no length of its own.
        support: N_S.
        query: N_Q.
        selector_dim: T.
    """

    features: int
    selected: int
    embedding: int = 64
    hidden: tuple[int, ...] = (32, 32)
    steps: int = 3000
    chunk: int = 100
    support: int = 4
    query: int = 60
    selector_dim: int = 300

    @property
    def name(self) -> str:
        """How tables call it."""
        return f"M={self.features} K={self.selected}"


SIZES = {
    size.name: size
    for size in (
        Size(256, 10),
        Size(256, 20),
        Size(256, 50),
        Size(4096, 50, 512, (256, 256), steps=120, chunk=20),
    )
}


class Peer(NamedTuple):
    """A model ready to train.

    Attributes:
        chunk: how many steps `run` trains.
        run: train one chunk, everything random drawn anew every step, and wait for it.
        losses: train so many steps on the fixed episode, noise and temperature; give their losses.
    """

    chunk: int
    run: Callable[[], None]
    losses: Callable[[int], list[float]]


def rows(size: Size) -> np.ndarray:
    """Draw the rows of all tasks: float32 [tasks, rows, features] in [0, 1)."""
    return np.random.default_rng(1).random((TASKS, ROWS_A_TASK, size.features), dtype=np.float32)


def weights(size: Size) -> dict[str, np.ndarray]:
    """Draw initial weights: Glorot-uniform kernels, zero biases, a small normal pi.

    g of eq. 3 comes as the two parts of its kernel: `g_support` [E, M] and `g_pi` [T, M].
    """
    rng = np.random.default_rng(2)

    def kernel(inputs: int, outputs: int) -> np.ndarray:
        limit = np.sqrt(6.0 / (inputs + outputs))
        return rng.uniform(-limit, limit, (inputs, outputs)).astype(np.float32)

    features, embedding, dim = size.features, size.embedding, size.selector_dim
    g = kernel(embedding + dim, features)
    drawn = {
        "f": kernel(features, embedding),
        "f_bias": np.zeros(embedding, np.float32),
        "g_support": g[:embedding],
        "g_pi": g[embedding:],
        "g_bias": np.zeros(features, np.float32),
        "pi": rng.normal(0.0, 0.05, (size.selected, dim)).astype(np.float32),
        "code_f": kernel(features, embedding),
        "code_f_bias": np.zeros(embedding, np.float32),
        "code_g": kernel(embedding, 1),
        "code_g_bias": np.zeros(1, np.float32),
    }
    width = size.selected + 1
    for index, units in enumerate((*size.hidden, features)):
        drawn[f"h{index}"] = kernel(width, units)
        drawn[f"h{index}_bias"] = np.zeros(units, np.float32)
        width = units
    return drawn


def fixed_episode(size: Size) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give the support, query and Gumbel noise on which the peers must agree."""
    rng = np.random.default_rng(3)
    episode = rng.random((size.support + size.query, size.features), dtype=np.float32)
    noise = rng.gumbel(size=(size.selected, size.features)).astype(np.float32)
    return episode[: size.support], episode[size.support :], noise


def temperature(step: float) -> float:
    """Compute the annealed tau of a step."""
    return INITIAL_TEMPERATURE * (FINAL_TEMPERATURE / INITIAL_TEMPERATURE) ** (step / ANNEALING_STEPS)
