"""Check that this tree gives the results of an older commit, bit for bit, and as fast.

The older commit is checked out into a temporary folder. Both run the same commands with one thread, and what
they leave is compared: weights, optimizer state, figures, chosen features, answers of the exported model. A
value that is missing in the new tree counts as a difference; new values are listed.

    python -m benchmarks.same_as [--commit=6f7ba00] [--only=digits_r,tune,speed]

A part (`--only`) is printed and leaves the committed page as it is.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from benchmarks import machine
from benchmarks.same_as_cases import CASES, ONLY_NEW, SPEEDS, Case, write_table

COMMIT = "6f7ba00"
COMMAND = "python -m benchmarks.same_as"
PACKAGES = ("tensorflow", "keras", "numpy")
SPEED, ROUNDS = "speed", 3
MIRROR = "TFFS_DATA_MIRROR"
SHOWN = 5  # differences a part


class Tree(NamedTuple):
    """A version of the code.

    Attributes:
        name: `older` or `new`.
        path: its folder.
        folder: where its commands read and write.
    """

    name: str
    path: str
    folder: str


class Row(NamedTuple):
    """A line of the table."""

    case: str
    part: str
    values: int
    equal: bool
    added: Sequence[str]


def main() -> int:
    """Compare all cases, measure the speed, write the page; fail on any difference."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commit", default=COMMIT)
    parser.add_argument(
        "--only", default="", help=f"names of cases, separated by commas; {SPEED} for the rates"
    )
    arguments = parser.parse_args()
    wanted = arguments.only.split(",") if arguments.only else [*(case.name for case in CASES), SPEED]
    if unknown := set(wanted) - {case.name for case in CASES} - {SPEED}:
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    os.environ.update({**dict.fromkeys(machine.ONE_THREAD, "1"), "TF_CPP_MIN_LOG_LEVEL": "3"})
    os.environ.update(dict.fromkeys(("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"), "1"))
    about, began = machine.describe(PACKAGES), time.perf_counter()
    with _trees(arguments.commit) as trees:
        cases = [case for case in CASES if case.name in wanted]
        rows = [row for case in cases for row in _compared(case, trees)]
        speeds = [_speed(case, trees) for case in SPEEDS if SPEED in wanted and _has_data(case)]
    text = "\n".join([*_table(rows), *_speed_table(speeds)])
    print(f"\n{text}")
    if not arguments.only:
        opening = machine.header("The results of an older version, bit for bit", COMMAND, about)
        versions = f"- Compared: {_commit(arguments.commit)} with {_commit('HEAD')}{_changes()}"
        opening[-1:] = [versions, f"- Time: {time.perf_counter() - began:.0f} s", ""]
        with open(os.path.join(machine.RESULTS, "same_as.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(opening) + f"\n{text}\n")
    return 0 if all(row.equal for row in rows) else 1


@contextlib.contextmanager
def _trees(commit: str) -> Iterator[list[Tree]]:
    """Check the older commit out for as long as the block runs."""
    with tempfile.TemporaryDirectory(prefix="tffs-same-as-") as folder:
        write_table(f"{folder}/table.csv")
        checkout = f"{folder}/checkout"
        _git("worktree", "add", "--detach", checkout, commit)
        try:
            trees = [Tree("older", checkout, f"{folder}/older"), Tree("new", machine.ROOT, f"{folder}/new")]
            for tree in trees:
                os.makedirs(tree.folder)
                _check_imports(tree)
            yield trees
        finally:
            _git("worktree", "remove", "--force", checkout)


def _check_imports(tree: Tree) -> None:
    """Make sure that a tree's commands run its own code and no installed one."""
    code = "import tffs, data_builders; print(tffs.__file__, data_builders.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", code], **_place(tree), capture_output=True, text=True, check=True
    )
    if not all(path.startswith(tree.path) for path in done.stdout.split()):
        raise RuntimeError(f"The code of {tree.path} is hidden by {done.stdout.strip()}.")


def _compared(case: Case, trees: list[Tree]) -> list[Row]:
    """Run a case in both trees at a time and compare what they leave."""
    from benchmarks import same_as_outcome

    if not _has_data(case):
        print(f"{case.name}: not compared, {MIRROR} names no folder with the files", flush=True)
        return []
    processes = [_start(case, tree) for tree in trees]
    failures = [
        f"the {tree.name} tree's command failed: {error.strip().splitlines()[-1:]}"
        for tree, process in zip(trees, processes, strict=True)
        for error in [process.communicate()[1]]
        if process.returncode
    ]
    if failures:
        print(f"{case.name}: {'; '.join(failures)}", flush=True)
        return [Row(case.name, "the command", 1, False, ())]
    older = same_as_outcome.read(case.kind, _output(case, trees[0]))
    try:
        new = same_as_outcome.read(case.kind, _output(case, trees[1]))
    except Exception as error:  # a file that is gone or has another form: a difference, like any other
        print(f"{case.name}: what the new tree left cannot be read: {error!r}", flush=True)
        return [Row(case.name, "what is left", 1, False, ())]
    rows = []
    for verdict in same_as_outcome.compare(older, new):
        equal = not verdict.wrong
        print(f"{case.name}, {verdict.part}: {verdict.values} {'equal' if equal else 'NOT EQUAL'}", flush=True)
        for line in verdict.wrong[:SHOWN]:
            print(f"    {line}", flush=True)
        if len(verdict.wrong) > SHOWN:
            print(f"    and {len(verdict.wrong) - SHOWN} more", flush=True)
        rows.append(Row(case.name, verdict.part, verdict.values, equal, verdict.added))
    return rows


def _start(case: Case, tree: Tree, *more: str, prefix: Sequence[str] = ()) -> subprocess.Popen[str]:
    """Start the command of a case."""
    output = _output(case, tree)
    places = {
        "run": ["--threads=1", f"--workdir={output}"],
        "experiment": ["--mode=experiment", "--experiment=same_as", f"--results_dir={output}", "--workers=1"],
        "tune": ["--mode=tune", f"--workdir={output}", "--workers=1"],
    }
    table = os.path.join(os.path.dirname(tree.folder), "table.csv")
    flags = [flag.format(table=table) for flag in case.flags]
    own = ONLY_NEW[case.kind] if tree.name == "new" else ()
    command = [sys.executable, "-m", "tffs.main", *flags, *places[case.kind], *own, *more]
    return subprocess.Popen(
        [*prefix, *command, f"--data_dir={tree.folder}/data"],
        **_place(tree),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def _output(case: Case, tree: Tree) -> str:
    return os.path.join(tree.folder, case.name.replace(" ", "_"))


def _place(tree: Tree) -> dict[str, Any]:
    """Give the folder and the environment in which a tree's code is imported."""
    mirror = {MIRROR: found} if (found := _mirror()) else {}
    return {"cwd": tree.path, "env": {**os.environ, **mirror, "PYTHONPATH": tree.path}}


def _mirror() -> str | None:
    """Find the paper's files: where the environment says, or beside the clone."""
    beside = os.path.join(os.path.dirname(machine.ROOT), "shared", "data")
    folder = os.path.abspath(os.environ.get(MIRROR, beside))
    return folder if os.path.isdir(os.path.join(folder, "mnist_r")) else None


def _has_data(case: Case) -> bool:
    return not case.real_data or _mirror() is not None


def _speed(case: Case, trees: list[Tree]) -> dict[str, Any]:
    """Train on one core, the trees in turn, and keep every round's steps a second."""
    rates: dict[str, list[float]] = {tree.name: [] for tree in trees}
    core = ["taskset", "--cpu-list", str(machine.last_core())]
    for turn in range(ROUNDS):
        for tree in trees if turn % 2 == 0 else trees[::-1]:
            timed = case._replace(name=f"{case.name} round {turn}")
            process = _start(timed, tree, "--mode=train", prefix=core)
            if process.communicate()[1] and process.returncode:
                raise RuntimeError(f"The {tree.name} tree could not train {case.name}.")
            with open(os.path.join(_output(timed, tree), "training.json"), encoding="utf-8") as file:
                rates[tree.name].append(json.load(file)["steps_per_second"])
            print(f"{timed.name}, {tree.name}: {rates[tree.name][-1]:.0f} steps/s", flush=True)
    return {"case": case.name, **rates}


def _table(rows: list[Row]) -> list[str]:
    lines = ["| case | compared | values | equal | only in the new tree |", "|---|---|---:|---|---|"]
    for row in rows:
        added = ", ".join(row.added[:SHOWN]) + (", ..." if len(row.added) > SHOWN else "")
        lines.append(
            f"| {row.case} | {row.part} | {row.values} | {'yes' if row.equal else '**NO**'} | {added} |"
        )
    return lines


def _speed_table(speeds: list[dict[str, Any]]) -> list[str]:
    if not speeds:
        return []
    lines = [
        "",
        f"Steps a second on one core, compiled; median of {ROUNDS} rounds in which the trees take turns:",
        "",
        "| size | older | new | new / older |",
        "|---|---:|---:|---:|",
    ]
    for speed in speeds:
        older, new = statistics.median(speed["older"]), statistics.median(speed["new"])
        lines.append(f"| {speed['case']} | {older:.0f} | {new:.0f} | {new / older:.2f} |")
    return lines


def _commit(name: str) -> str:
    return _git("rev-parse", "--short", name)


def _changes() -> str:
    return " and changes that are not committed" if _git("status", "--porcelain", "--", "tffs") else ""


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=machine.ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"git {' '.join(arguments)} failed: {done.stderr.strip()}")
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
