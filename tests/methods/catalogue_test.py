import dataclasses

import pytest

from tffs.methods.catalogue import (
    METHODS,
    YARDSTICKS_OF_CLASSIFIERS,
    Fixed,
    Posterior,
    Ranked,
    Trained,
    baseline,
)


@pytest.mark.parametrize("name", METHODS)
def test_a_method_names_parts_that_exist(name):
    method = METHODS[name]
    if isinstance(method, (Ranked, Fixed)):
        assert callable(baseline(method.baseline))
    if method.starts_from is not None:
        start = METHODS[method.starts_from]
        assert isinstance(start, (Trained, Posterior))
        assert start.starts_from is None
    assert method.loss in ("reconstruction", "cross_entropy")
    assert set(method.depends_on) <= {"support_size", "num_selected"}


def test_methods_are_data():
    with pytest.raises(dataclasses.FrozenInstanceError):
        METHODS["ours"].keeps = "last"
    assert METHODS["ours"] == Trained()


def test_yardsticks_are_trained_in_the_way_of_the_run():
    for method in YARDSTICKS_OF_CLASSIFIERS.values():
        assert method.rows == "episodes"
