"""scikit-learn's conformance checks, with those that are waived, for every release that is supported."""

import inspect

import pytest
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks


def conformance_checks(estimators, waived=None):
    """Decorate a test of `(estimator, check)` so that it runs once for every check.

    Args:
        estimators: instances.
        waived: name of a check -> why it is expected to fail.
    """
    waived = waived or {}
    if "expected_failed_checks" in inspect.signature(parametrize_with_checks).parameters:
        return parametrize_with_checks(estimators, expected_failed_checks=lambda estimator: waived)
    # scikit-learn 1.5 reads them from a tag of the estimator.
    pairs = [pair for estimator in estimators for pair in check_estimator(estimator, generate_only=True)]
    marked = [
        pytest.param(
            *pair, marks=[pytest.mark.xfail(reason=waived[_name(pair[1])])] if _name(pair[1]) in waived else []
        )
        for pair in pairs
    ]
    return pytest.mark.parametrize(("estimator", "check"), marked, ids=_identifier)


def _name(check):
    return check.func.__name__


def _identifier(value):
    return _name(value) if hasattr(value, "func") else repr(value)
