"""The fuzzer's worker with small targets, by name."""

import os
import random
import time

import atheris

from fuzzing import worker
from fuzzing.case import Case
from fuzzing.files import Change
from fuzzing.target import ACCEPTED, Outcome, Target

SLOW = Case("text", {}, b"an input that takes a second")
DEADLY = {kind: Case("text", {}, f"an input for a {kind}".encode()) for kind in ("crash", "timeout", "oom")}


class SmallTarget(Target):
    """Answers all inputs, one of them slowly.

    Args:
        broken: whether some end the process.
    """

    kinds = ("text",)
    words = (b"word",)
    memory = 400
    good = Case("text", {}, b"good")

    def __init__(self, broken: bool) -> None:
        super().__init__()
        self._broken = broken

    def draw(self, source: random.Random) -> Case:
        return Case("text", {}, source.choice((b"a", b"b", b"word")))

    def change(self, case: Case, source: random.Random, change: Change) -> Case:
        return self.draw(source)

    def answer(self, case: Case) -> Outcome:
        if case == SLOW:
            time.sleep(1.0)
        if self._broken and case == DEADLY["crash"]:
            os.abort()
        if self._broken and case == DEADLY["timeout"]:
            time.sleep(1000.0)
        if self._broken and case == DEADLY["oom"]:
            _memory = b"x" * 500_000_000
            time.sleep(3.0)
        return _answered(case.content)


class VanishingTarget(SmallTarget):
    """Ends its first process while it fuzzes, without a word, and lets no other start.

    Args:
        folder: where it marks that it started.
    """

    def __init__(self, folder: str) -> None:
        super().__init__(broken=False)
        self._mark = os.path.join(folder, "started")
        if os.path.exists(self._mark):
            raise FileExistsError(f"{self._mark} is there already")

    def change(self, case: Case, source: random.Random, change: Change) -> Case:
        with open(self._mark, "w"):
            os._exit(3)


@atheris.instrument_func
def _answered(content: bytes) -> Outcome:
    return Outcome(ACCEPTED, "a word" if content == b"word" else "letters")


def _small_target(name: str, folder: str) -> Target:
    if name in ("vanishing", "absent"):
        return VanishingTarget(folder)
    return SmallTarget(broken=name == "broken" and not os.path.exists(os.path.join(folder, "fixed")))


if __name__ == "__main__":
    worker.loaded_target = _small_target
    worker.main()
