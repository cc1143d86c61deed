"""The grid: which cells there are, which of them are wanted, and which belong together."""

import dataclasses
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tffs.errors import UserError
from tffs.methods.catalogue import METHODS


@dataclasses.dataclass(frozen=True, order=True)
class Cell:
    """One method on one split of one dataset, with one N_S and one K."""

    split: int
    dataset: str
    num_selected: int
    support_size: int
    method: str

    def __str__(self) -> str:
        return f"{self.dataset} {self.method} N_S={self.support_size} K={self.num_selected} split {self.split}"


class Job(NamedTuple):
    """A cell to do, and the group that it belongs to."""

    cell: Cell
    group: Sequence[Cell]


def cells_of(axes: Mapping[str, Sequence], chosen: str = "") -> list[Cell]:
    """List the cells of a grid, split by split, so that an unfinished grid is a smaller whole one.

    Args:
        axes: the values of `dataset`, `method`, `support_size`, `num_selected` and `split`.
        chosen: which part of it, like `dataset=mnist_r,method=ours|cae_s`; empty for all.
    """
    kept = {name: list(values) for name, values in axes.items()}
    for condition in filter(None, (part.strip() for part in chosen.split(","))):
        name, _, wanted = condition.partition("=")
        if name not in kept or not wanted:
            raise UserError(
                f"--cells takes conditions like method=ours|cae_s on {', '.join(kept)}, but received "
                f"'{condition}'."
            )
        allowed = wanted.split("|")
        unknown = [value for value in allowed if value not in map(str, axes[name])]
        if unknown:
            raise UserError(
                f"--cells: {name}={unknown[0]} is not in this grid, which has "
                f"{', '.join(map(str, axes[name]))}."
            )
        kept[name] = [value for value in kept[name] if str(value) in allowed]
        if not kept[name]:
            raise UserError(f"--cells={chosen} leaves no {name}: join values with |, as in {name}=a|b.")
    order = ("split", "num_selected", "support_size", "dataset", "method")
    return [
        Cell(**dict(zip(order, values, strict=True))) for values in itertools.product(*(kept[a] for a in order))
    ]


def groups_of(cells: Iterable[Cell]) -> list[list[Cell]]:
    """Put cells that share a fit, or whose fits take turns, into one group, in the order of their first cells.

    A method that starts from another's weights shares the other's fit, and comes after it.
    """
    groups: dict[tuple, list[Cell]] = {}
    for cell in cells:
        base = METHODS[cell.method].starts_from or cell.method
        apart = set(METHODS[base].depends_on) - ({"support_size"} if METHODS[base].takes_turns else set())
        shared = tuple(getattr(cell, axis) for axis in sorted(apart))
        groups.setdefault((cell.dataset, cell.split, base, *shared), []).append(cell)
    return [
        sorted(group, key=lambda cell: METHODS[cell.method].starts_from is not None)
        for group in groups.values()
    ]
