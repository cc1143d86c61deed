"""How long a grid will take, from how long its groups of cells took."""

import collections
import itertools
from collections.abc import Iterable, Sequence

from tffs.experiments.grid import Cell


class TimeLeft:
    """Learns what groups of cells cost, by dataset and method, and estimates what is left.

    Args:
        workers: how many groups are at work at a time.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._spent: dict[tuple, list[float]] = collections.defaultdict(list)

    def learn(self, group: Sequence[Cell], seconds: float) -> None:
        """Note that `group` took `seconds`."""
        self._spent[_kind(group)].append(seconds)

    def estimate(self, groups: Iterable[Sequence[Cell]], shares: Iterable[float]) -> float | None:
        """Give the seconds until everything is done, or None before the first group is.

        Args:
            groups: those that are not done, those at work first.
            shares: which share of each group at work is done.
        """
        means = {kind: sum(spent) / len(spent) for kind, spent in self._spent.items()}
        if not means:
            return None
        usual = sum(means.values()) / len(means)
        done = itertools.chain(shares, itertools.repeat(0.0))
        costs = [
            means.get(_kind(group), usual) * (1 - share) for group, share in zip(groups, done, strict=False)
        ]
        return sum(costs) / min(self._workers, max(len(costs), 1))


def _kind(group: Sequence[Cell]) -> tuple:
    return group[0].dataset, group[0].method
