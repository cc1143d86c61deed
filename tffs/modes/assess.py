"""--mode=assess: judge a person's choice of features beside what tffs would choose."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd

from tffs.config import Command
from tffs.errors import UserError, listed
from tffs.modes.asking import model_name, on_the_task, opened, same_version, support_rows
from tffs.modes.console import Console
from tffs.modes.text_table import aligned
from tffs.printable import percent

NEXT = 3  # features that are named as worth adding
CLOSE = 0.01  # of the error; a smaller difference is none


def assess(command: Command, console: Console) -> None:
    """Print what the features of --features tell, beside as many of tffs's own choice."""
    asked = command.question
    with opened(command, console) as model:
        description = model.describe()
        _check_names(asked.features, description.feature_names)
        rows = support_rows(command, description, console)
        with_yours = model.rank(rows, include=asked.features)
        ranked = model.rank(rows)
    version = same_version([frame.attrs["version"] for frame in (with_yours, ranked)])
    number = len(asked.features)
    yours, ours, more = with_yours.head(number), ranked.head(number), with_yours[number : number + NEXT]
    if asked.format == "json":
        answer = {
            "model": model_name(command),
            "version": version,
            **{name: ranked.attrs[name] for name in ("method", "rows", "novelty", "expected_error_of_none")},
            "features": _records(yours),
            "tffs": _records(ours),
            "next": _records(more),
        }
        console.show(json.dumps(answer, ensure_ascii=False))
    else:
        lines = [*_table(yours, ours), "", verdict(yours, ours), *_advice(more), *on_the_task(ranked)]
        console.show("\n".join(lines))


def _check_names(features: Sequence[str], known: Sequence[str]) -> None:
    unknown = [name for name in features if name not in known]
    if unknown:
        raise UserError(
            f"--features names {listed(unknown)}, which the model does not know: its features are "
            f"{listed(known)}."
        )
    twice = [name for name, count in Counter(features).items() if count > 1]
    if twice:
        raise UserError(f"--features names {listed(twice)} more than once: name each feature once.")


def _records(features: pd.DataFrame) -> list[dict[str, Any]]:
    lines = features.rename(columns={"feature": "name"})[["index", "name", "score", "expected_error"]]
    return lines.to_dict("records")


def _table(yours: pd.DataFrame, ours: pd.DataFrame) -> list[str]:
    """Write both choices side by side, each in the order of what is best measured first."""
    none = percent(ours.attrs["expected_error_of_none"])
    lines = [["k", "yours", "expected error", "tffs", "expected error"], ["0", "", none, "", none]]
    both = zip(*(frame[["feature", "expected_error"]].to_numpy() for frame in (yours, ours)), strict=True)
    for number, ((name, left), (own, own_left)) in enumerate(both, start=1):
        lines.append([str(number), name, percent(left), own, percent(own_left)])
    return aligned(lines, left=(1, 3))


def verdict(yours: pd.DataFrame, ours: pd.DataFrame) -> str:
    """Say in a sentence how the choices compare."""
    left, own = float(yours["expected_error"].iloc[-1]), float(ours["expected_error"].iloc[-1])
    if set(yours["feature"]) == set(ours["feature"]):
        return f"Your features are those that tffs would choose: {percent(own)} of the error is left."
    both = (
        f"Yours leave {percent(left)} of the error, the {len(ours)} that tffs would choose leave {percent(own)}"
    )
    points = f"{100 * abs(left - own):.1f} points"
    if left - own > CLOSE:
        return f"{both}, {points} less."
    if own - left > CLOSE:
        return f"{both}: yours are {points} better, because tffs takes one feature after the other."
    return f"{both}: they are about as good."


def _advice(more: pd.DataFrame) -> list[str]:
    """Say what to measure beside the person's own features."""
    if more.empty:
        return []
    steps = (f"{line.feature} (then {percent(line.expected_error)} is left)" for line in more.itertuples())
    return [f"Most would be gained next by {', '.join(steps)}."]
