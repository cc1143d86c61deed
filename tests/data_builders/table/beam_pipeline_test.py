"""A stopped pipeline stops wherever it is: before its workers start, while they do, and at work."""

import threading
import time
import uuid

import pytest

pytest.importorskip("apache_beam", reason="apache-beam is not installed here: pip install '.[beam]'")

import apache_beam as beam

from data_builders.table import beam_pipeline
from data_builders.table.beam_options import pipeline_options
from data_builders.table.beam_pipeline import run_pipeline
from tests.beam_engines import DIRECT, TWO_PROCESSES, until, workers

ELEMENTS = 2000


def slow(element):
    time.sleep(0.05)
    return element


def build(pipeline):
    """All elements take longer than a test waits."""
    _ = pipeline | beam.Create(range(ELEMENTS)) | beam.Reshuffle() | beam.Map(slow)


@pytest.fixture
def mark(monkeypatch):
    """Mark the processes that are started; ask often whether to stop."""
    monkeypatch.setattr(beam_pipeline, "POLL_SECONDS", 0.01)
    mark = uuid.uuid4().hex
    monkeypatch.setenv("TFFS_TEST", mark)
    return mark


@pytest.mark.parametrize("engine", [DIRECT, TWO_PROCESSES])
def test_a_pipeline_that_is_stopped_at_once_does_not_go_on_in_the_background(mark, engine):
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        run_pipeline(pipeline_options(engine), build, stop=lambda: True)
    until(lambda: threading.active_count() <= before and not workers(mark))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # Beam's, about its workers
@pytest.mark.parametrize("started", [1, 2])
def test_workers_end_that_were_only_starting_when_the_pipeline_was_stopped(mark, started, capfd):
    with pytest.raises(KeyboardInterrupt):  # a shell starts each worker: the second may be the first's own
        run_pipeline(pipeline_options(TWO_PROCESSES), build, stop=lambda: len(workers(mark)) >= started)
    until(lambda: not workers(mark))  # one that was killed is there for another moment
    assert "Traceback" not in capfd.readouterr().err
