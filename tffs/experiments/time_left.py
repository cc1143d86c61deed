"""How long a grid will take, from how long its parts took."""

import collections
from collections.abc import Iterable, Sequence

from tffs.experiments.grid import Cell


class TimeLeft:
    """Learns what jobs cost, by dataset and method, and estimates what is left.

    Args:
        workers: how many jobs run at a time.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._spent: dict[tuple, list[float]] = collections.defaultdict(list)

    def learn(self, job: Sequence[Cell], seconds: float) -> None:
        """Note that `job` took `seconds`."""
        self._spent[_kind(job)].append(seconds)

    def estimate(self, jobs: Iterable[Sequence[Cell]], shares: Iterable[float]) -> float | None:
        """Give the seconds until everything is done, or None before the first job is.

        Args:
            jobs: the jobs that are not done, those at work first.
            shares: which share of each job at work is done.
        """
        means = {kind: sum(spent) / len(spent) for kind, spent in self._spent.items()}
        if not means:
            return None
        usual = sum(means.values()) / len(means)
        done = list(shares)
        costs = [means.get(_kind(job), usual) for job in jobs]
        costs = [
            cost * (1.0 - (done[number] if number < len(done) else 0.0)) for number, cost in enumerate(costs)
        ]
        return sum(costs) / min(self._workers, max(len(costs), 1))


def _kind(job: Sequence[Cell]) -> tuple:
    return job[0].dataset, job[0].method
