"""Where figures come from: files, commits, steps, training time, and the commands that made them."""

import re

import pandas as pd

from reproduction.names import joined
from tffs import markdown
from tffs.markdown import NOTHING
from tffs.training.progress import duration


def provenance(used: pd.DataFrame) -> str:
    """Write the line that stands under a table."""
    if used.empty:
        return "There is no cell that all methods have yet."
    files = joined(f"`{name}.jsonl`" for name in sorted(used["file"].unique()))
    commits = [short(commit) for commit in sorted(used["commit"].dropna().unique())]
    steps = joined(f"{steps:,.0f}" for steps in sorted(used["steps"].dropna().unique()))
    return (
        f"From {files} ([commands](#how-it-was-made)), commit{'s' if len(commits) > 1 else ''} "
        f"{joined(commits or ['unknown'])}: {steps} steps, {core_time(used)} of training."
    )


def core_time(used: pd.DataFrame) -> str:
    """Write the time that the trainings took one core, counting one that several cells share once."""
    seconds = used.drop_duplicates(["dataset", "method", "split", "steps", "seconds"])["seconds"].sum()
    if seconds >= 3600:
        return f"{seconds / 3600:,.1f} core-hours"
    return f"{seconds / 60:.1f} core-minutes" if seconds >= 60 else f"{seconds:.1f} core-seconds"


def commands(runs: pd.DataFrame) -> list[str]:
    """List the commands, and the versions that they ran with."""
    if runs.empty:
        return ["The commands were not recorded."]
    frame = pd.DataFrame(
        {
            "file": runs["file"] + ".jsonl",
            "command": "`" + runs["command"] + "`",
            "commit": runs["commit"].map(short, na_action="ignore").fillna(NOTHING),
            "machine": runs["machine"],
            "workers": runs["workers"].astype(str),
            "started": runs["started"],
            "wall time": runs["wall_seconds"].map(duration, na_action="ignore").fillna("not ended"),
            "lines written": runs["cells"].map("{:.0f}".format, na_action="ignore").fillna(NOTHING),
        }
    )
    versions = {f"{name} {version}" for found in runs["versions"].dropna() for name, version in found.items()}
    note = (
        "Each command is of its commit: flag files have changed since. A cell that has a line is not run again."
    )
    return [note, markdown.table(frame, 4), f"Versions: {', '.join(sorted(versions))}."]


def short(commit: str) -> str:
    """Shorten a hash to seven digits, keeping a mark like -dirty behind it."""
    return re.sub(r"^([0-9a-f]{7})[0-9a-f]*", r"\1", commit)
