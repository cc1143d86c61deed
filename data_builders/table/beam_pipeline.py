"""Run a Beam pipeline to its end, or end it when the person does."""

import contextlib
import ctypes
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.runner import PipelineState

from data_builders.table.beam_silence import silence
from tffs.errors import UserError, reason

WORKER = b"apache_beam.runners.worker"
# Beam's names of threads that start a worker and listen to it. When it ends, they print a traceback and end.
LISTENERS = ("run_worker", "beam_control_read", "read_grpc_client_inputs")
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
        except SystemExit:  # it was interrupted
            pass

    def cancel(self) -> None:
        """Have the engine stop, and end the workers that were started here."""
        with contextlib.suppress(Exception):  # the direct runner cannot
            self._result.cancel()
        self._interrupt()
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            _end_workers()
            listeners = [thread for thread in threading.enumerate() if thread.name in LISTENERS]
            if not listeners:
                break
            listeners[0].join(timeout=POLL_SECONDS)  # it may only now start its worker

    def _interrupt(self) -> None:
        """End this thread where it is at work, such as starting workers. Where it waits, it goes on waiting."""
        if not self.is_alive():  # another thread may have its number
            return
        thread = ctypes.c_ulong(self.ident or 0)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(SystemExit))
        self.join(timeout=POLL_SECONDS)


def _end_workers() -> None:
    """Kill the workers, after they were stopped: a shell could start its worker while others are looked for."""
    stopped: set[int] = set()
    while new := set(_workers()) - stopped:
        _signal(new, signal.SIGSTOP)
        stopped |= new
    _signal(stopped, signal.SIGKILL)


def _signal(processes: set[int], number: signal.Signals) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)


def _workers() -> Iterator[int]:
    """Find the workers, and the shells that start them, among the processes that descend from this one."""
    parents, commands = {}, {}
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open(f"/proc/{name}/stat", "rb") as file:
                parents[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
            with open(f"/proc/{name}/cmdline", "rb") as file:
                commands[int(name)] = file.read()
    for process in commands:
        line = []  # the process and its ancestors, down from this one
        while process not in (0, os.getpid()):
            line.append(process)
            process = parents.get(process, 0)
        # What a shell has just started may have no command yet.
        if process and any(WORKER in commands.get(one, b"") for one in line):
            yield line[0]
