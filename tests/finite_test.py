import math

from tffs.finite import finite


def test_what_is_not_finite_is_none_at_any_depth():
    value = {"a": math.inf, "b": [1.5, -math.inf, {"c": math.nan}], "d": (1, "x", None, True)}
    assert finite(value) == {"a": None, "b": [1.5, None, {"c": None}], "d": [1, "x", None, True]}
