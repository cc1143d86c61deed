"""A load on a server: a process that serves, questions with known answers, clients that ask them."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import aiohttp
import grpc
import numpy as np
import tensorflow as tf
from tensorflow_serving.apis import predict_pb2

from benchmarks import machine

PREDICT = "/tensorflow.serving.PredictionService/Predict"
START_SECONDS = 120


class Answer(NamedTuple):
    """What came back: the version that answered, which REST does not tell, and the outputs of the task."""

    version: int | None
    outputs: dict[str, Any]


class Question(NamedTuple):
    """A request of one task in both protocols.

    Attributes:
        grpc: the message.
        rest: the body.
        outputs: those that are read from the answer.
        kind: what latencies are told apart by.
        right: whether an answer is right, given what `Load.mark` gave when it was asked.
    """

    grpc: bytes
    rest: bytes
    outputs: tuple[str, ...]
    kind: str
    right: Callable[[Answer, Any], bool]


class Server(NamedTuple):
    """A running server."""

    grpc_port: int
    rest_port: int
    process: subprocess.Popen

    def memory_mb(self) -> float:
        """Read how much memory the process holds."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


class Load(NamedTuple):
    """What a load measured: latencies in seconds, as answers came, and of what kind each was."""

    seconds: float
    latencies: np.ndarray
    kinds: np.ndarray
    failed: list[str]
    wrong: int

    def figures(self) -> dict[str, float]:
        """Give what a table shows."""
        return {**_of(self.latencies, self.seconds), "failed": len(self.failed), "wrong": self.wrong}

    def of_kind(self, kind: str) -> dict[str, float]:
        """Give how fast questions of one kind were answered."""
        return _of(self.latencies[self.kinds == kind], self.seconds)


def _of(latencies: np.ndarray, seconds: float) -> dict[str, float]:
    return {
        "requests": len(latencies),
        "requests_a_second": len(latencies) / seconds,
        "p50_ms": 1e3 * float(np.percentile(latencies, 50)),
        "p99_ms": 1e3 * float(np.percentile(latencies, 99)),
    }


@contextlib.contextmanager
def serving(exports: str, batching: bool = True) -> Iterator[Server]:
    """Run `--mode=serve` in a process of its own."""
    ports = machine.free_ports(2)
    command = [
        *(sys.executable, "-m", "tffs.main", "--mode=serve", f"--model_base_path={exports}"),
        *(f"--port={ports[0]}", f"--rest_api_port={ports[1]}", f"--enable_batching={batching}"),
    ]
    process = subprocess.Popen(command, cwd=machine.ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        if not process.stdout.readline().startswith("Serving"):
            raise RuntimeError("the server did not start")
        yield Server(*ports, process)
    finally:
        process.terminate()
        process.communicate(timeout=START_SECONDS)


def questions(path: str, count: int) -> list[Question]:
    """Make requests of one task each for an exported version, and find their answers without a server."""
    select = tf.saved_model.load(path).signatures["select"]
    _, rows, features = select.structured_input_signature[1]["support"].shape
    made = []
    for support in np.random.default_rng(1).random((count, 1, rows, features), dtype=np.float32):
        indices = select(support=tf.constant(support))["indices"][0].numpy().tolist()
        made.append(question("select", {"support": support}, ("indices",), "select", _same(indices)))
    return made


def _same(indices: list[int]) -> Callable[[Answer, Any], bool]:
    return lambda answer, _: list(answer.outputs["indices"]) == indices


def question(
    signature: str,
    inputs: Mapping[str, np.ndarray],
    outputs: tuple[str, ...],
    kind: str,
    right: Callable[[Answer, Any], bool],
) -> Question:
    """Make a request of one task; inputs are [1, ...]."""
    request = predict_pb2.PredictRequest()
    request.model_spec.name = "tffs"
    request.model_spec.signature_name = signature
    for name, values in inputs.items():
        request.inputs[name].CopyFrom(tf.make_tensor_proto(values))
    instance = {name: values[0].tolist() for name, values in inputs.items()}
    # `null` for NaN is what a browser sends.
    body = json.dumps({"signature_name": signature, "instances": [instance]}).replace("NaN", "null")
    return Question(request.SerializeToString(), body.encode(), outputs, kind, right)


Ask = Callable[[Question], Awaitable[Answer]]


@contextlib.asynccontextmanager
async def grpc_client(server: Server) -> AsyncIterator[Ask]:
    """Give a function that asks over gRPC, on one connection."""
    async with grpc.aio.insecure_channel(f"127.0.0.1:{server.grpc_port}") as channel:
        predict = channel.unary_unary(PREDICT, None, predict_pb2.PredictResponse.FromString)

        async def ask(question: Question) -> Answer:
            answer = await predict(question.grpc, timeout=60)
            outputs = {name: tf.make_ndarray(answer.outputs[name])[0] for name in question.outputs}
            return Answer(answer.model_spec.version.value, outputs)

        yield ask


@contextlib.asynccontextmanager
async def rest_client(server: Server) -> AsyncIterator[Ask]:
    """Give a function that asks over REST, on as many connections as are in use at once."""
    url = f"http://127.0.0.1:{server.rest_port}/v1/models/tffs:predict"
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=60)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:

        async def ask(question: Question) -> Answer:
            async with session.post(url, data=question.rest) as answer:
                body = await answer.json()
                if answer.status != 200:
                    raise RuntimeError(f"{answer.status}: {body}")
                prediction = body["predictions"][0]
                return Answer(None, {name: prediction[name] for name in question.outputs})

        yield ask


CLIENTS = {"gRPC": grpc_client, "REST": rest_client}


def load(
    protocol: str | Sequence[str],
    server: Server,
    asked: list[Question],
    concurrency: int,
    requests: int = sys.maxsize,
    seconds: float = float("inf"),
    each_second: Callable[[int], None] = lambda done: None,
    mark: Callable[[], Any] = lambda: None,
) -> Load:
    """Ask until `requests` are begun or `seconds` are over; check every answer.

    Args:
        protocol: one, or several that the clients have in turn.
        server: which one.
        asked: the questions, again from the first when all were asked.
        concurrency: how many clients ask, each one question at a time.
        requests: how many at most.
        seconds: for how long at most.
        each_second: is called with the number of answers.
        mark: is called before every question; what it gives is handed to the question's `right`.
    """
    protocols = [protocol] if isinstance(protocol, str) else list(protocol)
    return asyncio.run(_load(protocols, server, asked, concurrency, requests, seconds, each_second, mark))


async def _load(
    protocols: list[str],
    server: Server,
    asked: list[Question],
    concurrency: int,
    requests: int,
    seconds: float,
    each_second: Callable[[int], None],
    mark: Callable[[], Any],
) -> Load:
    latencies: list[float] = []
    kinds: list[str] = []
    failed: list[str] = []
    wrong = begun = 0
    async with contextlib.AsyncExitStack() as clients:
        asks = [await clients.enter_async_context(CLIENTS[name](server)) for name in protocols]
        for question in asked[: min(len(asked), 2 * concurrency)]:  # connections and first-run work
            for ask in asks:
                await ask(question)
        began = time.perf_counter()

        async def one_client(number: int) -> None:
            nonlocal wrong, begun
            protocol, ask = protocols[number % len(asks)], asks[number % len(asks)]
            while begun < requests and time.perf_counter() - began < seconds:
                question = asked[begun % len(asked)]
                begun += 1
                marked = mark()
                start = time.perf_counter()
                try:
                    answer = await ask(question)
                except (grpc.aio.AioRpcError, aiohttp.ClientError, RuntimeError, TimeoutError) as error:
                    failed.append(repr(error)[:300])
                    continue
                latencies.append(time.perf_counter() - start)
                kinds.append(f"{question.kind}, {protocol}")
                wrong += not question.right(answer, marked)

        async def watch() -> None:
            while True:
                await asyncio.sleep(1.0)
                each_second(len(latencies))

        watching = asyncio.create_task(watch())
        await asyncio.gather(*(one_client(number) for number in range(concurrency)))
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching  # raises what ended it before its time
        return Load(time.perf_counter() - began, np.array(latencies), np.array(kinds), failed, wrong)
