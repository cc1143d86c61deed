"""The examples in the documentation of `tffs.baselines`, run."""

import doctest
import importlib
import pkgutil

import pytest

import tffs.baselines

MODULES = [tffs.baselines.__name__] + [
    f"tffs.baselines.{module.name}" for module in pkgutil.iter_modules(tffs.baselines.__path__)
]


@pytest.mark.parametrize("module", MODULES)
def test_examples_give_what_they_say(module):
    assert doctest.testmod(importlib.import_module(module)).failed == 0


@pytest.mark.parametrize("name", tffs.baselines.__all__)
def test_every_selector_has_an_example(name):
    assert ">>> " in getattr(tffs.baselines, name).__doc__
