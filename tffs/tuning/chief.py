"""The chief of a distributed search: keras-tuner's service around our oracle.

keras-tuner's own chief looks every 20 seconds whether all is done, and says nothing while it waits for a worker
that died. This one says so; a worker that is started again under its name gets its trial again.
"""

import time
from collections.abc import Callable
from concurrent import futures
from typing import Any

import grpc
from keras_tuner.src.distribute.oracle_chief import OracleServicer
from keras_tuner.src.protos import get_service_grpc

from tffs.errors import UserError
from tffs.tuning.overdue import Overdue
from tffs.tuning.progress_line import progress_line
from tffs.tuning.role import PORT
from tffs.tuning.trials import Trials

_WAIT_SECONDS = 0.2
_GOODBYE_SECONDS = 5.0  # for workers that ask once more to hear that the search is over


class Chief:
    """Gives trials to workers that ask for them.

    Args:
        oracle: proposes trials.
        trials: the record of the same oracle.
        address: where to listen.
        show: receives a line on where the search stands several times a second.
        say: receives one-sentence notes for the person.
    """

    def __init__(
        self, oracle: Any, trials: Trials, address: str, show: Callable[[str], Any], say: Callable[[str], None]
    ) -> None:
        self._oracle = oracle
        self._trials = trials
        self._show = show
        self._say = say
        self._overdue = Overdue()
        self._servicer = OracleServicer(oracle)
        # One thread, as in keras-tuner, whose lock is never released after an error in another thread.
        # And a port for itself: two chiefs that share one would share each other's workers.
        self._server = grpc.server(
            futures.ThreadPoolExecutor(max_workers=1), options=[("grpc.so_reuseport", 0)]
        )
        get_service_grpc().add_OracleServicer_to_server(self._servicer, self._server)
        try:
            self._server.add_insecure_port(address)
        except RuntimeError as error:
            raise UserError(
                f"The chief cannot listen on {address}: give the address of this machine and a free {PORT}."
            ) from error

    def run(self, measure_default: Callable[[], None]) -> None:
        """Serve until every trial has its result.

        Args:
            measure_default: is called while workers are at work already.
        """
        self._server.start()
        try:
            measure_default()
            written = -1
            while not self._is_over():
                if self._oracle.failure is not None:
                    raise self._oracle.failure
                time.sleep(_WAIT_SECONDS)
                rows = self._trials.rows()
                if len(rows) > written:
                    self._trials.write()
                    written = len(rows)
                ongoing = list(self._oracle.ongoing_trials.items())
                at_work = {worker: self._trials.job(trial) for worker, trial in ongoing}
                jobs = [(job, None) for job in at_work.values()]
                self._show(progress_line(rows, jobs, self._trials.budget, len(jobs)))
                for note in self._overdue.notes(at_work, rows):
                    self._say(note)
            goodbye = time.monotonic() + _GOODBYE_SECONDS
            while self._oracle.tuner_ids and time.monotonic() < goodbye:
                time.sleep(_WAIT_SECONDS)
        finally:
            self._server.stop(grace=1.0).wait()

    def _is_over(self) -> bool:
        """Tell whether all is done: by the count, or because the oracle told a worker so."""
        told = self._servicer.stop_triggered and not self._oracle.ongoing_trials
        return told or self._trials.all_have_ended
