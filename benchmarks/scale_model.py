"""The laws that measured costs are fitted to, and what they say of larger tables."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.optimize import nnls

DENSE_FEATURES = 2_000  # up to here W is a full matrix
MEANS = 40  # directions of task means that are kept where it is not
NUMBER, INDEX = 8, 24  # bytes of a number in a sum, and of what the main process keeps of a row
BLOCK = 32 * 2**20  # bytes of rows that a worker reads at a time
PASS_BYTES = 512 * 2**20  # of sums that one pass computes, as `tffs.data.beam_sums` shares them out


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


Term = Callable[[Size], float]
TERMS: dict[str, Term] = {
    "1": lambda s: 1.0,
    "N": lambda s: s.N,
    "N M": lambda s: s.N * s.M,
    "N M²": lambda s: s.N * s.M**2,
    "N M r": lambda s: s.N * s.M * s.r,
    "T M": lambda s: s.T * s.M,
    "T M min(T, M)": lambda s: s.T * s.M * min(s.T, s.M),
    "M²": lambda s: s.M**2,
    "M³": lambda s: s.M**3,
    "M r": lambda s: s.M * s.r,
    "M r²": lambda s: s.M * s.r**2,
    "K M": lambda s: s.K * s.M,
    "K M²": lambda s: s.K * s.M**2,
    "K M r": lambda s: s.K * s.M * s.r,
}


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
        return sum(factor * TERMS[name](size) for name, factor in self.coefficients.items())


def law(what: str, unit: str, terms: Sequence[str], measured: Sequence[tuple[Size, float]]) -> Law:
    """Fit a law by least squares of relative errors; no coefficient is negative."""
    design = np.array([[TERMS[name](size) for name in terms] for size, _ in measured])
    costs = np.array([cost for _, cost in measured])
    relative = design / costs[:, None]
    scale = relative.max(axis=0)
    factors = nnls(relative / scale, np.ones(len(costs)))[0] / scale
    kept = {name: float(factor) for name, factor in zip(terms, factors, strict=True) if factor > 0.0}
    return Law(what, unit, kept, (costs / (design @ factors)).tolist())


def laws(found: Mapping[str, Any]) -> dict[str, Law]:
    """Fit all laws to what was measured."""
    fits = [
        (Size(one["tasks"] * one["rows"], one["tasks"], one["features"], one["rank"]), one)
        for one in found["fits"]
    ]
    answers = [(Size(M=one["features"], r=one["rank"], K=one["count"]), one["ms"]) for one in found["answers"]]
    reads = [(Size(N=one["rows"], M=one["features"]), one["read_s"]) for one in found["reads"]]

    def of(full: bool, key: str) -> list[tuple[Size, float]]:
        return [(size, one[key]) for size, one in fits if size.full == full]

    return {
        "read": law("Reading prepared rows", "s", ("N", "N M"), reads),
        "sums full": law("The sums, W full", "s", ("N M", "N M²"), of(True, "sums_s")),
        "sums low rank": law("The sums, W of low rank", "s", ("N M",), of(False, "sums_s")),
        "rest full": law("All else, W full", "s", ("1", "T M", "M²", "M³", "N M", "N M²"), of(True, "rest_s")),
        "rest low rank": law(
            "All else, W of low rank", "s", ("1", "M r", "M r²", "T M min(T, M)", "N M r"), of(False, "rest_s")
        ),
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


@dataclasses.dataclass(frozen=True)
class Plan:
    """What a fit to a table would take.

    Attributes:
        table_bytes: the rows as float32.
        passes: over all rows.
        spread_seconds: CPU seconds that can be shared by workers: reading, and sums over rows.
        main_seconds: CPU seconds of the main process, after the sums.
        worker_bytes: running sums and a block of rows, of a worker.
        main_bytes: by what the main process holds.
    """

    table_bytes: float
    passes: float
    spread_seconds: float
    main_seconds: float
    worker_bytes: float
    main_bytes: Mapping[str, float]


def plan(size: Size, known: Mapping[str, Law], passes: float, groups: int, components: int) -> Plan:
    """Say what a fit to a table would take.

    Args:
        size: of the table.
        known: the laws.
        passes: over the rows.
        groups: of tasks that are left out in turn.
        components: of the largest mixture that is tried.
    """
    kind = "full" if size.full else "low rank"
    rows = dataclasses.replace(size, T=0.0)
    sums, rest = known[f"sums {kind}"], known[f"rest {kind}"]
    over_rows = sum(
        factor * TERMS[name](rows) for name, factor in rest.coefficients.items() if name.startswith("N")
    )
    spread = passes * known["read"](size) + sums(size) + over_rows
    matrix = NUMBER * (size.M**2 * components if size.full else size.M * (size.r + MEANS))
    shared = min(groups * matrix, PASS_BYTES)  # the folds' sums of one pass
    matrices = size.M**2 * (3 * groups + components) if size.full else 3 * groups * size.M * (size.r + MEANS)
    return Plan(
        4.0 * size.N * size.M,
        passes,
        spread,
        rest(size) - over_rows,
        2.0 * shared + (0.0 if size.full else shared) + BLOCK,  # twice while it hands them on; and directions
        {
            "where each row is": INDEX * size.N,
            "task sums": NUMBER * size.T * size.M,
            "matrices": NUMBER * matrices,
        },
    )
