"""--mode=experiment: run a grid of methods, datasets, splits and sizes, or what is left of it."""

import datetime
import os
import sys
from typing import Any

from tffs import provenance
from tffs.config import Command, ExperimentConfig
from tffs.errors import UserError
from tffs.experiments.grid import Cell, cells_of, groups_of
from tffs.experiments.ledger import Ledger
from tffs.experiments.lines import cell_of, done_cells, failed_cells
from tffs.experiments.page import experiment_page
from tffs.experiments.results_file import ResultsFile, read_lines
from tffs.experiments.runner import Runner, grid_pool
from tffs.live_line import LiveLine
from tffs.modes.console import Console
from tffs.processes.one_thread import usable_cores
from tffs.training.progress import duration
from tffs.whole_file import replacing


def experiment(command: Command, console: Console) -> None:
    """Run the cells of the grid that have no result yet."""
    config = command.experiment
    path, page = (os.path.join(config.results_dir, f"{config.name}{end}") for end in (".jsonl", ".md"))
    cells = cells_of(config.axes, config.cells)
    with ResultsFile(path).open() as results:
        done = _done(config, path)
        todo = [cell for cell in cells if cell not in done]
        console.say(
            f"{config.name}: {len(cells)} cells, {len(cells) - len(todo)} of them done already; results go to "
            f"{path}."
        )
        try:
            if todo:
                _run(config, command.workers, console, results, todo)
        finally:  # with what is done, also when it is stopped or cells fail
            _write_page(config, path, page)
    console.show(f"Results: {path}\nPage: {page}")


def _done(config: ExperimentConfig, path: str) -> dict[Cell, dict[str, Any]]:
    return done_cells(read_lines(path), {name: run for name, (run, _) in config.runs.items()})


def _write_page(config: ExperimentConfig, path: str, page: str) -> None:
    """Write the page of the whole grid, if any of it was run."""
    cells = cells_of(config.axes)
    found, failures = _done(config, path), failed_cells(read_lines(path))
    done = {cell: found[cell] for cell in cells if cell in found}
    failed = {cell: failures[cell] for cell in cells if cell in failures and cell not in done}
    if done or failed:
        with replacing(page) as part, open(part, "w", encoding="utf-8") as file:
            file.write(experiment_page(config.name, provenance.command(), cells, done, failed))


def _run(
    config: ExperimentConfig, given: int, console: Console, results: ResultsFile, todo: list[Cell]
) -> None:
    """Run cells, and raise `UserError` in the end if some failed."""
    workers = given or usable_cores()
    progress = LiveLine(sys.stderr)
    ledger = Ledger(
        results,
        {
            "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "command": provenance.command(),
            "commit": provenance.commit(),
            "machine": provenance.machine(),
            "workers": workers,
            "versions": provenance.versions(),
        },
    )

    def keep(line: dict[str, Any]) -> None:
        ledger.keep(line)
        if line["status"] != "ok":
            progress.end()
            console.say(f"Failed: {cell_of(line)}: {line['error']}")

    pool = grid_pool(config.runs, workers)
    try:
        with console.signals.deferred():
            Runner(pool, workers, keep, progress.write, console.signals.pending).run(groups_of(todo))
    finally:
        progress.end()
        ledger.close()
    console.say(f"{ledger.written} cells in {duration(ledger.seconds())}.")
    if ledger.failed:
        raise UserError(
            f"{ledger.failed} of {ledger.written} cells failed; {results.path} says why, and the same command "
            "tries them again."
        )
