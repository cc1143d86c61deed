"""Give cases of the fuzzer to a target again."""

import re
import sys

from hypothesis import HealthCheck, settings

from fuzzing.case import Case
from fuzzing.page import CASES
from fuzzing.slug import slug
from fuzzing.target import REFUSED

SOME = settings(
    max_examples=100,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
)


def check_cases(target, name, monkeypatch):
    """Hold all cases of a target against the outcomes in their names, and refusals against their sentences."""
    unraised = []  # of which Python prints a traceback
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: unraised.append(unraisable.exc_value))
    paths = sorted((CASES / name).rglob("*.case"))
    assert paths
    for path in paths:
        outcome = target.check(Case.from_bytes(path.read_bytes()))
        assert path.name.endswith(f".{outcome.kind}.case"), (path, outcome)
        if outcome.kind == REFUSED:
            sentence = path.name.split(".")[-3]
            assert re.sub(r"_\d+$", "", sentence) == slug(outcome.says), (path, outcome)
        assert not unraised, path
