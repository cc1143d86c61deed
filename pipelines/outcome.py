"""The outcome of a run, for the person who started it."""

import json
import os
import shlex
import sys
from typing import Any

from pipelines.components.data_gate import REPORT
from pipelines.components.episode_evaluator import METRICS, PAGE, PICTURE
from pipelines.components.version_pusher import ANEW
from pipelines.configs import PipelineConfig
from pipelines.evaluation_report import in_words
from pipelines.metadata_store import Store, properties

HEADING = "Held-out tasks (error: as a share of the error of answering the source tasks' mean):"


def outcome(config: PipelineConfig) -> str:
    """Say how the model did, what decided, whether it was blessed, and where it was pushed."""
    store = Store(config.metadata)
    gate, evaluator, pusher = (
        store.outputs(store.latest(config.name, node)) for node in ("DataGate", "EpisodeEvaluator", "Pusher")
    )
    folder = evaluator["evaluation"].uri
    with open(os.path.join(folder, METRICS), encoding="utf-8") as file:
        found = json.load(file)
    with open(os.path.join(gate["report"].uri, REPORT), encoding="utf-8") as file:
        tasks = json.load(file)
    lines = ["", *([HEADING] if found["tasks"] else [])]
    for task, figures in found["tasks"].items():
        lines.append(f"  {task}: {in_words(figures)}{_distance(tasks[task])}")
        if found["last_blessed"]:
            lines.append(f"    the model last blessed: {in_words(found['last_blessed']['tasks'][task])}")
    lines += found["reasons"]
    pushed = properties(pusher["pushed_model"])
    if found["objections"]:
        lines.append(f"Not blessed, so not pushed: {'; '.join(found['objections'])}.")
    elif pushed.get("pushed"):
        how = "Blessed and pushed" if pushed.get(ANEW, 1) else "Blessed; pushed before"
        lines.append(f"{how}: {pushed['pushed_destination']}")
    lines += [
        f"Report: {os.path.join(folder, PAGE)}",
        f"Picture: {os.path.join(folder, PICTURE)}",
    ]
    if pushed.get("pushed"):
        python = min(sys.executable, os.path.relpath(sys.executable), key=len)
        where = shlex.quote(pushed["pushed_destination"])
        lines.append(f"Lineage: {python} -m pipelines.lineage --model={where}")
    return "\n".join(lines)


def _distance(task: dict[str, Any]) -> str:
    """Say how far a task is from the source rows, where TFDV could tell."""
    if task["mean_divergence"] is None:
        return ""
    most = ", ".join(f"'{name}'" for name in list(task["differ_most"])[:3])
    return f"; its rows are {task['mean_divergence']:.2f} of 1 from the source's, furthest in {most}"
