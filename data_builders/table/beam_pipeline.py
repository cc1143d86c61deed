"""Run a Beam pipeline to its end, or end it when the person does."""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.runner import PipelineState

from data_builders.table.beam_silence import silence
from tffs.errors import UserError, reason

WORKER = b"apache_beam.runners.worker"
WATCHER = "run_worker"  # Beam's name of the threads that wait for a worker each
SECONDS = 5
POLL_SECONDS = 0.2


def run_pipeline(
    options: PipelineOptions,
    build: Callable[[beam.Pipeline], None],
    what: str = "prepare the table",
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Build a pipeline and run it; whatever a runner raises is one sentence.

    A runner waits for its workers without end when it is interrupted, so it has a thread of its own, which is
    left alone then.

    Args:
        options: Beam's.
        build: adds the transforms.
        what: the pipeline does.
        stop: asked again and again; True cancels the pipeline and raises `KeyboardInterrupt`.
    """
    pipeline = beam.Pipeline(options=options)
    build(pipeline)
    run = _Run(pipeline)
    with silence():
        run.start()
        try:
            while run.is_alive():
                run.join(timeout=POLL_SECONDS)
                if stop():
                    raise KeyboardInterrupt
        except BaseException:
            run.cancel()
            raise
    if run.error is not None:
        raise UserError(
            f"Beam could not {what} ({reason(run.error) or type(run.error).__name__}): fix that or "
            "--beam_options; without it this process does it alone."
        ) from run.error


class _Run(threading.Thread):
    """Runs a pipeline.

    Attributes:
        error: what it ended with, or None.
    """

    def __init__(self, pipeline: beam.Pipeline) -> None:
        super().__init__(daemon=True)
        self.error: Exception | None = None
        self._pipeline = pipeline
        self._result: Any = None

    def run(self) -> None:
        try:
            self._result = self._pipeline.run()
            state = self._result.wait_until_finish()
            if state not in (PipelineState.DONE, None):
                raise RuntimeError(f"the pipeline ended as {state}")
        except Exception as error:
            self.error = error

    def cancel(self) -> None:
        """Have the engine stop, and end the workers that were started here."""
        with contextlib.suppress(Exception):  # the direct runner cannot
            self._result.cancel()
        for process in list(_workers()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        for thread in threading.enumerate():
            if thread.name == WATCHER:  # it prints a traceback about its worker, and is to do so unheard
                thread.join(timeout=SECONDS)


def _workers() -> Iterator[int]:
    """Find the workers among the processes that descend from this one."""
    parents, commands = {}, {}
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open(f"/proc/{name}/stat", "rb") as file:
                parents[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
            with open(f"/proc/{name}/cmdline", "rb") as file:
                commands[int(name)] = file.read()
    for process, command in commands.items():
        ancestor = process
        while ancestor not in (0, os.getpid()):
            ancestor = parents.get(ancestor, 0)
        if ancestor and process != os.getpid() and WORKER in command:
            yield process
