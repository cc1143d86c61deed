"""Fuzz the ways in, one after the other, and say what was found.

    python -m fuzzing.run --target=table --minutes=10     # or several: --target=table,json; all if not given
    python -m fuzzing.run --report                        # the page of results alone

A run resumes from the corpus of the last one and adds to it. The corpus and what was found lie in --folder,
outside the repository: `<target>/found/` has the smallest input of each finding and its traceback, and
`<target>/found/deadly/` the inputs that end the process. Runs of ten minutes or more are noted in
benchmarks/results/fuzzing.jsonl, of which fuzzing.md is made.
"""

import argparse
import json
import os
import pathlib
import sys
import time
from typing import Any

from benchmarks import machine
from fuzzing import deadly, page
from fuzzing.process import INTERRUPTED, fuzz_once
from fuzzing.targets import NAMES
from tffs.provenance import commit

FOLDER = os.path.expanduser("~/.cache/tffs/fuzzing")
NOTED_MINUTES = 10.0
MOST_DEATHS = 20  # of one target; a process that dies at once would be replaced for hours
_NUMBERS = ("coverage", "features", "corpus", "memory")


def main() -> None:
    """Read the flags, and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", default=",".join(NAMES), help=f"some of {', '.join(NAMES)}")
    parser.add_argument("--minutes", type=float, default=10.0, help="for each; fewer than 10 are not noted")
    parser.add_argument("--folder", default=FOLDER, help="of corpora and findings")
    parser.add_argument("--report", action="store_true", help="write the page of results and end")
    flags = parser.parse_args()
    targets = flags.target.split(",")
    if unknown := sorted(set(targets) - set(NAMES)):
        parser.error(f"--target must be some of {', '.join(NAMES)}, but has {', '.join(unknown)}")
    found, not_fuzzed = 0, []
    for target in [] if flags.report else targets:
        done = fuzz(target, flags.minutes, os.path.join(flags.folder, target))
        found += len(done["findings"])
        if not done["executions"]:
            not_fuzzed.append(target)
        elif flags.minutes >= NOTED_MINUTES:
            page.note(done)
    page.write()
    if not_fuzzed:
        sys.exit(
            f"The fuzzer does not start for {', '.join(not_fuzzed)}: see log.txt in {flags.folder}/<target>."
        )
    sys.exit(1 if found else 0)


def fuzz(target: str, minutes: float, folder: str) -> dict[str, Any]:
    """Fuzz one target; a process that an input ends is replaced by another until the time is over.

    One that does not start ends the run of this target: what was fuzzed until then counts.

    Args:
        target: its name.
        minutes: how long.
        folder: of its corpus and findings.

    Returns:
        What is noted of it; no `executions` if the fuzzer did not start at all.
    """
    os.makedirs(folder, exist_ok=True)
    done: dict[str, Any] = {
        "target": target,
        "about": machine.describe(("atheris", "pyarrow", "numpy", "pandas", "tensorflow", "grpcio", "aiohttp")),
        "commit": commit(),
        "minutes": minutes,
        "executions": 0,
        "outcomes": {},
        "deaths": [],
    }
    began, fuzzed = time.monotonic(), 0.0
    unexplained = []
    deadly.keep(folder)
    deadly.try_again(target, folder)
    open(os.path.join(folder, "log.txt"), "w").close()
    while (left := 60.0 * minutes - fuzzed) > 0.0 and len(done["deaths"]) < MOST_DEATHS:
        ended = fuzz_once(target, left, folder, done["executions"])
        fuzzed += ended.seconds
        done["executions"] += int(ended.status.get("executions", 0))
        done |= {name: int(ended.status[name]) for name in _NUMBERS if name in ended.status}
        for kind, count in ended.outcomes.items():
            done["outcomes"][kind] = done["outcomes"].get(kind, 0) + count
        if ended.death:
            print(f"{target}: {ended.death}", flush=True)
        if not ended.death or ended.death == INTERRUPTED:
            continue
        done["deaths"].append(ended.death)
        if not deadly.keep(folder, ended.death):
            unexplained.append(ended.death)
            if not ended.status:
                break  # the next one would not start either
    done["seconds"] = round(fuzzed)
    done["elapsed"] = round(time.monotonic() - began)
    done["findings"] = findings(folder) + unexplained
    print(f"{target}: {done['executions']} inputs in {fuzzed:.0f} seconds, {len(done['findings'])} finding(s)")
    for finding in done["findings"]:
        print(f"  - {finding}")
    return done


def findings(folder: str) -> list[str]:
    """Name what was found and is not fixed."""
    paths = sorted(pathlib.Path(folder, "found").rglob("*.json"))
    return [json.loads(path.read_text(encoding="utf-8"))["name"] for path in paths]


if __name__ == "__main__":
    main()
