"""Fuzz the ways in, one after the other, and say what was found.

    python -m fuzzing.run --target=table --minutes=10     # or several: --target=table,json; all if not given
    python -m fuzzing.run --report                        # the page of results alone

A run resumes from the corpus of the last one and adds to it. The corpus and what was found lie in --folder,
outside the repository: `<target>/found/` has the smallest input of each finding and its traceback. Runs of ten
minutes or more are noted in benchmarks/results/fuzzing.jsonl, of which fuzzing.md is made.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from typing import Any

from benchmarks import machine
from fuzzing import page
from fuzzing.targets import NAMES
from tffs.provenance import commit

FOLDER = os.path.expanduser("~/.cache/tffs/fuzzing")
NOTED_MINUTES = 10.0
LONGEST_INPUT = 16_384  # bytes
SLOWEST = (
    60  # seconds of an input, before the process is ended; the worker counts computing of five as a finding
)
_STATUS = re.compile(
    r"#(?P<executions>\d+)\s+\w+\s+cov: (?P<coverage>\d+) ft: (?P<features>\d+) corp: (?P<corpus>\d+)/"
    r".*rss: (?P<memory>\d+)Mb"
)
_SAY_SECONDS = 30.0
_INTERRUPTED = 72  # libFuzzer's code for it
INTERRUPTED = "the process was stopped from outside, and another goes on"


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
    found = 0
    for target in [] if flags.report else targets:
        done = fuzz(target, flags.minutes, os.path.join(flags.folder, target))
        found += len(done["findings"])
        if flags.minutes >= NOTED_MINUTES:
            page.note(done)
    page.write()
    sys.exit(1 if found else 0)


def fuzz(target: str, minutes: float, folder: str) -> dict[str, Any]:
    """Fuzz one target; a process that an input ends is replaced by another until the time is over.

    Args:
        target: its name.
        minutes: how long.
        folder: of its corpus and findings.

    Returns:
        What is noted of it.
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
    open(os.path.join(folder, "log.txt"), "w").close()
    death = "not started"
    while death and (left := 60.0 * minutes - fuzzed) >= 1.0:
        seconds, status, outcomes, death = _process(target, left, folder, done["executions"])
        fuzzed += seconds
        done["executions"] += int(status.get("executions", 0))
        done |= {
            name: int(status[name]) for name in ("coverage", "features", "corpus", "memory") if name in status
        }
        for kind, count in outcomes.items():
            done["outcomes"][kind] = done["outcomes"].get(kind, 0) + count
        if death:
            print(f"{target}: {death}", flush=True)
        if death and death != INTERRUPTED:
            done["deaths"].append(death)
        if not status:
            raise SystemExit(f"{target}: the fuzzer does not start; see {folder}/log.txt")
    done["seconds"] = round(fuzzed)
    done["elapsed"] = round(time.monotonic() - began)
    done["findings"] = findings(folder) + done["deaths"]
    print(f"{target}: {done['executions']} inputs in {fuzzed:.0f} seconds, {len(done['findings'])} finding(s)")
    for finding in done["findings"]:
        print(f"  - {finding}")
    return done


def findings(folder: str) -> list[str]:
    """Name what was found and is not mended."""
    found = os.path.join(folder, "found")
    names = []
    for name in sorted(os.listdir(found)) if os.path.isdir(found) else []:
        if name.endswith(".json"):
            with open(os.path.join(found, name), encoding="utf-8") as file:
                names.append(json.load(file)["name"])
    return names


def _process(
    target: str, seconds: float, folder: str, before: int
) -> tuple[float, dict[str, str], dict[str, int], str]:
    """Run one process until its time is over or it dies; its seconds count from when it fuzzes."""
    command = [
        *(sys.executable, "-W", "ignore", "-m", "fuzzing.worker", target, folder),
        *(
            f"-max_total_time={seconds:.0f}",
            f"-max_len={LONGEST_INPUT}",
            f"-timeout={SLOWEST}",
            "-report_slow_units=5",
        ),
    ]
    environment = {**os.environ, **dict.fromkeys(machine.ONE_THREAD, "1"), "TF_CPP_MIN_LOG_LEVEL": "3"}
    status: dict[str, str] = {}
    outcomes: dict[str, int] = {}
    began = said = time.monotonic()
    with (
        open(os.path.join(folder, "log.txt"), "a", encoding="utf-8") as log,
        subprocess.Popen(
            command,
            cwd=machine.ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            log.write(line)
            if line.startswith("{"):
                told = json.loads(line)
                if "finding" in told:
                    print(f"{target}: found {told['finding']}", flush=True)
                else:
                    outcomes = told
            elif matched := _STATUS.match(line):
                if not status:
                    began = time.monotonic()
                status = matched.groupdict()
            if time.monotonic() - said > _SAY_SECONDS and status:
                said = time.monotonic()
                print(
                    f"{target}: {before + int(status['executions'])} inputs, coverage {status['coverage']}, "
                    f"{json.dumps(outcomes)}",
                    flush=True,
                )
    taken = time.monotonic() - began
    ended = process.returncode
    if ended in (0, _INTERRUPTED):
        return taken, status, outcomes, INTERRUPTED if ended else ""
    return taken, status, outcomes, f"the process ended with {ended}: {_last_words(folder)}"


def _last_words(folder: str) -> str:
    """Find what libFuzzer said of the end of a process."""
    with open(os.path.join(folder, "log.txt"), encoding="utf-8") as log:
        lines = [line.strip() for line in log if "ERROR" in line or "Error" in line]
    return lines[-1][:200] if lines else "without a word"


if __name__ == "__main__":
    main()
