"""Fuzz one target in this process, until libFuzzer ends it; `fuzzing.run` starts it.

    python -m fuzzing.worker TARGET FOLDER [libFuzzer's arguments]

FOLDER is the target's own: the corpus is in it, and what was found. Files among the arguments are given
alone, without fuzzing. Counts go to standard output, a line of JSON now and then.
"""

import hashlib
import json
import os
import random
import sys
import time
import traceback
from collections import Counter

import atheris

from fuzzing.broken import Broken, signature_of
from fuzzing.case import Case
from fuzzing.shrinking import shrunk
from fuzzing.target import NO_CASE, Target
from fuzzing.targets import loaded_target

COUNT_SECONDS = 5.0
MOST_SECONDS = 5.0  # of computing that an input may take
DRAWN, CHANGED = 0.25, 0.6  # shares of inputs: drawn anew, and changed within their packing; others as bytes
SEEDS = 200  # inputs that are drawn for a corpus that is empty
_GROWTH = 64  # bytes that a change may add


class Worker:
    """Hands inputs to a target and keeps what it finds.

    Args:
        target: loaded.
        found: the folder for findings; those of earlier runs that were fixed are removed from it.
    """

    def __init__(self, target: Target, found: str) -> None:
        self._target = target
        self._found = found
        self._known: set[str] = set()
        self._counts: Counter[str] = Counter()
        self._said = time.monotonic()
        self._unraised: list[BaseException] = []
        sys.unraisablehook = lambda unraisable: self._unraised.append(
            unraisable.exc_value or unraisable.exc_type()
        )
        for name in sorted(os.listdir(found)):
            if name.endswith(".case"):
                self._again(os.path.join(found, name))

    def one(self, data: bytes) -> int:
        """Check one input; libFuzzer does not keep it where it is no case."""
        case = Case.from_bytes(data)
        outcome, error = (NO_CASE, None) if case is None else self._outcome(case)
        if case is not None and error is not None:
            self._keep(case, error)
        self._counts[outcome] += 1
        if time.monotonic() - self._said > COUNT_SECONDS:
            self._said = time.monotonic()
            print(json.dumps(self._counts), flush=True)
        return -1 if outcome == NO_CASE else 0

    def mutated(self, data: bytes, most: int, seed: int) -> bytes:
        """Make another input of one."""
        source = random.Random(seed)
        share, case = source.random(), Case.from_bytes(data)
        if case is None or share < DRAWN:
            made = self._target.draw(source)
        elif share < DRAWN + CHANGED:
            made = self._target.change(
                case, source, lambda part: bytes(atheris.Mutate(part, len(part) + _GROWTH))
            )
        else:
            return bytes(atheris.Mutate(data, most))
        written = made.to_bytes()
        return written if len(written) <= most else data

    def _outcome(self, case: Case) -> tuple[str, BaseException | None]:
        self._unraised.clear()
        began = time.process_time()
        try:
            outcome = self._target.check(case).kind
            if time.process_time() - began > MOST_SECONDS:
                raise Broken(f"an input took more than {MOST_SECONDS} seconds")
        except Exception as error:
            return "broken", error
        return ("broken", self._unraised[0]) if self._unraised else (outcome, None)

    def _again(self, path: str) -> None:
        """Look whether an earlier finding still is one, and forget it if it was fixed."""
        with open(path, "rb") as file:
            case = Case.from_bytes(file.read())
        error = case and self._outcome(case)[1]
        if error:
            self._known.add(signature_of(error))
        else:
            os.remove(path)
            os.remove(f"{path[:-5]}.json")

    def _keep(self, case: Case, error: BaseException) -> None:
        """Write a finding that is new, as small as it gets."""
        name = signature_of(error)
        if name in self._known:
            return
        self._known.add(name)

        def same(other: Case) -> bool:
            again = self._outcome(other)[1]
            return again is not None and signature_of(again) == name

        small = shrunk(case, same)
        path = os.path.join(self._found, hashlib.sha256(name.encode()).hexdigest()[:12])
        with open(f"{path}.case", "wb") as file:
            file.write(small.to_bytes())
        shown = "".join(traceback.format_exception(error))
        with open(f"{path}.json", "w", encoding="utf-8") as about:
            json.dump({"name": name, "says": str(error)[:2000], "traceback": shown[-6000:]}, about, indent=1)
        print(json.dumps({"finding": name}), flush=True)


def main() -> None:
    """Fuzz until libFuzzer ends the process."""
    name, folder, *arguments = sys.argv[1:]
    with atheris.instrument_imports(include=["data_builders", "tffs"]):
        target = loaded_target(name, os.path.dirname(folder))
    corpus, found = os.path.join(folder, "corpus"), os.path.join(folder, "found")
    for each in (corpus, found):
        os.makedirs(each, exist_ok=True)
    if not os.listdir(corpus):
        source = random.Random(0)
        for number in range(SEEDS):
            with open(os.path.join(corpus, f"drawn-{number}"), "wb") as file:
                file.write(target.draw(source).to_bytes())
    words = os.path.join(folder, "words")
    with open(words, "w", encoding="ascii") as listing:
        listing.writelines('"' + "".join(f"\\x{byte:02x}" for byte in word) + '"\n' for word in target.words)
    worker = Worker(target, found)
    limits = (f"-rss_limit_mb={target.memory}", f"-dict={words}", f"-artifact_prefix={folder}/")
    inputs = [] if any(not each.startswith("-") for each in arguments) else [corpus]
    atheris.Setup([sys.argv[0], *limits, *arguments, *inputs], worker.one, custom_mutator=worker.mutated)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
