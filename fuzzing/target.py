"""What every target of the fuzzer is and does."""

import abc
import random
from typing import NamedTuple

from fuzzing.broken import Broken, check_sentence
from fuzzing.case import Case
from fuzzing.files import Change

BETWEEN = 200  # inputs until the good one is given again
ACCEPTED, REFUSED, NO_CASE = "accepted", "refused", "no case"


class Outcome(NamedTuple):
    """What became of an input.

    Attributes:
        kind: `accepted`, `refused`, or `no case`.
        says: the sentence of a refusal, or what was read or answered, as far as it must be the same again.
    """

    kind: str
    says: str = ""


class Target(abc.ABC):
    """One way in for what people and clients send.

    Attributes:
        kinds: of its cases.
        words: what the fuzzer puts into inputs, beside what it finds out by itself.
        memory: megabytes that the process may take, which no input may exceed.
        good: an input that is always answered in the same way.
    """

    kinds: tuple[str, ...]
    words: tuple[bytes, ...]
    memory: int
    good: Case

    def __init__(self) -> None:
        self._calls = 0
        self._expected: Outcome | None = None

    @abc.abstractmethod
    def draw(self, source: random.Random) -> Case:
        """Draw an input that is almost right."""

    @abc.abstractmethod
    def change(self, case: Case, source: random.Random, change: Change) -> Case:
        """Change an input, so that its packing stays whole."""

    @abc.abstractmethod
    def answer(self, case: Case) -> Outcome:
        """Give an input to tffs, and hold what comes against what others read in it.

        Raises:
            Broken: a property does not hold.
            Exception: whatever tffs lets through.
        """

    def check(self, case: Case) -> Outcome:
        """Hold an input against all properties; the good one is given in between, and before the first."""
        if case.kind not in self.kinds:
            return Outcome(NO_CASE)
        if self._expected is None:
            self._expected = self.answer(self.good)
        outcome = self.answer(case)
        if outcome.kind == REFUSED:
            check_sentence(outcome.says)
        self._calls += 1
        if self._calls % BETWEEN == 0 and self.answer(self.good) != self._expected:
            raise Broken("the good input is answered otherwise after this one")
        return outcome
