"""The embedded server without its sockets: connections are fed in memory, and answer into memory."""

import asyncio
import os
from collections.abc import Coroutine, Sequence
from typing import Any, NoReturn

import grpc
from google.protobuf.descriptor import ServiceDescriptor
from grpc_health.v1 import health, health_pb2

from fuzzing.broken import Broken
from tffs.serving.server.batching import Lane
from tffs.serving.server.budget import Budget
from tffs.serving.server.grpc_messages import GrpcMessages
from tffs.serving.server.grpc_services import ModelService, PredictionService
from tffs.serving.server.limits import Limits
from tffs.serving.server.loaded_version import LoadedVersion
from tffs.serving.server.model import Model
from tffs.serving.server.rest import RestApi
from tffs.serving.server.rest_connections import Connections
from tffs.serving.server.server import HEALTH, MODELS, PREDICTION
from tffs.serving.server.versions import Versions

# Small, so that small inputs reach them.
LIMITS = Limits(
    request_fields=2000,
    rest_bytes=24_000,
    rest_values=3000,
    rest_lists=1000,
    body_bytes=2**20,
    request_rows=300,
    answer_values=3000,
    answer_texts=8,
    body_seconds=0.02,
    linger_seconds=0.02,
)
MODEL = "tffs"
_PATIENCE = 60.0
_QUIET_TURNS = 8  # of the event loop, after which a connection that does nothing waits for its client
SERVICES: tuple[ServiceDescriptor, ...] = (PREDICTION, MODELS, HEALTH)


class InProcess:
    """Answers HTTP bytes and gRPC messages with the parts of the real server.

    Args:
        version_path: the version folder of an export.
    """

    def __init__(self, version_path: str) -> None:
        self.log: list[str] = []
        self._loop = asyncio.new_event_loop()
        self._base_path = os.path.dirname(version_path)
        self._handlers: list[grpc.GenericRpcHandler] = []
        self._run(self._start())

    async def _start(self) -> None:
        seldom: Any = _EveryLine(self.log)
        budget = Budget(LIMITS.body_bytes)
        self._versions = Versions(self._base_path, 1e6, LIMITS, self.log.append)
        await self._versions.start()
        self._lane = Lane(True, LIMITS)
        model = Model(MODEL, self._versions, self._lane, LIMITS)
        self._connections = Connections(RestApi(model, budget, seldom, None), LIMITS, seldom)
        handlers: Any = _Handlers(self._handlers)
        messages = GrpcMessages(handlers, LIMITS, budget, seldom)
        messages.add_service(PREDICTION, PredictionService(model))
        messages.add_service(MODELS, ModelService(model))
        status = health.aio.HealthServicer()
        await status.set("", health_pb2.HealthCheckResponse.SERVING)
        messages.add_service(HEALTH, status)

    @property
    def version(self) -> LoadedVersion:
        """The model."""
        return self._versions.current

    def http(self, data: bytes) -> bytes:
        """Send bytes on a connection of its own, and give all that comes back before it falls silent."""
        return self._run(self._http(data))

    def call(self, method: str, content: bytes) -> tuple[grpc.StatusCode, bytes | str]:
        """Call a method, `package.Service/Method`; gives the answer, or the sentence of the refusal."""
        return self._run(self._call(method, content))

    def close(self) -> None:
        """Give the memory back."""
        self._lane.close()
        self._run(self._versions.close())
        self._loop.close()

    def _run(self, work: Coroutine) -> Any:
        try:
            return self._loop.run_until_complete(asyncio.wait_for(work, _PATIENCE))
        except TimeoutError as error:
            raise Broken(f"no answer within {_PATIENCE:g} seconds") from error

    async def _http(self, data: bytes) -> bytes:
        handler, transport = self._connections(), _Memory()
        handler.connection_made(transport)
        handler.data_received(data)
        quiet = 0
        while quiet < _QUIET_TURNS and not transport.is_closing():
            busy = handler.idle_since > self._loop.time()  # type: ignore[attr-defined]
            quiet = 0 if busy else quiet + 1
            await asyncio.sleep(0.0005 if busy else 0.0)
        handler.connection_lost(None)
        await asyncio.sleep(0)
        return bytes(transport.written)

    async def _call(self, method: str, content: bytes) -> tuple[grpc.StatusCode, bytes | str]:
        call = _Call(method, content)
        found = (handler.service(call) for handler in self._handlers)
        handler = next((one for one in found if one is not None), None)
        if handler is None:
            return grpc.StatusCode.UNIMPLEMENTED, "Method not found!"  # gRPC's own words
        try:
            response = await handler.stream_unary(None, call)
        except grpc.aio.AbortError:
            assert call.refused is not None
            return call.refused
        return grpc.StatusCode.OK, handler.response_serializer(response)


class _EveryLine:
    """Keeps all that a server would write into its log, where `SeldomLog` leaves out what it said before."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def say(self, kind: str, line: str) -> None:
        self._lines.append(line)


class _Handlers:
    """Takes the handlers in the place of a gRPC server."""

    def __init__(self, handlers: list[grpc.GenericRpcHandler]) -> None:
        self._handlers = handlers

    def add_generic_rpc_handlers(self, handlers: Sequence[grpc.GenericRpcHandler]) -> None:
        self._handlers += handlers


class _Call:
    """A gRPC call as its handler sees it."""

    def __init__(self, method: str, content: bytes) -> None:
        self.method, self.invocation_metadata = f"/{method}", ()
        self.refused: tuple[grpc.StatusCode, str] | None = None
        self._messages = [content]

    async def read(self) -> Any:
        return self._messages.pop() if self._messages else grpc.aio.EOF

    async def abort(self, code: grpc.StatusCode, details: str = "") -> NoReturn:
        self.refused = code, details
        raise grpc.aio.AbortError


class _Memory(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = bytearray()
        self._closing = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if not self._closing:
            self.written += data

    def writelines(self, parts: Any) -> None:
        for part in parts:
            self.write(part)

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        self._closing = True

    abort = close

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass
