import gc
import importlib
import sys

import pytest

from tffs import startup


def test_a_hidden_package_cannot_be_imported_in_the_block_and_can_after_it():
    sys.modules.pop("colorsys", None)
    with startup._hidden(["colorsys"]), pytest.raises(ImportError):
        importlib.import_module("colorsys")
    assert importlib.import_module("colorsys").rgb_to_yiq


def test_what_is_imported_already_is_not_hidden():
    with startup._hidden(["sys"]):
        assert importlib.import_module("sys") is sys


def test_starting_again_looks_for_garbage_as_before():
    import tensorflow  # noqa: F401 (the first start)

    frozen = gc.get_freeze_count()
    startup.start_tensorflow(1)
    assert gc.isenabled()
    assert gc.get_freeze_count() == frozen
