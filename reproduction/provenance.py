"""Where the figures of a table come from: command, commit, machine, training time, splits."""

import math
import re
from collections.abc import Callable, Iterable, Sequence

from tffs.tables.markdown import NOTHING, table
from tffs.tables.names import dataset_name, in_order, joined
from tffs.tables.records import Result, Run
from tffs.training.progress import duration

MOST_LISTED = 3


def provenance(used: Sequence[Result], runs: Sequence[Run]) -> str:
    """Write the line that stands under a table.

    Args:
        used: the lines that the table rests on.
        runs: the invocations; those that wrote to the files of these lines, at the commits of these, are named.
    """
    commits = _once(result.commit for result in used)
    files = _once(result.name for result in used)
    made_by = [run for run in runs if run.name in files and run.cells != 0]
    made_by = [run for run in made_by if run.commit in commits] or made_by
    commands = [f"`{command}`" for command in _once(run.command for run in made_by)]
    machines = _once(f"{run.machine} ({run.workers} at a time)" for run in made_by)
    return (
        f"Made by {_some(commands) or 'a command that is not recorded'} (in "
        f"{joined([f'{file}.jsonl' for file in files])}), {'commits' if len(commits) > 1 else 'commit'} "
        f"{_some(list(map(short, commits))) or 'unknown'}, on "
        f"{'; '.join(machines) or 'a machine that is not recorded'}, "
        f"{_by_dataset(used, 'step', lambda lines: max((line.steps or 0) for line in lines))}. Rests on "
        f"{_by_dataset(used, 'split', lambda lines: len({line.split for line in lines}))}; {core_time(used)} "
        f"of training{_wall_time(made_by)}."
    )


def core_time(used: Iterable[Result]) -> str:
    """Write the time that the trainings took one core, counting one that several cells share once."""
    trainings = {
        (result.dataset, result.method, result.split, result.steps, result.seconds)
        for result in used
        if result.seconds is not None
    }
    seconds = math.fsum(seconds for *_, seconds in trainings if seconds is not None)
    if seconds >= 3600:
        return f"{seconds / 3600:,.1f} core-hours"
    return f"{seconds / 60:.1f} core-minutes" if seconds >= 60 else f"{seconds:.1f} core-seconds"


def runs_table(runs: Sequence[Run]) -> str:
    """List the invocations."""
    rows = [
        [
            f"{run.name}.jsonl",
            f"`{run.command}`",
            NOTHING if run.commit is None else short(run.commit),
            run.machine,
            str(run.workers),
            run.started,
            "not ended" if run.wall_seconds is None else duration(run.wall_seconds),
            NOTHING if run.cells is None else str(run.cells),
        ]
        for run in runs
    ]
    return table(
        ["file", "command", "commit", "machine", "workers", "started", "wall time", "lines written"], rows, 4
    )


def short(commit: str) -> str:
    """Shorten a hash to seven digits, keeping a mark like -dirty behind it."""
    return re.sub(r"^([0-9a-f]{7})[0-9a-f]*", r"\1", commit)


def _by_dataset(used: Sequence[Result], what: str, count: Callable[[list[Result]], int]) -> str:
    """Write a count, for each dataset where they differ."""
    counts = {
        dataset: count([result for result in used if result.dataset == dataset])
        for dataset in in_order({result.dataset for result in used})
    }
    if len(set(counts.values())) == 1:
        only = next(iter(counts.values()))
        return f"{only:,} {what}{'' if only == 1 else 's'}"
    return f"{what}s: " + ", ".join(f"{dataset_name(dataset)} {count:,}" for dataset, count in counts.items())


def _wall_time(runs: Sequence[Run]) -> str:
    """Write how long the commands ran, with all that they did beside."""
    known = [run.wall_seconds for run in runs if run.wall_seconds is not None]
    parts = [f"the commands took {duration(sum(known))} with all else that they did"] if known else []
    parts += [f"{len(runs) - len(known)} did not end"] if len(known) < len(runs) else []
    return f" ({', '.join(parts)})" if parts else ""


def _once(values: Iterable[str | None]) -> list[str]:
    """Give each value once, in the order of their first appearance."""
    return list(dict.fromkeys(value for value in values if value is not None))


def _some(texts: list[str]) -> str:
    """List the first few, and say how many more there are."""
    if len(texts) <= MOST_LISTED:
        return joined(texts)
    return f"{', '.join(texts[:MOST_LISTED])} and {len(texts) - MOST_LISTED} more (see the end of the page)"
