"""One fit and its pages for all tests of the report."""

import pytest

from tests.report import small


@pytest.fixture(scope="session")
def selector():
    return small.fitted()


@pytest.fixture(scope="session")
def adapted(selector):
    with pytest.warns(UserWarning, match="more unusual"):
        return selector.adapt(small.rows(seed=1)[0].head(4), exclude=["load 5"])


@pytest.fixture(scope="session")
def pages(selector, adapted, tmp_path_factory):
    """The pages of any task, of a new one, and of a new one with its rows."""
    folder = tmp_path_factory.mktemp("reports")
    return {
        "any": selector.report(str(folder / "any.html")),
        "task": adapted.report(str(folder / "task.html")),
        "rows": adapted.report(str(folder / "rows.html"), rows=True),
    }
