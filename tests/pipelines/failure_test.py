"""One sentence of any exception."""

from pipelines.failure import sentence
from tffs.errors import UserError


def _raised(*errors):
    """Raise exceptions, each from the one before, and give the last."""
    caught = None
    for error in errors:
        try:
            raise error from caught
        except Exception as found:
            caught = found
    return caught


def test_an_exception_is_told_with_its_type():
    assert sentence(ValueError("my  bug\n  here")) == "ValueError: my bug here"
    assert sentence(KeyError()) == "KeyError"


def test_a_mistake_of_the_user_is_told_as_it_is_wherever_it_is_in_the_chain():
    assert sentence(_raised(OSError("inner"), UserError("Mend it."), RuntimeError("outer"))) == "Mend it."


def test_the_innermost_cause_tells():
    assert sentence(_raised(ValueError("my bug"), RuntimeError("wrapped"))) == "ValueError: my bug"


def _in_handler(error, chained):
    """Raise an exception while another is handled, and give it."""
    try:
        try:
            raise KeyError("first")
        except KeyError:
            if chained:
                raise error  # noqa: B904
            raise error from None
    except Exception as found:
        return found


def test_an_exception_while_another_was_handled_leads_to_that_one_unless_it_says_no():
    assert sentence(_in_handler(RuntimeError("my bug"), chained=True)) == "KeyError: 'first'"
    assert sentence(_in_handler(RuntimeError("my bug"), chained=False)) == "RuntimeError: my bug"


def test_where_beam_was_running_is_left_out():
    text = "my bug [while running 'Analyze[0]/Map(<lambda at x.py:3>)-ptransform-12']\n\nTraceback: ..."
    assert sentence(RuntimeError(text)) == "RuntimeError: my bug"


def test_an_exception_that_is_its_own_cause_ends():
    error = ValueError("round")
    error.__context__ = RuntimeError("and round")
    error.__context__.__context__ = error
    assert sentence(error) == "RuntimeError: and round"
