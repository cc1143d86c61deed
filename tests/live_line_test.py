import io
import os
import pty
import sys
import time

from tffs import live_line
from tffs.live_line import LiveLine, shown_while


class Terminal(io.StringIO):
    """A stream that people look at."""

    def isatty(self):
        return True


def waited_for(stream, text):
    """Wait until a text was written, and tell whether it was."""
    end = time.monotonic() + 10.0
    while text not in stream.getvalue() and time.monotonic() < end:
        time.sleep(0.01)
    return text in stream.getvalue()


def test_a_kept_text_is_shown_again_as_it_changes_until_something_else_is_written(monkeypatch):
    monkeypatch.setattr(live_line, "TICK_SECONDS", 0.02)
    terminal, seconds = Terminal(), iter(range(1000))
    line = LiveLine(terminal)
    line.keep(lambda: f"fitting ... {next(seconds)} s")
    assert waited_for(terminal, "\r\x1b[Kfitting ... 3 s")
    line.write("done", final=True)
    shown = terminal.getvalue()
    time.sleep(0.1)
    assert terminal.getvalue() == shown
    assert shown.endswith("\r\x1b[Kdone\n")


def test_a_kept_text_comes_back_after_a_note(monkeypatch):
    monkeypatch.setattr(live_line, "TICK_SECONDS", 0.02)
    terminal = Terminal()
    line = LiveLine(terminal)
    line.keep(lambda: "fitting")
    line.make_room()
    terminal.write("A note.\n")
    assert waited_for(terminal, "A note.\n\r\x1b[Kfitting")
    line.erase()
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_a_kept_text_is_not_shown_where_nobody_looks():
    stream = io.StringIO()
    line = LiveLine(stream)
    line.keep(lambda: "fitting")
    line.end()
    assert stream.getvalue() == ""


def test_a_terminal_is_told_what_is_done_while_standard_error_is_redirected(monkeypatch):
    own, other = pty.openpty()
    with os.fdopen(other, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        with shown_while("starting"):
            pass
        expected, told = b"\r\x1b[Kstarting ... 0 s\r\x1b[K", b""
        while len(told) < len(expected):  # a terminal may hand over what it was told in parts
            told += os.read(own, 100)
        assert told == expected
    os.close(own)
