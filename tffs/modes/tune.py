"""--mode=tune: search for better hyperparameters, or go on with a search."""

import dataclasses
import datetime
import os
import shlex
import sys
from typing import Any

from tffs import provenance
from tffs.config import Command
from tffs.errors import UserError
from tffs.flags.best_flags import flag_file
from tffs.live_line import LiveLine
from tffs.modes.console import Console
from tffs.processes.one_thread import usable_cores
from tffs.training.objective import LOSSES
from tffs.tuning.budget import Budget, budget_of
from tffs.tuning.chief import Chief
from tffs.tuning.oracles import make_oracle
from tffs.tuning.plot import draw
from tffs.tuning.remote import work_for_chief
from tffs.tuning.role import Role, role_of
from tffs.tuning.search import Search, search_pool
from tffs.tuning.search_space import read_space
from tffs.tuning.space import Space
from tffs.tuning.subject import claim, subject_of
from tffs.tuning.table import table
from tffs.tuning.training import Bench, bench_of
from tffs.tuning.trial import DEFAULT, Row, best_of, named
from tffs.tuning.trials import TRIALS, Trials
from tffs.workdir import Workdir

PICTURE, FLAGS = "tuning.png", "best.flags"


def tune(command: Command, console: Console) -> None:
    """Search on this machine, or play a part in a search on many."""
    role = role_of(os.environ)
    budget = budget_of(command.tune.tuner, command.tune.trials, command.run.training.steps, command.tune.folds)
    space = read_space(command.tune.search_space, command.run)
    given = command.place.table
    console.say(f"Loading {given.path if given else command.run.data.dataset} ...")
    if role is not None and not role.is_chief:
        _work(command, console, role, space, budget)
        return
    workdir = Workdir(command.workdir)
    with workdir.locked():
        bench = bench_of(command.run, command.place, command.tune.folds, console.say, console.share)
        subject = subject_of(command.tune, space, bench.setting.config)
        claim(workdir, subject, command.given)
        oracle = make_oracle(command.tune.tuner, budget, space, command.run.seed, subject, workdir)
        trials = Trials(oracle, space, budget, bench.setting.config, workdir)
        _announce(command, console, space, trials, bench)
        if role is None:
            del bench  # the rows are with the workers now
            _search(command, console, trials)
        else:
            _lead(console, role, trials, oracle, bench)
        trials.write()  # a kill, or the chief's last trial, may have come before the list of it
        _report(command, console, space, trials.rows(), budget, workdir)


def _announce(command: Command, console: Console, space: Space, trials: Trials, bench: Bench) -> None:
    data, budget = bench.setting.config.data, trials.budget
    console.say(
        f"Tuning {', '.join(part.flag for part in space)} on {data.name.shown}"
        + f", validating on {', '.join(bench.validating) or 'source rows'}"
        + (" in turn" if len(bench.validating) > 1 else "")
        + (f", never looking at {data.held_out}" if data.held_out else "")
        + f": {command.tune.tuner}, {budget.trainings} trials of up to {budget.steps} steps, as many steps as "
        f"{budget.total_steps / budget.steps:.3g} full trainings, and the default beside them"
        + (f", each trained {budget.folds} times." if budget.folds > 1 else ".")
    )
    done = sum(row.trial != DEFAULT for row in trials.rows())
    if done:
        console.say(f"{done} trials are done already.")


def _search(command: Command, console: Console, trials: Trials) -> None:
    """Search with processes of this machine."""
    workers = command.workers or usable_cores()
    place = dataclasses.replace(command.place, loaders=workers)
    line = LiveLine(sys.stderr)

    def keep(row: Row) -> None:
        if row.figures is None:
            line.end()
            console.say(f"Failed: {named(row.trial)}: {row.error}")

    search = Search(
        trials,
        search_pool(command.run, place, command.tune.folds, workers),
        workers,
        keep,
        line.write,
        console.signals.pending,
    )
    try:
        with console.signals.deferred():
            search.run()
    finally:
        line.end()


def _lead(console: Console, role: Role, trials: Trials, oracle: Any, bench: Bench) -> None:
    """Search as the chief of workers that were started by the same command."""
    line = LiveLine(sys.stderr)
    console.say(f"Waiting for workers at {role.address}; the chief itself trains the default only.")

    def measure_default() -> None:
        if not trials.default_is_known:
            trials.settle(trials.default_job, bench.outcome(trials.default_job, console.progress(DEFAULT)))

    def say(note: str) -> None:
        line.end()
        console.say(note)

    chief = Chief(oracle, trials, role.address, line.write, say)
    try:
        chief.run(measure_default)
    finally:
        line.end()


def _work(command: Command, console: Console, role: Role, space: Space, budget: Budget) -> None:
    """Train what the chief gives out; this process writes no file."""
    bench = bench_of(command.run, command.place, command.tune.folds, console.say, console.share)
    subject = subject_of(command.tune, space, bench.setting.config)
    console.say(f"Worker {role.name} asks the chief at {role.address} for trials.")
    done = work_for_chief(role, bench, subject, space, budget, console.progress, console.say)
    console.show(f"The search is over; this worker trained {done} trials.")


def _report(
    command: Command, console: Console, space: Space, rows: list[Row], budget: Budget, workdir: Workdir
) -> None:
    """Write the picture and the flag file, and print the table."""
    loss_name = LOSSES[command.run.training.loss].shown
    best = best_of(rows, budget.steps)
    if best is None:
        raise UserError(
            f"None of the {len(rows)} trainings of {workdir.path} gave a result of full length, the first "
            f"because: {rows[0].error} {workdir.file(TRIALS)} has them all; change the flags or the space and "
            "choose another --workdir."
        )
    title = f"{workdir.path}: {command.tune.tuner}, {len(rows) - 1} trials"
    with workdir.replacing(PICTURE) as path:
        draw(path, rows, space, budget, loss_name, title)
    with workdir.replacing(FLAGS) as path, open(path, "w", encoding="utf-8") as file:
        comments = _comments(command, best, rows, budget, loss_name)
        file.write(flag_file(command.run, command.place, best.flags, workdir.path, comments))
    console.show(
        "\n".join(
            [
                table(rows, best, budget, loss_name),
                "",
                f"Written to {workdir.path}: {FLAGS}, {TRIALS}, {PICTURE}. To train the best:",
                f"  python -m tffs.main --flagfile={shlex.quote(workdir.file(FLAGS))}",
            ]
        )
    )


def _comments(command: Command, best: Row, rows: list[Row], budget: Budget, loss_name: str) -> list[str]:
    """Say how the flags were found."""
    default = rows[0]
    mean = f", the mean over {budget.folds} validation tasks," if budget.folds > 1 else ""
    figure = f"Validation {loss_name} {best.loss:.6g}{mean} after {budget.steps} steps, seed {command.run.seed}"
    if best is default:
        figure += "; no trial was better than the flags that were there."
    elif default.figures is not None:
        figure += f"; {default.loss:.6g} with the flags that were there."
    return [
        f"{named(best.trial).capitalize()}, the best of {len(rows) - 1} trials; found on "
        f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d} with tffs {provenance.versions()['tffs']} by",
        provenance.command(),
        figure,
        "A table and folders of data are named by their full paths: change them if the data moves.",
    ]
