"""One process of the fuzzer: started, listened to, and ended when its time is over."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from typing import NamedTuple

from benchmarks import machine

WORKER = "fuzzing.worker"
LONGEST_INPUT = 16_384  # bytes
# Seconds of an input, before the process is ended; the worker counts computing of five as a finding.
SLOWEST = 60
INTERRUPTED = "the process was stopped from outside, and another goes on"
_ALONE_TIMES = 10  # libFuzzer looks at the memory once a second, and may miss what one time takes
ALONE_SECONDS = (_ALONE_TIMES + 1) * SLOWEST  # of one input that is given again, with the start of its process
_STATUS = re.compile(
    r"#(?P<executions>\d+)\s+(?P<event>\w+)\s+cov: (?P<coverage>\d+) ft: (?P<features>\d+) "
    r"corp: (?P<corpus>\d+)/.*rss: (?P<memory>\d+)Mb"
)
_CORPUS_IS_READ = "INITED"
_EXECUTIONS = re.compile(r"stat::number_of_executed_units:\s+(\d+)")
_INTERRUPTED_CODE = 72  # libFuzzer's
_SAY_SECONDS = 30.0


class Ended(NamedTuple):
    """What a process did.

    Attributes:
        seconds: that it fuzzed; reading the corpus does not count, and 0 is a process that got no further.
        status: libFuzzer's numbers, by name; none where it did not fuzz.
        outcomes: how many inputs had which outcome.
        death: how it died, with its last words; empty for one that did not.
    """

    seconds: float
    status: dict[str, str]
    outcomes: dict[str, int]
    death: str


def fuzz_once(target: str, seconds: float, folder: str, before: int) -> Ended:
    """Run one process until its time is over or it dies.

    libFuzzer's own limit of time would count from the start of the process, of which a large corpus or
    TensorFlow takes a part. So the process is asked to end when it has fuzzed long enough.

    Args:
        target: its name.
        seconds: to fuzz.
        folder: of its corpus and findings.
        before: inputs of earlier processes, for what is said meanwhile.
    """
    status: dict[str, str] = {}
    outcomes: dict[str, int] = {}
    last_words = "without a word"
    began, said = None, time.monotonic()
    with (
        open(os.path.join(folder, "log.txt"), "a", encoding="utf-8") as log,
        subprocess.Popen(
            _command(target, folder, "-print_final_stats=1"),
            cwd=machine.ROOT,
            env=_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as process,
    ):
        assert process.stdout is not None
        end = threading.Timer(seconds, process.send_signal, [signal.SIGUSR1])
        try:
            for line in process.stdout:
                log.write(line)
                if line.startswith("{"):
                    told = json.loads(line)
                    if "finding" in told:
                        print(f"{target}: found {told['finding']}", flush=True)
                    else:
                        outcomes = told
                elif matched := _STATUS.match(line):
                    if matched["event"] == _CORPUS_IS_READ and began is None:
                        began = time.monotonic()
                        end.start()
                    if began is not None:
                        status = matched.groupdict()
                elif status and (matched := _EXECUTIONS.match(line)):
                    status["executions"] = matched[1]
                elif "ERROR" in line or "Error" in line:
                    last_words = line.strip()[:200]
                if time.monotonic() - said > _SAY_SECONDS and status:
                    said = time.monotonic()
                    inputs, coverage = before + int(status["executions"]), status["coverage"]
                    print(f"{target}: {inputs} inputs, coverage {coverage}, {json.dumps(outcomes)}", flush=True)
        finally:
            end.cancel()
    fuzzed = 0.0 if began is None else time.monotonic() - began
    code = process.returncode
    if code == _INTERRUPTED_CODE:
        death = INTERRUPTED
    else:
        death = "" if code == 0 and status else f"the process ended with {code}: {last_words}"
    return Ended(fuzzed, status, outcomes, death)


def survives(target: str, folder: str, path: str) -> bool:
    """Give one input in a process of its own, with the same limits, and tell whether it ends well.

    Args:
        target: its name.
        folder: of its corpus and findings.
        path: of the input.
    """
    command = _command(target, folder, f"-runs={_ALONE_TIMES}", path)
    null = subprocess.DEVNULL
    try:
        done = subprocess.run(
            command, cwd=machine.ROOT, env=_environment(), stdout=null, stderr=null, timeout=ALONE_SECONDS
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def _command(target: str, folder: str, *arguments: str) -> list[str]:
    limits = (f"-max_len={LONGEST_INPUT}", f"-timeout={SLOWEST}", "-report_slow_units=5")
    return [sys.executable, "-W", "ignore", "-m", WORKER, target, folder, *limits, *arguments]


def _environment() -> dict[str, str]:
    return {**os.environ, **dict.fromkeys(machine.ONE_THREAD, "1"), "TF_CPP_MIN_LOG_LEVEL": "3"}
