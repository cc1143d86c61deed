"""The page of results, made of the runs that were noted and of the cases that were fixed."""

import json
import os
import pathlib
import subprocess
from typing import Any

import pandas as pd

from benchmarks import machine
from fuzzing.broken import ROOT
from fuzzing.targets import NAMES
from tffs.markdown import table

RUNS = os.path.join(machine.RESULTS, "fuzzing.jsonl")
PAGE = os.path.join(machine.RESULTS, "fuzzing.md")
CASES = pathlib.Path(ROOT, "fuzzing", "cases")
FIXED, MISJUDGED = "fixed", "misjudged"  # folders of cases that were findings


def note(done: dict[str, Any]) -> None:
    """Add a run."""
    with open(RUNS, "a", encoding="utf-8") as runs:
        runs.write(json.dumps(done) + "\n")


def write() -> None:
    """Write the page."""
    runs = _runs()
    if not runs:
        return
    last = {run["target"]: run for run in runs}
    lines = machine.header("Fuzzing", "python -m fuzzing.run", runs[-1]["about"])
    lines += [
        "The last run of each target, coverage-guided with atheris. Coverage counts the edges of `tffs/` and",
        "`data_builders/` that inputs reached, and the corpus has inputs for all of them. Findings are what",
        "was still there when the run ended. An input may compute for 5 seconds, and the process may take 2 GB",
        "for files, and 4 GB for requests, of which TensorFlow with two models takes 1 GB.",
        "",
        table(pd.DataFrame([_row(last[name]) for name in NAMES if name in last])),
        "",
        *_left(last),
        *_earlier([run for run in runs if run is not last[run["target"]]]),
        "## What was fixed",
        "",
        "Each has its smallest input in `fuzzing/cases/`, which the tests give to tffs again.",
        "",
        _cases(FIXED, "fixed by"),
        "",
        "## What was no fault of tffs",
        "",
        "The fuzzer took these for wrong answers, until its own check was corrected.",
        "",
        _cases(MISJUDGED, "corrected by"),
    ]
    with open(PAGE, "w", encoding="utf-8") as page:
        page.write("\n".join(lines) + "\n")


def _runs() -> list[dict[str, Any]]:
    if not os.path.exists(RUNS):
        return []
    with open(RUNS, encoding="utf-8") as runs:
        return [json.loads(line) for line in runs]


def _row(run: dict[str, Any]) -> dict[str, str]:
    outcomes = run["outcomes"]
    total = max(sum(outcomes.values()), 1)
    answered = sum(outcomes.get(kind, 0) for kind in ("accepted", "defective"))
    return {
        "target": run["target"],
        "minutes": f"{run['seconds'] / 60:.1f}",
        "inputs": f"{run['executions']:,}",
        "a second": f"{run['executions'] / max(run['seconds'], 1):,.0f}",
        "answered": f"{100 * answered / total:.0f} %",
        "refused": f"{100 * outcomes.get('refused', 0) / total:.0f} %",
        "coverage": f"{run['coverage']:,}",
        "corpus": f"{run['corpus']:,}",
        "MB": f"{run['memory']:,}",
        "findings": str(len(run["findings"])),
        "commit": str(run["commit"]),
    }


def _left(last: dict[str, Any]) -> list[str]:
    lines = [f"- {name}: {finding}" for name, run in last.items() for finding in run["findings"]]
    return ["What is left:", "", *lines, ""] if lines else []


def _earlier(runs: list[dict[str, Any]]) -> list[str]:
    if not runs:
        return []
    rows = [
        {
            "target": run["target"],
            "date": run["about"]["date"],
            "inputs": f"{run['executions']:,}",
            "findings": str(len(run["findings"])),
            "commit": str(run["commit"]),
        }
        for run in runs
    ]
    return ["## Earlier runs", "", table(pd.DataFrame(rows), left=2), ""]


def _cases(folder: str, by: str) -> str:
    """List the cases of a folder, with the commits that brought them, by their subjects."""
    rows = [
        (path.parts[-3], path.name.partition(".")[0].replace("_", " "), _subject(path))
        for name in NAMES
        for path in sorted((CASES / name / folder).glob("*.case"))
    ]
    return table(pd.DataFrame(rows, columns=["target", "input", by]), left=3)


def _subject(path: pathlib.Path) -> str:
    command = ["git", "log", "--follow", "-M100%", "--diff-filter=A", "--format=%s", "-1", "--", str(path)]
    return (
        subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
        or "not yet"
    )
