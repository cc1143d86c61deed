"""What a line of the grid's files holds: a result, an invocation, or pictures."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

Line = Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Result:
    """One method on one cell of the grid.

    Attributes:
        name: of the file, such as main.
        dataset: its name.
        method: its name.
        support_size: N_S.
        num_selected: K.
        split: which of the random splits.
        target_task: the held-out task, which all methods of a cell share.
        seed: of the split; None where the line does not say.
        steps: training steps of the setting; None where the line does not say.
        msre: mean squared reconstruction error; this and the other figures are None where there is none.
        ari: adjusted Rand index in percent.
        nmi: normalized mutual information in percent.
        accuracy: percent, of supervised methods.
        distinct: how many different features were selected.
        stability: mean Jaccard index of the selections from different supports of one target.
        seconds: what training took; cells that share a training repeat it.
        select_seconds: what one selection from a support set takes a trained model.
        ok: whether it did not fail.
        error: why it failed.
        commit: of the code.
    """

    name: str
    dataset: str
    method: str
    support_size: int
    num_selected: int
    split: int
    target_task: str | None
    seed: int | None
    steps: int | None
    msre: float | None
    ari: float | None
    nmi: float | None
    accuracy: float | None
    distinct: float | None
    stability: float | None
    seconds: float | None
    select_seconds: float | None
    ok: bool
    error: str | None
    commit: str | None

    @property
    def key(self) -> tuple[str, str, int, int, int]:
        """What a line of a results file replaces an earlier one by."""
        return self.dataset, self.method, self.support_size, self.num_selected, self.split

    @classmethod
    def from_line(cls, name: str, line: Line) -> "Result":
        """Read one line; one that cannot be a result raises `ValueError`."""
        status = _text(line, "status")
        if status not in ("ok", "failed"):
            raise ValueError(f"'status' should be ok or failed and is {status!r}")
        steps, seed = _number(line, "steps"), _number(line, "seed")
        return cls(
            name=name,
            dataset=_text(line, "dataset"),
            method=_text(line, "method"),
            support_size=_whole(line, "support_size"),
            num_selected=_whole(line, "num_selected"),
            split=_whole(line, "split"),
            seed=None if seed is None else int(seed),
            target_task=_optional_text(line, "target_task"),
            steps=None if steps is None else int(steps),
            msre=_number(line, "msre"),
            ari=_number(line, "ari"),
            nmi=_number(line, "nmi"),
            accuracy=_number(line, "accuracy"),
            distinct=_number(line, "distinct"),
            stability=_number(line, "stability"),
            seconds=_number(line, "seconds"),
            select_seconds=_number(line, "select_seconds"),
            ok=status == "ok",
            error=_optional_text(line, "error"),
            commit=_optional_text(line, "commit"),
        )


@dataclasses.dataclass(frozen=True)
class Run:
    """One invocation of the experiment mode.

    Attributes:
        name: of the file that it wrote to.
        command: as typed.
        commit: of the code.
        machine: in words.
        workers: processes at a time.
        started: ISO time.
        versions: of the packages.
        wall_seconds: None if it was killed, or goes on.
        cells: how many lines it wrote; None if it was killed, or goes on.
    """

    name: str
    command: str
    commit: str | None
    machine: str
    workers: int
    started: str
    versions: Mapping[str, str]
    wall_seconds: float | None
    cells: int | None

    @classmethod
    def from_line(cls, name: str, line: Line) -> "Run":
        """Read one line; one that cannot be an invocation raises `ValueError`."""
        versions = line.get("versions") or {}
        if not isinstance(versions, dict):
            raise ValueError(f"'versions' should be an object and is {versions!r:.60}")
        return cls(
            name=name,
            command=_text(line, "command"),
            commit=_optional_text(line, "commit"),
            machine=_text(line, "machine"),
            workers=_whole(line, "workers"),
            started=_text(line, "started"),
            versions={str(package): str(version) for package, version in versions.items()},
            wall_seconds=_number(line, "wall_seconds"),
            cells=None if line.get("cells") is None else _whole(line, "cells"),
        )


@dataclasses.dataclass(frozen=True)
class Picture:
    """Test images of one target and what a method makes of them.

    Attributes:
        cell: dataset, N_S, K and split.
        method: its name.
        target_task: the held-out task.
        shape: height and width.
        labels: one an image.
        originals: one list of pixels an image.
        reconstructions: the same.
        selected: the chosen pixels.
    """

    cell: tuple[str, int, int, int]
    method: str
    target_task: str | None
    shape: tuple[int, int]
    labels: list[int]
    originals: list[list[float]]
    reconstructions: list[list[float]]
    selected: list[int]

    @classmethod
    def from_line(cls, name: str, line: Line) -> "Picture":
        """Read one line; one that cannot be pictures raises `ValueError`."""
        keys = ("shape", "labels", "originals", "reconstructions", "selected_indices")
        for key in keys:
            if not isinstance(line.get(key), list):
                raise ValueError(f"'{key}' should be a list and is {line.get(key)!r:.60}")
        shape, labels, originals, reconstructions, selected = (line[key] for key in keys)
        pixels = math.prod(shape) if len(shape) == 2 else -1
        if not all(0 <= feature < pixels for feature in selected):
            raise ValueError(f"the selected pixels should be below {pixels} and are {selected}")
        if not len(labels) == len(originals) == len(reconstructions) or any(
            len(image) != pixels for image in (*originals, *reconstructions)
        ):
            raise ValueError(f"the images should be one a label and of shape {shape}")
        return cls(
            cell=(
                _text(line, "dataset"),
                *(_whole(line, "support_size"), _whole(line, "num_selected"), _whole(line, "split")),
            ),
            method=_text(line, "method"),
            target_task=_optional_text(line, "target_task"),
            shape=(shape[0], shape[1]),
            labels=labels,
            originals=originals,
            reconstructions=reconstructions,
            selected=selected,
        )


def _text(line: Line, key: str) -> str:
    value = line.get(key)
    if not isinstance(value, str):
        raise ValueError(f"'{key}' should be a text and is {value!r:.60}")
    return value


def _optional_text(line: Line, key: str) -> str | None:
    return None if line.get(key) is None else _text(line, key)


def _whole(line: Line, key: str) -> int:
    value = line.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"'{key}' should be a whole number and is {value!r:.60}")
    return value


def _number(line: Line, key: str) -> float | None:
    """Take a number; one that is not finite is none, and then its cell is missing."""
    value = line.get(key)
    if value is None:
        return None
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise ValueError(f"'{key}' should be a number or null and is {value!r:.60}")
    return float(value) if math.isfinite(value) else None
