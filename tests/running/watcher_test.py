import contextlib
import io
import signal

import pytest

from tffs.running.watcher import Verbose, Watcher
from tffs.signals import Signals
from tffs.training.progress import Status

STATUS = Status(5, 10, 0.5, 0.25, 1.0, 2.0, 3, 0.9, 100.0, 0.05)


class Terminal(io.StringIO):
    """A stream that people look at."""

    def isatty(self):
        return True


def told(watcher):
    """Tell a watcher everything that can be told."""
    watcher.say("A note on --seed.")
    watcher.share("reading", 0.5)
    progress = watcher.session("a fit").progress
    progress.update(STATUS, final=True)
    progress.end()


def test_a_watcher_shows_nothing(capsys):
    told(Watcher())
    assert capsys.readouterr() == ("", "")


def test_a_verbose_one_shows_all_on_standard_error(capsys):
    with contextlib.redirect_stderr(Terminal()) as terminal:
        told(Verbose())
    shown = terminal.getvalue()
    assert "A note on --seed." in shown
    assert "reading: 50 %" in shown
    assert "a fit:  5/10" in shown
    assert capsys.readouterr().out == ""


def test_what_was_quick_leaves_no_line_and_what_took_long_says_how_long(monkeypatch):
    with contextlib.redirect_stderr(Terminal()) as terminal:
        watcher = Verbose()

        def share(second, doing, done):
            monkeypatch.setattr("tffs.running.watcher.time.monotonic", lambda: second)
            watcher.share(doing, done)

        share(100.0, "reading", 0.5)
        share(100.5, "reading", 1.0)
        assert terminal.getvalue().endswith("\r\x1b[K")
        share(110.0, "fitting", 0.0)
        share(114.0, "fitting", 0.5)
        assert terminal.getvalue().endswith("\r\x1b[Kfitting: 50 %  4 s left")
        share(117.0, "fitting", 1.0)
    assert terminal.getvalue().endswith("\r\x1b[Kfitting: done in 7 s\n")


def test_what_took_long_says_so_where_nobody_looks_at_a_terminal(capsys, monkeypatch):
    watcher = Verbose()
    for second, doing, done in (
        (0.0, "quick", 0.0),
        (9.0, "quick", 1.0),
        (9.0, "long", 0.0),
        (20.0, "long", 1.0),
    ):
        monkeypatch.setattr("tffs.running.watcher.time.monotonic", lambda second=second: second)
        watcher.share(doing, done)
    assert capsys.readouterr().err == "long: done in 11 s\n"


def test_what_has_no_share_yet_is_named_and_a_training_writes_over_it():
    with contextlib.redirect_stderr(Terminal()) as terminal:
        watcher = Verbose()
        watcher.share("preparing to train", 0.0)
        assert terminal.getvalue() == "\r\x1b[Kpreparing to train ... 0 s"
        watcher.progress("a fit").update(STATUS, final=True)
        assert terminal.getvalue().count("\n") == 1


def test_notes_are_put_into_the_readers_words(capsys):
    Verbose(worded=lambda sentence: sentence.replace("--seed", "random_state")).say("A note on --seed.")
    assert capsys.readouterr() == ("", "A note on random_state.\n")


@pytest.fixture
def _ctrl_c_raises():
    """A shell that runs this in the background lets it ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_ctrl_c_raises")
def test_without_signals_pythons_own_handlers_stay_and_ctrl_c_stops_at_once():
    watcher = Watcher()
    with pytest.raises(KeyboardInterrupt), watcher.signals.deferred():
        signal.raise_signal(signal.SIGINT)
    assert not watcher.session().should_stop()


def test_with_signals_a_fit_is_asked_to_stop():
    with Signals() as signals:
        watcher = Watcher(signals)
        with pytest.raises(KeyboardInterrupt), watcher.signals.deferred():
            signal.raise_signal(signal.SIGINT)  # which is raised when the block has ended
        assert watcher.session().should_stop()
