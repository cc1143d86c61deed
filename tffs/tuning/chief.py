"""The chief of a distributed search: keras-tuner's service around our oracle.

keras-tuner's own chief looks every 20 seconds whether all is done, and waits for ever for a worker that died.
"""

import time
from collections.abc import Callable
from concurrent import futures
from typing import Any

import grpc
from keras_tuner.src.distribute.oracle_chief import OracleServicer
from keras_tuner.src.protos import get_service_grpc

from tffs.errors import UserError
from tffs.tuning.cluster import PORT
from tffs.tuning.standing import Standing
from tffs.tuning.trials import Trials

_WAIT_SECONDS = 0.2
_GOODBYE_SECONDS = 5.0  # for workers that ask once more to hear that the search is over


class Chief:
    """Gives trials to workers that ask for them.

    Args:
        oracle: proposes trials.
        trials: the record of the same oracle.
        address: where to listen.
        show: is told several times a second where the search stands.
    """

    def __init__(self, oracle: Any, trials: Trials, address: str, show: Callable[[Standing], None]) -> None:
        self._oracle = oracle
        self._trials = trials
        self._show = show
        self._servicer = OracleServicer(oracle)
        # One thread, as in keras-tuner, whose lock is never released after an error in another thread.
        self._server = grpc.server(futures.ThreadPoolExecutor(max_workers=1))
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
            while not (self._servicer.stop_triggered and not self._oracle.ongoing_trials):
                if self._oracle.failure is not None:
                    raise self._oracle.failure
                time.sleep(_WAIT_SECONDS)
                rows = self._trials.rows()
                if len(rows) > written:
                    self._trials.write()
                    written = len(rows)
                jobs = [(self._trials.job(trial), None) for trial in list(self._oracle.ongoing_trials.values())]
                self._show(Standing(rows, jobs, self._trials.budget, len(jobs)))
            goodbye = time.monotonic() + _GOODBYE_SECONDS
            while self._oracle.tuner_ids and time.monotonic() < goodbye:
                time.sleep(_WAIT_SECONDS)
        finally:
            self._server.stop(grace=1.0).wait()
