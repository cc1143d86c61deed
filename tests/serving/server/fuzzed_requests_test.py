"""Small requests that the fuzzer found, and others like them: each gets the model's answer or a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzing.targets import REQUESTS, request_targets
from tests.fuzzing.replaying import SOME, check_cases


@pytest.fixture(scope="module")
def requests(tiny_export, posterior_export):
    targets = request_targets({"network": tiny_export, "posterior": posterior_export})
    yield targets
    for model in targets["json"].models.values():
        model.close()


@pytest.mark.parametrize("name", REQUESTS)
def test_every_kept_request_is_answered_or_refused_as_before(requests, name, monkeypatch):
    check_cases(requests[name], name, monkeypatch)


@pytest.mark.parametrize("name", REQUESTS)
@SOME
@given(source=st.randoms(use_true_random=False))
def test_a_request_that_is_almost_right_gets_the_models_answer_or_a_sentence(requests, name, source):
    requests[name].check(requests[name].draw(source))
