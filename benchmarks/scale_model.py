"""The laws that measured costs are fitted to, and what they say of larger tables."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import nnls

from tffs.data.source_statistics import PASSES as STATISTICS_PASSES
from tffs.data.sums import BLOCK_BYTES
from tffs.posterior.mixture import MOST_NUMBERS, MOST_STEPS, MOST_WORK
from tffs.posterior.sketch import MEANS, MORE
from tffs.posterior.sketch import PASSES as SKETCH_PASSES
from tffs.posterior.source import DENSE_FEATURES

COMPONENTS = (8, 32)  # of the mixtures that are tried, as `tffs.posterior.choosing` has them
OWN_GROUPS, GROUPS = 8, 5  # of tasks that are left out in turn, as `tffs.posterior.fitting` deals them
NUMBER = 8  # bytes of a number in a sum
READING, FITTING = 48, 24  # bytes a row in the main process with Beam: at most before it fits, and as it fits
READ_PASSES = 1 + STATISTICS_PASSES  # where each row is, and what scaling needs
PASS_BYTES = 512 * 2**20  # of sums that one pass computes, as `tffs.data.beam_sums.WORKER_BYTES`
SHARD_BYTES = 256 * 2**20  # of rows in a file, as `table_dataset_builder.SHARD_BYTES`
BLOCK = 32 * 2**20  # bytes of rows in a worker: blocks of 4 MB, read ahead, scaled and in float64
LINK = 125e6  # bytes a second that a worker sends: 1 Gbit/s


@dataclasses.dataclass(frozen=True)
class Size:
    """A table and a choice: N rows, T tasks, M features, rank r of W, K features to choose."""

    N: float = 0.0
    T: float = 0.0
    M: float = 0.0
    r: float = 0.0
    K: float = 0.0

    @property
    def full(self) -> bool:
        """Whether W is a full matrix."""
        return self.M <= DENSE_FEATURES

    @property
    def groups(self) -> float:
        """How many groups of tasks are left out in turn."""
        return self.T if self.T <= OWN_GROUPS else GROUPS

    @property
    def mixtures(self) -> list[int]:
        """How many components the mixtures have that can be tried, as `mixture.possible` says."""
        rows = self.N * (1.0 - 1.0 / max(self.groups, 2.0))
        return [
            count
            for count in COMPONENTS
            if self.full and count * self.M**2 <= MOST_NUMBERS and rows >= 5 * count
        ]


Term = Callable[[Size], float]
TERMS: dict[str, Term] = {
    "1": lambda s: 1.0,
    "N": lambda s: s.N,
    "N M": lambda s: s.N * s.M,
    "N M²": lambda s: s.N * s.M**2,
    "N M r": lambda s: s.N * s.M * s.r,
    "T M": lambda s: s.T * s.M,
    "T M min(T, M)": lambda s: s.T * s.M * min(s.T, s.M),
    "M": lambda s: s.M,
    "M²": lambda s: s.M**2,
    "M³": lambda s: s.M**3,
    "M r": lambda s: s.M * s.r,
    "M r²": lambda s: s.M * s.r**2,
    "K M": lambda s: s.K * s.M,
    "K M²": lambda s: s.K * s.M**2,
    "K M r": lambda s: s.K * s.M * s.r,
    "G M²": lambda s: sum(s.mixtures) * s.M**2,
    "B": lambda s: min(NUMBER * s.N * s.M, BLOCK_BYTES),
}
# Of memory. 1: what any fit makes. N: lists of row numbers. B: copies of the block of rows that is read. T M:
# sums and means of tasks. M², M r: W and what it is factored into, of each fold. G M²: the covariances of the
# mixtures' components, of each fold. M: directions of task means, and rows of tasks that recipes are tried on.
MEMORY = {True: ("1", "N", "B", "T M", "M²", "G M²"), False: ("1", "T M", "M", "M r")}
OF_ROWS = ("N", "B")  # of these terms, what a process holds that sums over rows itself


@dataclasses.dataclass(frozen=True)
class Law:
    """A cost as a sum of terms.

    Attributes:
        what: what costs so much.
        unit: of the cost.
        coefficients: of the terms, by their names.
        misses: measured by predicted cost, of all sizes that were measured.
    """

    what: str
    unit: str
    coefficients: Mapping[str, float]
    misses: Sequence[float]

    def __call__(self, size: Size) -> float:
        """Predict a cost."""
        return sum(self.parts(size).values())

    def parts(self, size: Size) -> dict[str, float]:
        """Predict a cost term by term."""
        return {name: factor * TERMS[name](size) for name, factor in self.coefficients.items()}


def law(what: str, unit: str, terms: Sequence[str], measured: Sequence[tuple[Size, float]]) -> Law:
    """Fit a law by least squares of relative errors; no coefficient is negative."""
    design = np.array([[TERMS[name](size) for name in terms] for size, _ in measured])
    costs = np.array([cost for _, cost in measured])
    relative = design / costs[:, None]
    scale = np.where(relative.any(axis=0), relative.max(axis=0), 1.0)
    factors = nnls(relative / scale, np.ones(len(costs)))[0] / scale
    kept = {name: float(factor) for name, factor in zip(terms, factors, strict=True) if factor > 0.0}
    return Law(what, unit, kept, (costs / (design @ factors)).tolist())


def laws(found: Mapping[str, Any]) -> dict[str, Law]:
    """Fit all laws to what was measured."""
    answers = [(Size(M=one["features"], r=one["rank"], K=one["count"]), one["ms"]) for one in found["answers"]]
    reads = [(Size(N=one["rows"], M=one["features"]), one["read_s"]) for one in found["reads"]]

    def of(full: bool, key: str, among: str = "fits", factor: float = 1.0) -> list[tuple[Size, float]]:
        sizes = ((size_of(one), factor * one[key]) for one in found[among])
        return [(size, cost) for size, cost in sizes if size.full == full]

    def memory(full: bool, among: str, what: str) -> Law:
        of_w = "W full" if full else "W of low rank"
        return law(f"{what}, {of_w}", "bytes", MEMORY[full], of(full, "peak_mb", among, 2.0**20))

    return {
        "read": law("Reading prepared rows", "s", ("N", "N M"), reads),
        "sums full": law("The sums, W full", "s", ("N M", "N M²"), of(True, "sums_s")),
        "sums low rank": law("The sums, W of low rank", "s", ("N M",), of(False, "sums_s")),
        "rest full": law("All else, W full", "s", ("1", "T M", "M²", "M³", "N M", "N M²"), of(True, "rest_s")),
        "rest low rank": law(
            "All else, W of low rank", "s", ("1", "M r", "M r²", "T M min(T, M)", "N M r"), of(False, "rest_s")
        ),
        "memory full": memory(True, "fits", "Memory"),
        "memory low rank": memory(False, "fits", "Memory"),
        "together full": memory(True, "together", "Memory, folds together"),
        "together low rank": memory(False, "together", "Memory, folds together"),
        "answer full": law(
            "Choosing K features, W full",
            "ms",
            ("1", "M²", "K M", "K M²"),
            [one for one in answers if one[0].full],
        ),
        "answer low rank": law(
            "Choosing K features, W of low rank",
            "ms",
            ("1", "M r", "M r²", "K M", "K M r"),
            [one for one in answers if not one[0].full],
        ),
    }


def size_of(fit: Mapping[str, Any]) -> Size:
    """Give the size of a fit that was measured."""
    return Size(fit["tasks"] * fit["rows"], fit["tasks"], fit["features"], fit["rank"])


class Asked(NamedTuple):
    """Sums that a fit asks workers for at once.

    Attributes:
        sums: bytes of each, one for a group or a fold.
        sent: bytes that workers need for each, beside the task means.
        means: bytes of all task means that workers need.
    """

    sums: list[float]
    sent: list[float]
    means: float


def asked(size: Size) -> list[Asked]:
    """List what a fit to many tasks asks for, in order, as `tffs.posterior.fitting` does."""
    width, groups = size.M, int(size.groups)
    each = NUMBER * (3 * width + (width**2 if size.full else 0))
    found = [Asked([each] * groups, [0.0] * groups, 0.0)]

    def about_means(count: int, numbers: float, sent: float, share: float) -> Asked:
        means = NUMBER * share * size.T * width
        return Asked([NUMBER * numbers] * count, [NUMBER * sent] * count, count * means)

    folds, everything = (groups, 1.0 - 1.0 / groups), (1, 1.0)
    if size.full:
        tried = [(number, *folds) for number in size.mixtures]
        chosen = [(number, *everything) for number in size.mixtures[-1:]]  # at most: the largest mixture
        for number, count, share in tried + chosen:
            work = share * size.N * number * width**2
            steps = int(min(MOST_STEPS, MOST_WORK // work))
            numbers = number * (1 + width + width**2)
            found += (1 + steps) * [about_means(count, numbers, number * width, share)]
        return found
    for count, share in (folds, everything):
        drawn = min(size.r + MORE, share * (size.N - size.T), width)
        along = drawn + min(MEANS, share * size.T - 1)
        found += (SKETCH_PASSES - 1) * [about_means(count, width * drawn, width * drawn, share)]
        found.append(about_means(count, along**2, width * along, share))
    return found


def shared_out(asked: Asked) -> list[slice]:
    """Share sums out to passes, as `tffs.data.beam_sums.BeamPasses.sums` does: which of them each computes."""
    starts, room = [0], PASS_BYTES - asked.sums[0]
    for place, one in enumerate(asked.sums[1:], start=1):
        if one > room:
            starts.append(place)
            room = PASS_BYTES
        room -= one
    return [slice(*bounds) for bounds in zip(starts, [*starts[1:], len(asked.sums)], strict=True)]


@dataclasses.dataclass(frozen=True)
class Plan:
    """What a fit to a table would take, with Beam.

    Attributes:
        table_bytes: the rows as float32.
        passes: over all rows.
        spread_seconds: CPU seconds that can be shared by workers: reading, and sums over rows.
        main_seconds: CPU seconds of the main process, after the sums.
        shuffled_bytes: sums that workers hand on, at most: of every file in every pass.
        folder_bytes: task means and sums that go through the folder of the table.
        worker_bytes: sums, what is needed for them and a block of rows, of a worker.
        reading_bytes: of the main process while it finds out where each row is.
        fitting_bytes: of the main process while it fits, by what it holds.
    """

    table_bytes: float
    passes: int
    spread_seconds: float
    main_seconds: float
    shuffled_bytes: float
    folder_bytes: float
    worker_bytes: float
    reading_bytes: float
    fitting_bytes: Mapping[str, float]

    @property
    def main_bytes(self) -> float:
        """The most that the main process holds."""
        return max(self.reading_bytes, sum(self.fitting_bytes.values()))

    @property
    def link_seconds(self) -> float:
        """Seconds of all workers together to hand on their sums."""
        return self.shuffled_bytes / LINK


def plan(size: Size, known: Mapping[str, Law]) -> Plan:
    """Say what a fit to a table would take, by the laws."""
    kind = "full" if size.full else "low rank"
    sums, rest, memory = known[f"sums {kind}"], known[f"rest {kind}"], known[f"together {kind}"]
    over_rows = sum(cost for name, cost in rest.parts(size).items() if name.startswith("N"))
    requests = asked(size)
    passes = [(one, part) for one in requests for part in shared_out(one)]
    table = 4.0 * size.N * size.M
    files = max(round(table / SHARD_BYTES), 1)
    of_file = NUMBER * size.M * min(size.T, size.T / files + 1)  # sums of the tasks in a file
    of_pass = [2.0 * sum(one.sums[part]) + sum(one.sent[part]) for one, part in passes]  # twice to hand them on
    held = {name: cost for name, cost in memory.parts(size).items() if name not in OF_ROWS}
    of_tasks, always = held.pop("T M", 0.0), held.pop("1", 0.0)
    count = READ_PASSES + len(passes)
    return Plan(
        table_bytes=table,
        passes=count,
        spread_seconds=count * known["read"](size) + sums(size) + over_rows,
        main_seconds=rest(size) - over_rows,
        shuffled_bytes=files * sum(sum(one.sums) for one in requests),
        folder_bytes=NUMBER * size.T * size.M + sum(one.means for one in requests),
        worker_bytes=max(max(of_pass), 2.0 * sum(requests[0].sums) + of_file) + BLOCK,
        reading_bytes=READING * size.N,
        fitting_bytes={
            "where each row is": FITTING * size.N,
            "sums and means of tasks": of_tasks,
            "matrices": sum(held.values()),
            "what any fit takes": always,
        },
    )
