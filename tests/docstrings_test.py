"""Every public name has an example in its docstring, which runs and prints what it says."""

import doctest
import inspect

import pytest

import tffs
from tffs.startup import start_tensorflow

NAMES = [name for name in tffs.__all__ if name != "__version__"]


@pytest.fixture(scope="module", autouse=True)
def _quiet_tensorflow():
    start_tensorflow()


def wrong_with(name, thing):
    """Say what is wrong with the examples of a name and of its methods or, if it is a module, of its names."""
    # Examples get no names of the module that they are in: they import what they use, as a reader must.
    found = {test.name: test for test in doctest.DocTestFinder().find(thing, name, globs={})}
    said = []
    if not thing.__doc__:
        said.append(f"{name} has no docstring\n")
    elif not found[name].examples:
        said.append(f"{name} has no example in its docstring\n")
    for test in found.values():
        doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    for inner in thing.__all__ if inspect.ismodule(thing) else ():
        said.append(wrong_with(f"{name}.{inner}", getattr(thing, inner)))
    return "".join(said)


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_has_an_example_that_runs(name):
    wrong = wrong_with(f"tffs.{name}", getattr(tffs, name))
    assert not wrong, wrong


def test_the_five_lines_that_open_the_library_run():
    said = []
    opening = doctest.DocTestParser().get_doctest(tffs.__doc__, {}, "tffs", None, None)
    doctest.DocTestRunner(verbose=False).run(opening, out=said.append)
    assert len(opening.examples) >= 10
    assert not said, "".join(said)


def test_a_name_without_an_example_is_found():
    def silent():
        """Do nothing."""

    def mistaken():
        """Add.

        Example:
            >>> 1 + 1
            3
        """

    def alone():
        """Use what only this file imports.

        Example:
            >>> tffs.__name__
            'tffs'
        """

    assert wrong_with("silent", silent) == "silent has no example in its docstring\n"
    assert "Got:\n    2" in wrong_with("mistaken", mistaken)
    assert "NameError" in wrong_with("alone", alone)
    assert wrong_with("nothing", lambda: None) == "nothing has no docstring\n"
