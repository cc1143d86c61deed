"""What a person sees of a run."""

import io
import logging
import re

import pytest

from pipelines.watching import Watcher


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def logger():
    made = logging.Logger("runner")
    made.setLevel(logging.INFO)
    return made


def _runs(logger, node, *between):
    logger.info("Component %s is running.", node)
    for line in between:
        logger.info(*line)
    logger.info("Component %s is finished.", node)


def test_every_component_gets_one_line(logger):
    stream = io.StringIO()
    watcher = Watcher(stream)
    logger.addHandler(watcher)
    watcher.expect(12)
    _runs(logger, "StatisticsGen", ("Something that nobody wants to know: %s", 3))
    _runs(logger, "Trainer", ("A cached execution %d is used.", 7))
    _runs(logger, "Pusher")
    lines = stream.getvalue().splitlines()
    assert re.fullmatch(r"\[ 1/12\] StatisticsGen: \d+\.\d s", lines[0])
    assert lines[1] == "[ 2/12] Trainer: from the cache"
    assert re.fullmatch(r"\[ 3/12\] Pusher: \d+\.\d s", lines[2])
    assert len(lines) == 3


def test_the_component_at_work_is_known_until_it_has_finished(logger):
    watcher = Watcher(io.StringIO())
    logger.addHandler(watcher)
    assert watcher.running == ""
    logger.info("Component %s is running.", "Transform")
    assert watcher.running == "Transform"
    logger.info("Component %s is finished.", "Transform")
    assert watcher.running == ""


def test_a_terminal_shows_what_is_at_work_and_writes_over_it(logger):
    stream = Terminal()
    watcher = Watcher(stream)
    logger.addHandler(watcher)
    watcher.expect(2)
    logger.info("Component %s is running.", "Transform")
    assert stream.getvalue() == "\r\x1b[K[ 1/2] Transform: ...\r"  # what is said meanwhile goes over it
    logger.info("Component %s is finished.", "Transform")
    assert re.fullmatch(r".*\r\x1b\[K\[ 1/2\] Transform: \d+\.\d s\n", stream.getvalue(), re.DOTALL)


def test_the_line_of_a_component_that_failed_is_ended_on_a_terminal_only(logger):
    for stream, end in ((Terminal(), "...\r\n"), (io.StringIO(), "")):
        watcher = Watcher(stream)
        watcher.emit(logging.makeLogRecord({"msg": "Component %s is running.", "args": ("Trainer",)}))
        watcher.end()
        assert stream.getvalue().endswith(end)
        assert stream.isatty() or not stream.getvalue()
