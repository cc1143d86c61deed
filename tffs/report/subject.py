"""What a report is about."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from tffs.serving.description import Description
from tffs.serving.front_door import FrontDoor


class Picture(NamedTuple):
    """A picture for the page.

    Attributes:
        title: what it shows, for people who see it and for those who do not.
        png: the file's bytes.
    """

    title: str
    png: bytes


class Making(NamedTuple):
    """How the model was made.

    Attributes:
        facts: what is said of it, by what it is called.
        command: what repeats it; empty if that is not known.
        in_python: whether it was made in Python.
        steps: of a training with what was validated: numbers of steps and losses.
    """

    facts: Mapping[str, str]
    command: str = ""
    steps: Sequence[tuple[int, float]] = ()
    in_python: bool = False


@dataclasses.dataclass(frozen=True)
class Subject:
    """A model and what it was asked.

    Attributes:
        title: of the page.
        description: of the model.
        chosen: the features to measure, best first, as `FrontDoor.rank` gives them, or for the paper's network
            as `select` does; None where it cannot be asked without rows.
        number: how many of them are measured.
        door: the model, to be asked for more; None if it ranks nothing.
        support: what is known of the new task, or None.
        task: what the new task is called; None where there is none.
        show_rows: whether the rows of the support are shown.
        result: what result.json and by_count.json hold, or None.
        making: how the model was made.
        pictures: of reconstructions, say.
        exclude: features that may not be measured.
        limited: whether there are limits to what may be measured.
    """

    title: str
    description: Description
    chosen: pd.DataFrame | None
    number: int
    door: FrontDoor | None
    support: pd.DataFrame | None
    task: str | None
    show_rows: bool
    result: Mapping[str, Any] | None
    making: Making
    pictures: Sequence[Picture] = ()
    exclude: Sequence[str] = ()
    limited: bool = False

    @property
    def ranks(self) -> bool:
        """Whether there is an expected error for every number of features."""
        return self.chosen is not None and "expected_error" in self.chosen

    def measured_near(self, count: int) -> int:
        """Give the number of features next to `count` that tasks and features were measured with."""
        assert self.result is not None
        stored = (self.result.get("by_count") or {"counts": ()})["counts"]
        return min({self.result["num_selected"], *stored}, key=lambda one: (abs(one - count), one))

    @property
    def counts(self) -> list[int]:
        """The numbers of features that the page has figures for, the chosen number among them."""
        if not self.ranks:
            return [self.number]
        assert self.chosen is not None
        possible = len(self.chosen)
        measured = (self.result or {}).get("by_count") or {}
        counts = {*measured.get("counts", [*range(11), 13, 21, 34, 55]), self.number}
        return sorted(count for count in counts if 0 < count <= possible)
