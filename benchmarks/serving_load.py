"""A load on a server: a process that serves, questions with known answers, clients that ask them."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import NamedTuple

import aiohttp
import grpc
import numpy as np
import tensorflow as tf
from tensorflow_serving.apis import predict_pb2

from benchmarks import machine

PREDICT = "/tensorflow.serving.PredictionService/Predict"
START_SECONDS = 120


class Question(NamedTuple):
    """A request in both protocols, and the features that must be chosen."""

    grpc: bytes
    rest: bytes
    indices: list[int]


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
    """What a load measured."""

    seconds: float
    latencies: np.ndarray
    failed: list[str]
    wrong: int

    def figures(self) -> dict[str, float]:
        """Give what a table shows."""
        return {
            "requests": len(self.latencies),
            "requests_a_second": len(self.latencies) / self.seconds,
            "p50_ms": 1e3 * float(np.percentile(self.latencies, 50)),
            "p99_ms": 1e3 * float(np.percentile(self.latencies, 99)),
            "failed": len(self.failed),
            "wrong": self.wrong,
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
        request = predict_pb2.PredictRequest()
        request.model_spec.name = "tffs"
        request.inputs["support"].CopyFrom(tf.make_tensor_proto(support))
        body = json.dumps({"instances": support.tolist()}).encode()
        indices = select(support=tf.constant(support))["indices"][0].numpy().tolist()
        made.append(Question(request.SerializeToString(), body, indices))
    return made


@contextlib.asynccontextmanager
async def grpc_client(server: Server) -> AsyncIterator[Callable[[Question], Awaitable[list[int]]]]:
    """Give a function that asks over gRPC, on one connection."""
    async with grpc.aio.insecure_channel(f"127.0.0.1:{server.grpc_port}") as channel:
        predict = channel.unary_unary(PREDICT, None, predict_pb2.PredictResponse.FromString)

        async def ask(question: Question) -> list[int]:
            answer = await predict(question.grpc, timeout=60)
            return tf.make_ndarray(answer.outputs["indices"])[0].tolist()

        yield ask


@contextlib.asynccontextmanager
async def rest_client(server: Server) -> AsyncIterator[Callable[[Question], Awaitable[list[int]]]]:
    """Give a function that asks over REST, on as many connections as are in use at once."""
    url = f"http://127.0.0.1:{server.rest_port}/v1/models/tffs:predict"
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=60)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:

        async def ask(question: Question) -> list[int]:
            async with session.post(url, data=question.rest) as answer:
                body = await answer.json()
                if answer.status != 200:
                    raise RuntimeError(f"{answer.status}: {body}")
                return body["predictions"][0]["indices"]

        yield ask


CLIENTS = {"gRPC": grpc_client, "REST": rest_client}


def load(
    protocol: str,
    server: Server,
    asked: list[Question],
    concurrency: int,
    requests: int = sys.maxsize,
    seconds: float = float("inf"),
    each_second: Callable[[int], None] = lambda done: None,
) -> Load:
    """Ask, `concurrency` at a time, until `requests` are begun or `seconds` are over; check every answer."""
    return asyncio.run(_load(protocol, server, asked, concurrency, requests, seconds, each_second))


async def _load(
    protocol: str,
    server: Server,
    asked: list[Question],
    concurrency: int,
    requests: int,
    seconds: float,
    each_second: Callable[[int], None],
) -> Load:
    latencies: list[float] = []
    failed: list[str] = []
    wrong = begun = 0
    async with CLIENTS[protocol](server) as ask:
        for question in asked[: min(len(asked), 2 * concurrency)]:  # connections and first-run work
            await ask(question)
        began = time.perf_counter()

        async def one_client() -> None:
            nonlocal wrong, begun
            while begun < requests and time.perf_counter() - began < seconds:
                question = asked[begun % len(asked)]
                begun += 1
                start = time.perf_counter()
                try:
                    answer = await ask(question)
                except (grpc.aio.AioRpcError, aiohttp.ClientError, RuntimeError, TimeoutError) as error:
                    failed.append(repr(error)[:300])
                    continue
                latencies.append(time.perf_counter() - start)
                wrong += answer != question.indices

        async def watch() -> None:
            while True:
                await asyncio.sleep(1.0)
                each_second(len(latencies))

        watching = asyncio.create_task(watch())
        await asyncio.gather(*(one_client() for _ in range(concurrency)))
        watching.cancel()
        return Load(time.perf_counter() - began, np.array(latencies), failed, wrong)
