"""Make a table in which different features are informative in different tasks, so that the support must decide.

The 64 features are in 8 groups, and each group follows one factor. In every task 4 groups are alive; the
factors of the others stand still, and only noise is left of them. How strongly a feature follows its factor
differs a little from task to task. No fixed choice of 4 features suits all tasks. But 4 rows of a task show
which groups are alive, and one feature of each of these tells all 64.

    python -m benchmarks.planted --seed=0 planted.npz    # for --table=planted.npz
"""

import argparse
from typing import NamedTuple

import numpy as np

GROUPS, ALIVE, FEATURES_OF_A_GROUP = 8, 4, 8
FEATURES = GROUPS * FEATURES_OF_A_GROUP
GROUP_OF = np.repeat(np.arange(GROUPS), FEATURES_OF_A_GROUP)
NOISE = 0.1
GAIN_STDDEV = 0.3  # of a feature's loading in a task, as a share of its loading in general


class Planted(NamedTuple):
    """Tasks that share their groups.

    Attributes:
        x: float32 [tasks, rows, 64].
        alive: bool [tasks, 8], which groups are.
    """

    x: np.ndarray
    alive: np.ndarray


def planted(seed: int, tasks: int = 60, rows: int = 100) -> Planted:
    """Draw tasks; the first ones are the same however many there are."""
    loadings = np.random.default_rng([seed]).choice([-1.0, 1.0], FEATURES)
    loadings *= np.random.default_rng([seed, 1]).uniform(0.7, 1.3, FEATURES)
    x = np.empty((tasks, rows, FEATURES), np.float32)
    alive = np.zeros((tasks, GROUPS), bool)
    for task in range(tasks):
        rng = np.random.default_rng([seed, 2, task])
        alive[task, rng.choice(GROUPS, ALIVE, replace=False)] = True
        factors = rng.standard_normal((rows, GROUPS)) * alive[task]
        gains = 1.0 + GAIN_STDDEV * rng.standard_normal(FEATURES)
        x[task] = factors[:, GROUP_OF] * loadings * gains + NOISE * rng.standard_normal((rows, FEATURES))
    return Planted(x, alive)


def write_table(path: str, x: np.ndarray) -> None:
    """Write tasks [tasks, rows, features] as a .npz file that --table reads."""
    tasks, rows, features = x.shape
    np.savez(path, x=x.reshape(-1, features), task=np.repeat(np.arange(tasks), rows))


def main() -> None:
    """Write one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", help="a .npz file")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    write_table(arguments.path, planted(arguments.seed).x)


if __name__ == "__main__":
    main()
