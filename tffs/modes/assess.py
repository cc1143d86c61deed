"""--mode=assess: judge a person's choice of features beside what tffs would choose."""

import json
from typing import Any

import pandas as pd

from tffs.config import Command
from tffs.estimator.assessing import assess as judged
from tffs.estimator.choice import Limits
from tffs.modes.asking import model_name, on_the_task, opened, support_rows
from tffs.modes.console import Console
from tffs.modes.text_table import aligned
from tffs.printable import percent


def assess(command: Command, console: Console) -> None:
    """Print what the features of --features tell, beside as many of tffs's own choice."""
    asked = command.question
    with opened(command, console) as model:
        rows = support_rows(command, model.describe(), console)
        found = judged(model, rows, asked.features, Limits(), "--features")
    ranked = found.tffs
    if asked.format == "json":
        answer = {
            "model": model_name(command),
            "version": ranked.attrs["version"],
            **{name: ranked.attrs[name] for name in ("method", "rows", "novelty", "expected_error_of_none")},
            "features": _records(found.yours),
            "tffs": _records(found.tffs),
            "next": _records(found.next),
        }
        console.show(json.dumps(answer, ensure_ascii=False))
    else:
        lines = [
            *_table(found.yours, found.tffs),
            "",
            found.verdict,
            *_advice(found.next),
            *on_the_task(ranked),
        ]
        console.show("\n".join(lines))


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


def _advice(more: pd.DataFrame) -> list[str]:
    """Say what to measure beside the person's own features."""
    if more.empty:
        return []
    steps = (f"{line.feature} (then {percent(line.expected_error)} is left)" for line in more.itertuples())
    return [f"Most would be gained next by {', '.join(steps)}."]
