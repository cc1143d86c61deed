"""--mode=experiment: run a grid of methods, datasets, splits and sizes, or what is left of it."""

import datetime
import os
import shlex
import sys
import time
from typing import Any

from tffs import provenance
from tffs.config import Command, ExperimentConfig
from tffs.errors import UserError
from tffs.experiments.grid import cells_of, jobs_of
from tffs.experiments.lines import done_cells
from tffs.experiments.results_file import ResultsFile, read_lines
from tffs.experiments.runner import Runner, Standing
from tffs.live_line import LiveLine
from tffs.modes.console import Console
from tffs.training.progress import duration


def experiment(command: Command, console: Console) -> None:
    """Run the cells of the grid that have no result yet."""
    config = command.experiment
    path = os.path.join(config.results_dir, f"{config.name}.jsonl")
    cells = cells_of(config.axes, config.cells)
    with ResultsFile(path).open() as results:
        done = done_cells(read_lines(path))
        todo = [cell for cell in cells if cell not in done]
        workers = config.workers or os.cpu_count() or 1
        console.say(
            f"{config.name}: {len(cells)} cells, {len(cells) - len(todo)} of them done already; results go to "
            f"{path}."
        )
        if todo:
            _run(config, console, results, workers, todo)
    console.show(f"Results: {path}")


def _run(config: ExperimentConfig, console: Console, results: ResultsFile, workers: int, todo: list) -> None:
    base = os.path.splitext(results.path)[0]
    began, commit, failures = time.monotonic(), provenance.commit(), 0
    about = {
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "command": shlex.join(["python", "-m", "tffs.main", *sys.argv[1:]]),
        "commit": commit,
        "machine": provenance.machine(),
        "workers": workers,
        "versions": provenance.versions(),
    }
    line_shown = LiveLine(sys.stderr)
    written = 0

    with (
        ResultsFile(f"{base}.runs.jsonl").open() as runs,
        ResultsFile(f"{base}.pictures.jsonl").open() as pictures,
    ):

        def keep(line: dict[str, Any]) -> None:
            nonlocal written, failures
            picture = line.pop("picture", None)
            if picture is not None:
                keys = ("dataset", "method", "support_size", "num_selected", "split", "target_task")
                pictures.append({**{key: line[key] for key in keys}, **picture})
            results.append({**line, "commit": commit})
            written += 1
            if line["status"] != "ok":
                failures += 1
                line_shown.end()
                console.say(
                    f"Failed: {line['dataset']} {line['method']} N_S={line['support_size']} "
                    f"K={line['num_selected']} split {line['split']}: {line['error']}"
                )

        def show(standing: Standing) -> None:
            line_shown.write(_shown(standing, len(todo)))

        runs.append({**about, "wall_seconds": None, "cells": None})
        runner = Runner(config.runs, workers, keep, show, console.signals.pending)
        try:
            with console.signals.deferred():
                runner.run(jobs_of(todo))
        finally:
            line_shown.end()
            runs.append({**about, "wall_seconds": round(time.monotonic() - began, 1), "cells": written})
    console.say(f"{written} cells in {duration(time.monotonic() - began)}.")
    if failures:
        raise UserError(
            f"{failures} of {written} cells failed; {results.path} says why, and the same command tries "
            "them again."
        )


def _shown(standing: Standing, total: int) -> str:
    parts = [f"{standing.done}/{total} cells"]
    if standing.failed:
        parts.append(f"{standing.failed} failed")
    if standing.seconds_left is not None:
        parts.append(f"{duration(standing.seconds_left)} left")
    parts += [f"{cell} ({100.0 * share:.0f} %)" for cell, share in standing.at_work]
    return "  ".join(parts)
