"""Small files that the fuzzer found, and others like them: each is read rightly or refused in a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzing.targets import FILES, file_target
from tests.fuzzing.replaying import SOME, check_cases


@pytest.fixture(scope="module")
def files():
    return {name: file_target(name) for name in FILES}


@pytest.mark.parametrize("name", FILES)
def test_every_kept_file_is_read_or_refused_as_before(files, name, monkeypatch):
    check_cases(files[name], name, monkeypatch)


@pytest.mark.parametrize("name", FILES)
@SOME
@given(source=st.randoms(use_true_random=False))
def test_a_file_that_is_almost_right_is_read_as_others_read_it_or_refused_in_a_sentence(files, name, source):
    files[name].check(files[name].draw(source))
