"""One lane to the model: requests that wait while it is busy are merged, and none waits for a timer."""

import asyncio
import dataclasses
import threading
from collections import deque
from collections.abc import Mapping, Sequence

import numpy as np
from grpc import StatusCode

from tffs.serving.server.limits import Limits
from tffs.serving.server.loaded_version import LoadedVersion
from tffs.serving.server.merging import merged, merging_key
from tffs.serving.server.refusal import Refusal
from tffs.serving.server.signature import Signature

Outputs = dict[str, np.ndarray]


@dataclasses.dataclass(eq=False)
class _Waiting:
    """A request in the queue.

    Attributes:
        values: that the answer will have.
        key: requests with equal keys can be merged.
        answer: set in the event loop's thread; cancelled when the client has gone.
    """

    version: LoadedVersion
    signature: Signature
    inputs: Mapping[str, np.ndarray]
    tasks: int
    values: int
    key: tuple
    size: int
    answer: asyncio.Future


class Lane:
    """Runs the model in one thread of its own.

    While it computes, requests gather; when it gets free, it takes the oldest one and with it those that have
    the same version and signature, and shapes that go together. A single client is never delayed by it.

    Args:
        batching: whether to merge; otherwise one request is run at a time.
        limits: of the queue and of a batch.
    """

    def __init__(self, batching: bool, limits: Limits) -> None:
        self._most_tasks = limits.batch_tasks if batching else 0
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._queue: deque[_Waiting] = deque()
        self._wake = threading.Condition()
        self._stopped = False
        self._requests = self._bytes = 0
        self._thread = threading.Thread(target=self._work, name="tffs-lane", daemon=True)
        self._thread.start()

    async def run(
        self, version: LoadedVersion, signature: Signature, inputs: Mapping[str, np.ndarray]
    ) -> Outputs:
        """Compute one request's outputs.

        Args:
            version: which the caller holds until this returns.
            signature: of that version.
            inputs: that fit the signature.

        Returns:
            The outputs of this request's tasks alone.
        """
        tasks = signature.count_tasks(inputs)
        values = signature.check_answer(inputs, self._limits)
        size = sum(array.nbytes for array in inputs.values())
        if self._requests >= self._limits.queue_requests or self._bytes + size > self._limits.queue_bytes:
            raise Refusal(StatusCode.UNAVAILABLE, "The server has too many requests waiting: try again later.")
        key = (id(version), signature.name, merging_key(inputs))
        waiting = _Waiting(version, signature, inputs, tasks, values, key, size, self._loop.create_future())
        self._requests += 1
        self._bytes += size
        with self._wake:
            self._queue.append(waiting)
            self._wake.notify()
        try:
            return await waiting.answer
        finally:
            del waiting  # otherwise an error in it leads back to it, and both stay with all the inputs

    def close(self) -> None:
        """End the thread; what still waits gets no answer."""
        with self._wake:
            self._stopped = True
            self._wake.notify()
        self._thread.join()

    def _work(self) -> None:
        while True:
            with self._wake:
                while not self._queue and not self._stopped:
                    self._wake.wait()
                if self._stopped:
                    return
                batch = self._take()
            # A client that has gone is told nothing, and the others do not wait for its sake.
            live = [waiting for waiting in batch if not waiting.answer.cancelled()]
            answers = _run(live) if live else []
            try:
                self._loop.call_soon_threadsafe(self._deliver, batch, live, answers)
            except RuntimeError:  # the event loop has ended before us
                return
            del batch, live, answers  # they must not live on until the next request

    def _take(self) -> list[_Waiting]:
        """Take the oldest request and what can be merged with it; the rest keeps its order."""
        first = self._queue.popleft()
        batch, tasks, values = [first], first.tasks, first.values
        if self._queue and tasks < self._most_tasks:
            kept: deque[_Waiting] = deque()
            for waiting in self._queue:
                fits = (
                    tasks + waiting.tasks <= self._most_tasks
                    and values + waiting.values <= self._limits.answer_values
                )
                if fits and waiting.key == first.key:
                    batch.append(waiting)
                    tasks += waiting.tasks
                    values += waiting.values
                else:
                    kept.append(waiting)
            self._queue = kept
        return batch

    def _deliver(
        self, batch: Sequence[_Waiting], live: Sequence[_Waiting], answers: Sequence[Outputs | Exception]
    ) -> None:
        self._requests -= len(batch)
        self._bytes -= sum(waiting.size for waiting in batch)
        for waiting, answer in zip(live, answers, strict=True):
            if waiting.answer.done():
                continue
            if isinstance(answer, Exception):
                waiting.answer.set_exception(answer)
            else:
                waiting.answer.set_result(answer)


def _run(batch: Sequence[_Waiting]) -> list[Outputs | Exception]:
    """Run a batch; if it fails as a whole, run its requests singly, so that only the guilty one fails."""
    first = batch[0]
    try:
        if len(batch) == 1:
            return [first.version.run(first.signature, first.inputs)]
        outputs = first.version.run(first.signature, merged([waiting.inputs for waiting in batch]))
        ends = np.cumsum([waiting.tasks for waiting in batch]).tolist()
        if any(len(array) != ends[-1] for array in outputs.values()):
            raise ValueError("an output has not as many tasks as the inputs")
        return [
            {name: array[end - waiting.tasks : end] for name, array in outputs.items()}
            for waiting, end in zip(batch, ends, strict=True)
        ]
    except Exception as error:
        if len(batch) == 1:
            return [error.with_traceback(None)]  # which leads to the inputs
        return [_run([waiting])[0] for waiting in batch]
