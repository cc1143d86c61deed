"""The questions of serving_posterior.py, their answers in NumPy, and who judges what came back.

What counts as right:

- A choice keeps the limits, and is followed step by step. Where it differs from the oracle's own, the feature
  it took must be worth at least 1 - `TIE` of the best one in float64: the model computes covariances in
  float32, so what is nearer than that may come either way. How often, and how near at worst, is counted.
- Expected errors, novelty and reconstructions are within the tolerances below, which float32 explains.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from benchmarks.posterior_oracle import Inferred, Limits, Oracle, Ranked

TIE = 1e-3  # share of the best feature's worth
ERROR_TOLERANCE = 1e-3  # of an expected error, relative, and 1e-5 absolute: it is a share of 1
NOVELTY_TOLERANCE = 2e-3  # absolute, of a number from 0 to 1
VALUE_TOLERANCE = 2e-3  # of a value and of its interval's ends, in standard deviations of the feature
KINDS = {"select": 40, "reconstruct": 40, "novelty": 18, "rank": 2}  # of every 100 questions
MOST_ROWS = 16

Inputs = dict[str, np.ndarray]


class Expected(NamedTuple):
    """What one model must answer to a question.

    Attributes:
        choices: answers that are right, by their indices; more are added as they are found to be near-ties.
        novelty: of the support.
        inferred: what rows are, or None.
    """

    choices: dict[tuple[int, ...], Ranked]
    novelty: float
    inferred: Inferred | None


class Judge:
    """Knows which versions there are, and counts what it has judged.

    Args:
        models: how many take turns.

    Attributes:
        published: the newest version that may be served.
        seen: the newest version that has answered over gRPC.
        counts: of right and wrong answers, and of near-ties.
        answered_by: how many answers over gRPC each version gave.
        examples: what was wrong, in words.
    """

    def __init__(self, models: int) -> None:
        self._models = models
        self.published = self.seen = 1
        self.counts: Counter[str] = Counter()
        self.answered_by: Counter[int] = Counter()
        self.examples: list[str] = []
        self.worst: dict[str, float] = {}

    def model_of(self, version: int) -> int:
        """Give the model that a version is."""
        return (version - 1) % self._models

    def publish(self) -> int:
        """Give the next version, which may be served from now on."""
        self.published += 1
        return self.published

    def mark(self) -> int:
        """Note what was serving when a question was asked."""
        return self.seen

    def versions(self, named: int | None, marked: int) -> list[int]:
        """List the versions that can have given an answer: once a newer one has answered, no older one does."""
        if named is None:
            return list(range(marked, self.published + 1))
        self.seen = max(self.seen, named)
        self.answered_by[named] += 1
        return [named] if marked <= named <= self.published else []

    def say(self, wrong: str) -> bool:
        """Note that an answer was wrong."""
        self.counts["wrong"] += 1
        if len(self.examples) < 100:
            self.examples.append(wrong)
        return False

    def largest(self, name: str, value: float) -> None:
        """Keep the largest deviation of a kind among answers that were right."""
        self.worst[name] = max(self.worst.get(name, 0.0), value)


def mixed_questions(
    learned: list[Mapping[str, np.ndarray]], judge: Judge, selected: int, distinct: int
) -> list[Any]:
    """Make questions in random order, each with the answer of every model.

    Args:
        learned: what each model has learned; see `posterior_oracle.learned_numbers`.
        judge: of the answers.
        selected: K.
        distinct: about how many questions.
    """
    from benchmarks.serving_load import question

    rng = np.random.default_rng(1)
    oracles = [Oracle(one) for one in learned]
    kinds = inputs_of_kinds(learned[0], selected)
    made = []
    for kind, share in KINDS.items():
        signature, ask = kinds[kind]
        for _ in range(max(distinct * share // 100, 2)):
            inputs = ask(rng, int(rng.integers(MOST_ROWS + 1)))
            count = len(learned[0]["offset"]) if kind == "rank" else selected
            asked = _Asked(kind, inputs, count)
            expected = [_expected(oracle, asked) for oracle in oracles]
            right = _checked(judge, asked, expected, oracles)
            made.append(question(signature, inputs, _outputs(kind), kind, right))
    return [made[place] for place in rng.permutation(len(made))]


def inputs_of_kinds(
    learned: Mapping[str, np.ndarray], selected: int
) -> dict[str, tuple[str, Callable[..., Inputs]]]:
    """Give for each kind its signature, and what makes the inputs of one task with so many support rows."""
    offset, width = learned["offset"], learned["width"]
    features = len(offset)

    def rows(rng: np.random.Generator, count: int) -> np.ndarray:
        unusual = 1.0 + rng.exponential(0.5)
        return (offset + width * unusual * rng.standard_normal((count, features))).astype(np.float32)[None]

    def limited(rng: np.random.Generator, count: int) -> Inputs:
        inputs = free(rng, count)
        inputs["include"][0, rng.choice(features, rng.integers(min(3, selected)), replace=False)] = True
        inputs["exclude"] = (rng.random((1, features)) < 0.2) & ~inputs["include"]
        inputs["costs"] = rng.integers(0 if rng.random() < 0.2 else 1, 6, (1, features)).astype(np.float32)
        if rng.random() < 0.5:
            least = float(inputs["costs"][inputs["include"]].sum())
            inputs["budget"] = np.array([least + rng.integers(5, 3 * selected + 6)], np.float32)
        return inputs

    def free(rng: np.random.Generator, count: int) -> Inputs:
        # No rows go as one that does not count, which is what the client sends.
        support = rows(rng, count) if count else np.zeros((1, 1, features), np.float32)
        return {
            "support": support,
            "support_size": np.array([count], np.int32),
            "include": np.zeros((1, features), bool),
            "exclude": np.zeros((1, features), bool),
            "costs": np.ones((1, features), np.float32),
            "budget": np.array([-1.0], np.float32),
        }

    def measured(rng: np.random.Generator, count: int) -> Inputs:
        values = rows(rng, int(rng.integers(1, 5)))
        if rng.random() < 0.5:  # the same features of all rows, as where a choice was measured
            here = np.isin(np.arange(features), rng.choice(features, selected, replace=False))[None]
        else:
            here = rng.random(values.shape[1:]) < selected / features
        inputs = free(rng, count)
        values[:, ~np.broadcast_to(here, values.shape[1:])] = np.nan
        return {**{name: inputs[name] for name in ("support", "support_size")}, "values": values}

    return {
        "select": ("select_limited", limited),
        "reconstruct": ("reconstruct", measured),
        "novelty": ("select_limited", free),
        "rank": ("rank", limited),
    }


def _outputs(kind: str) -> tuple[str, ...]:
    if kind == "reconstruct":
        return ("reconstruction", "low", "high")
    return ("indices", "expected_error", "expected_error_of_none", "novelty")


class _Asked(NamedTuple):
    """A question, as the oracle takes it."""

    kind: str
    inputs: Inputs
    count: int

    @property
    def support(self) -> np.ndarray:
        """The rows that count."""
        return self.inputs["support"][0, : self.inputs["support_size"][0]].astype(np.float64)

    def ranked(self, oracle: Oracle, order: tuple[int, ...] | None = None) -> Ranked | None:
        """Let the oracle choose, or follow a choice."""
        include, exclude, costs, budget = (
            self.inputs[name][0] for name in ("include", "exclude", "costs", "budget")
        )
        limits = Limits(include, exclude, costs.astype(np.float64), float(budget))
        return oracle.rank(self.support, limits, self.count, order)


def _expected(oracle: Oracle, asked: _Asked) -> Expected:
    if asked.kind == "reconstruct":
        values = asked.inputs["values"][0].astype(np.float64)
        return Expected({}, -1.0, oracle.infer(asked.support, values))
    ranked = asked.ranked(oracle)
    assert ranked is not None
    return Expected({ranked.indices: ranked}, oracle.novelty(asked.support), None)


def _checked(
    judge: Judge, asked: _Asked, expected: list[Expected], oracles: list[Oracle]
) -> Callable[[Any, int], bool]:
    """Make what judges the answers to one question."""

    def right(answer: Any, marked: int) -> bool:
        reasons = []
        for version in judge.versions(answer.version, marked):
            model = judge.model_of(version)
            if asked.kind == "reconstruct":
                found = _wrong_rows(judge, answer.outputs, expected[model].inferred, oracles[model])
            else:
                found = _wrong_choice(judge, asked, answer.outputs, expected[model], oracles[model])
            if found is None:
                judge.counts["right"] += 1
                return True
            reasons.append(f"version {version}: {found}")
        late = f"version {answer.version} answered when {marked} had before"
        return judge.say(f"{asked.kind}: {'; '.join(reasons) or late}")

    return right


def _wrong_choice(
    judge: Judge, asked: _Asked, outputs: Mapping[str, Any], expected: Expected, oracle: Oracle
) -> str | None:
    indices = tuple(int(index) for index in outputs["indices"] if index >= 0)
    ranked = expected.choices.get(indices) or asked.ranked(oracle, indices)
    if ranked is None:
        return f"the choice {indices[:5]}... is not within the limits"
    if ranked.shortfall > TIE:
        return f"a feature was taken that is worth {ranked.shortfall:.2g} less than the best"
    expected.choices[indices] = ranked
    if ranked.shortfall:
        judge.counts["near-ties"] += 1
        judge.largest("near-tie", ranked.shortfall)
    errors = np.array([float(outputs["expected_error_of_none"]), *outputs["expected_error"][: len(indices)]])
    apart = np.abs(errors - ranked.errors)
    share = float((apart / (ERROR_TOLERANCE * ranked.errors + 1e-5)).max())
    if not share <= 1.0:
        return f"expected errors differ by {apart.max():.2g}"
    novelty = abs(float(outputs["novelty"]) - expected.novelty)
    if not novelty <= NOVELTY_TOLERANCE:
        return f"novelty differs by {novelty:.2g}"
    judge.largest("expected errors, share of the tolerance", share)
    judge.largest("novelty", novelty)
    return None


def _wrong_rows(
    judge: Judge, outputs: Mapping[str, Any], inferred: Inferred | None, oracle: Oracle
) -> str | None:
    assert inferred is not None
    ends = {
        "reconstruction": inferred.mean,
        "low": inferred.mean - inferred.reach,
        "high": inferred.mean + inferred.reach,
    }
    worst = 0.0
    for name, wanted in ends.items():
        given = np.asarray(outputs[name], np.float64)
        if given.shape != wanted.shape:
            return f"{name} has the shape {given.shape}"
        away = float((np.abs(given - wanted) / oracle.width).max())
        if not away <= VALUE_TOLERANCE:  # NaN, too
            return f"{name} is {away:.2g} standard deviations away"
        worst = max(worst, away)
    judge.largest("values, in standard deviations", worst)
    return None
