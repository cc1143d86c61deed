"""Check that this tree gives the results of an older commit, bit for bit, and as fast.

The older commit is checked out into a temporary folder. Both run the same commands with one thread, and what
they leave is compared: weights, optimizer state, figures, chosen features, answers of the exported model. A
value that is missing in the new tree counts as a difference; new values are listed. Any difference makes the
exit code 1.

    python -m benchmarks.same_as [--commit=6f7ba00] [--only=digits_r,tune,speed]

With --only, nothing is written.
"""

import argparse
import json
import os
import resource
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

from benchmarks import machine
from benchmarks.same_as_cases import CASES, SPEEDS, Case
from benchmarks.same_as_trees import MIRROR, Tree, checked_out, git, has_data

COMMIT = "6f7ba00"  # version 0.5.0
COMMAND = "python -m benchmarks.same_as"
PACKAGES = ("tensorflow", "keras", "numpy")
SPEED, ROUNDS = "speed", 3
MEASURED = {"rate": "steps/s", "cpu": "CPU s"}
SHOWN = 5  # differences of a part
THREADS = (*machine.ONE_THREAD, "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS")


class Row(NamedTuple):
    """A line of the table; `equal` is None where nothing was compared."""

    case: str
    part: str
    values: int
    equal: bool | None
    added: Sequence[str] = ()


class Round(NamedTuple):
    """One training: its steps a second, and the CPU seconds of the whole command."""

    rate: float
    cpu: float


class Speed(NamedTuple):
    """The rounds of both trees."""

    case: str
    older: list[Round]
    new: list[Round]


def main() -> int:
    """Compare all cases, measure the speed, write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [*(case.name for case in CASES), SPEED]
    parser.add_argument("--commit", default=COMMIT)
    parser.add_argument("--only", default=",".join(names), help="which, separated by commas; all if not given")
    arguments = parser.parse_args()
    wanted = arguments.only.split(",")
    if unknown := set(wanted) - set(names):
        parser.error(f"--only={','.join(sorted(unknown))}: there are {', '.join(names)}")
    os.environ.update({**dict.fromkeys(THREADS, "1"), "TF_CPP_MIN_LOG_LEVEL": "3"})
    about, began = machine.describe(PACKAGES), time.perf_counter()
    with checked_out(arguments.commit) as (older, new):
        rows = [row for case in CASES if case.name in wanted for row in _compared(case, older, new)]
        speeds = [_speed(case, older, new) for case in SPEEDS if SPEED in wanted and has_data(case)]
    text = "\n".join([*_table(rows), *_speed_table(speeds)])
    print(f"\n{text}")
    if set(wanted) == set(names):
        opening = machine.header("The results of an older version, bit for bit", COMMAND, about)
        compared = f"- Compared: {_commit(arguments.commit)} with {_commit('HEAD')}{_changes()}"
        opening[-1:] = [compared, f"- Time: {time.perf_counter() - began:.0f} s", ""]
        with open(os.path.join(machine.RESULTS, "same_as.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(opening) + f"\n{text}\n")
    return 1 if any(row.equal is False for row in rows) else 0


def _compared(case: Case, older: Tree, new: Tree) -> list[Row]:
    """Run a case in both trees at a time and compare what they leave."""
    from benchmarks import same_as_outcome  # imports TensorFlow, whose threads are set by now

    if not has_data(case):
        print(f"{case.name}: not compared, there is no folder with the files ({MIRROR})", flush=True)
        return [Row(case.name, "nothing: the files are not here", 0, None)]
    processes = {tree.name: tree.start(case) for tree in (older, new)}
    errors = {name: process.communicate()[1] for name, process in processes.items()}
    failed = [name for name, process in processes.items() if process.returncode]
    for name in failed:
        print(f"{case.name}: the command of the {name} tree failed:\n{errors[name][-2000:]}", flush=True)
    if failed:
        return [Row(case.name, "the command", 1, False)]
    expected = same_as_outcome.read(case.kind, older.output(case))
    try:
        found = same_as_outcome.read(case.kind, new.output(case))
    except Exception as error:  # a file that is gone or has another form is a difference like any other
        print(f"{case.name}: what the new tree left cannot be read: {error!r}", flush=True)
        return [Row(case.name, "what is left", 1, False)]
    rows = []
    for part, values, wrong, added in same_as_outcome.compare(expected, found):
        print(f"{case.name}, {part}: {values} {'NOT EQUAL' if wrong else 'equal'}", flush=True)
        for line in wrong[:SHOWN]:
            print(f"    {line}", flush=True)
        if len(wrong) > SHOWN:
            print(f"    and {len(wrong) - SHOWN} more", flush=True)
        rows.append(Row(case.name, part, values, not wrong, added))
    return rows


def _speed(case: Case, older: Tree, new: Tree) -> Speed:
    """Train on one core, the trees in turn."""
    speed = Speed(case.name, [], [])
    core = ["taskset", "--cpu-list", str(machine.last_core())]
    for turn in range(ROUNDS):
        timed = case._replace(name=f"{case.name} round {turn + 1}")
        order = 1 if turn % 2 == 0 else -1  # so that neither tree is always first
        for tree, rounds in ((older, speed.older), (new, speed.new))[::order]:
            before = _cpu_of_children()
            process = tree.start(timed, "--mode=train", prefix=core)
            error = process.communicate()[1]
            if process.returncode:
                raise RuntimeError(f"The {tree.name} tree could not train {case.name}:\n{error[-2000:]}")
            with open(os.path.join(tree.output(timed), "training.json"), encoding="utf-8") as file:
                rounds.append(Round(json.load(file)["steps_per_second"], _cpu_of_children() - before))
            rate, cpu = rounds[-1]
            print(f"{timed.name}, {tree.name}: {rate:.0f} steps/s, {cpu:.1f} s of CPU", flush=True)
    return speed


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _table(rows: list[Row]) -> list[str]:
    lines = ["| case | compared | values | equal | only in the new tree |", "|---|---|---:|---|---|"]
    verdicts = {True: "yes", False: "**no**", None: "not run"}
    for row in rows:
        added = ", ".join(row.added[:SHOWN]) + (", ..." if len(row.added) > SHOWN else "")
        lines.append(f"| {row.case} | {row.part} | {row.values} | {verdicts[row.equal]} | {added} |")
    return lines


def _speed_table(speeds: list[Speed]) -> list[str]:
    if not speeds:
        return []
    lines = [
        "",
        f"Training on one core, compiled: the best of {ROUNDS} rounds in which the trees take turns (the "
        "worst in brackets). Steps a second are without compiling and validation, and fall when the machine "
        "has other work. CPU seconds are those of the whole command and depend less on it.",
        "",
        "| size | measured | older | new | new / older |",
        "|---|---|---:|---:|---:|",
    ]
    for case, older, new in speeds:
        for name, best, worst, digits in (("rate", max, min, 0), ("cpu", min, max, 1)):
            then, now = ([getattr(one, name) for one in rounds] for rounds in (older, new))
            shown = " | ".join(f"{best(each):.{digits}f} ({worst(each):.{digits}f})" for each in (then, now))
            lines.append(f"| {case} | {MEASURED[name]} | {shown} | {best(now) / best(then):.2f} |")
    return lines


def _commit(name: str) -> str:
    return git("rev-parse", "--short", name)


def _changes() -> str:
    changed = git("status", "--porcelain", "--", "tffs", "data_builders")
    return " and changes that are not committed" if changed else ""


if __name__ == "__main__":
    sys.exit(main())
