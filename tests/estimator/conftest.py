"""A fitted selector and one that is adapted to a new machine, for each file of tests."""

import pytest

from tests.estimator.small import NEW, fitted


@pytest.fixture(scope="module")
def selector():
    return fitted()


@pytest.fixture(scope="module")
def new(selector):
    return selector.adapt(NEW.head(4))
