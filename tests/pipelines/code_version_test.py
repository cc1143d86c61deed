"""The digest of the code."""

import pytest

import pipelines
from pipelines import code_version


@pytest.fixture
def other_code(tmp_path, monkeypatch):
    """Put another folder in the place of the pipelines' source."""
    monkeypatch.setattr(pipelines, "__path__", [str(tmp_path)])
    yield tmp_path
    code_version.digest.cache_clear()


def _digest():
    code_version.digest.cache_clear()
    return code_version.digest()


def test_the_digest_changes_with_the_content_and_the_name_of_a_file(other_code):
    (other_code / "a.py").write_text("x = 1\n")
    first = _digest()
    assert _digest() == first
    (other_code / "a.py").write_text("x = 2\n")
    changed = _digest()
    (other_code / "a.py").rename(other_code / "b.py")
    assert len({first, changed, _digest()}) == 3


def test_the_digest_does_not_see_what_is_no_source(other_code):
    (other_code / "a.py").write_text("x = 1\n")
    first = _digest()
    (other_code / "notes.txt").write_text("x")
    assert _digest() == first


def test_the_code_of_a_model_is_told_with_version_digest_and_commit():
    found = code_version.code()
    assert set(found) == {"tffs", "digest", "commit"}
    assert found["digest"] == code_version.digest()
