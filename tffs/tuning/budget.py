"""How many trainings of how many steps a search makes; no tuner spends more steps than the others."""

import dataclasses
import math

FACTOR = 3  # a rung of Hyperband keeps the best third and trains it three times as long
# How many parts a full training may have: Hyperband's shortest trainings are one part long, and a schedule
# that is squeezed into less than 1/27 of the steps says little about the full one.
MOST_PARTS = FACTOR**3
MOSTLY = 0.75  # the share of its budget that a Hyperband should spend; whole iterations seldom spend all


@dataclasses.dataclass(frozen=True)
class Budget:
    """What a search may spend.

    Attributes:
        steps: of a full training.
        trainings: how many there are, short ones included.
        total_steps: of all of them.
        parts: into which a full training is divided, which Hyperband calls epochs; 1 for the other tuners.
        iterations: of Hyperband, over all its brackets.
        folds: how often each of the trainings is done, every time validated on another task; the steps above
            are those of one time.
    """

    steps: int
    trainings: int
    total_steps: int
    parts: int = 1
    iterations: int = 1
    folds: int = 1

    def steps_of(self, parts: int) -> int:
        """Give the steps of a training that is `parts` long."""
        return math.ceil(self.steps * parts / self.parts)


def budget_of(tuner: str, trials: int, steps: int, folds: int = 1) -> Budget:
    """Plan a search.

    Args:
        tuner: `random`, `bayesian` or `hyperband`.
        trials: full trainings, or as many steps in shorter ones.
        steps: of a full training.
        folds: how many tasks validate in turn.
    """
    if tuner != "hyperband":
        return Budget(steps, trials, trials * steps, folds=folds)
    parts = _parts_for(trials)
    iterations = math.floor(trials / cost(parts))
    plan = Budget(steps, 0, 0, parts, iterations, folds)
    counts = rungs(parts)
    return dataclasses.replace(
        plan,
        trainings=iterations * sum(count for count, _ in counts),
        total_steps=iterations * sum(count * plan.steps_of(length) for count, length in counts),
    )


def rungs(parts: int) -> list[tuple[int, int]]:
    """List the rungs of all brackets of one iteration, as keras-tuner sizes them.

    Args:
        parts: of a full training, a power of `FACTOR`.

    Returns:
        For each rung the number of its trainings, and how many parts each of them is long.
    """
    most = round(math.log(parts, FACTOR))
    found = []
    for bracket in range(most, -1, -1):
        last = (most + 1) / (bracket + 1)
        for rung in range(bracket + 1):
            shorter = FACTOR ** (bracket - rung)
            found.append((math.ceil(last * shorter), parts // shorter))
    return found


def cost(parts: int) -> float:
    """Give how many full trainings one iteration of Hyperband costs."""
    return sum(count * length for count, length in rungs(parts)) / parts


def _parts_for(trials: int) -> int:
    """Choose how short Hyperband's shortest trainings are: as short as may be where little is left unspent."""
    sizes = [FACTOR**power for power in range(round(math.log(MOST_PARTS, FACTOR)), 0, -1)]
    spent = {parts: math.floor(trials / cost(parts)) * cost(parts) for parts in sizes}
    enough = [parts for parts in sizes if spent[parts] >= MOSTLY * trials]
    return enough[0] if enough else max(sizes, key=spent.__getitem__)


LEAST_HYPERBAND = math.ceil(cost(FACTOR))  # full trainings for the smallest Hyperband that has a short rung
