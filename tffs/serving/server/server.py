"""The embedded server: a model, its REST and gRPC doors, and an orderly end."""

import asyncio
import contextlib
import errno
import socket
from collections.abc import Callable

import grpc
from aiohttp import web
from grpc_health.v1 import health, health_pb2
from tensorflow_serving.apis import model_service_pb2, prediction_service_pb2

from tffs.config import ServeConfig
from tffs.errors import UserError
from tffs.serving.server.batching import Lane
from tffs.serving.server.budget import Budget
from tffs.serving.server.grpc_messages import GrpcMessages
from tffs.serving.server.grpc_services import ModelService, PredictionService
from tffs.serving.server.limits import Limits
from tffs.serving.server.model import Model
from tffs.serving.server.page import Page
from tffs.serving.server.rest import RestApi
from tffs.serving.server.rest_connections import Connections
from tffs.serving.server.seldom_log import SeldomLog
from tffs.serving.server.versions import Versions

DRAIN_SECONDS = 0.2  # for answers that are on their way out
BACKLOG = 128  # connections that are taken at a time
OTHER_CALLS = 64  # at a time besides those that may wait for the model: about the health and the status
PREDICTION = prediction_service_pb2.DESCRIPTOR.services_by_name["PredictionService"]
MODELS = model_service_pb2.DESCRIPTOR.services_by_name["ModelService"]
HEALTH = health_pb2.DESCRIPTOR.services_by_name["Health"]


class Server:
    """Serves one model over REST and gRPC, as TF Serving does.

    All its methods belong to one event loop.

    Args:
        config: the model and the addresses; a port of 0 takes any that is free.
        limits: what clients may ask for at most.
        log: takes one line about versions.

    Attributes:
        grpc_port: of the running server.
        rest_port: of the running server.
    """

    def __init__(self, config: ServeConfig, limits: Limits, log: Callable[[str], None]) -> None:
        self.grpc_port = config.port
        self.rest_port = config.rest_api_port
        self._config = config
        self._limits = limits.within_open_files()
        self._log = log

    @property
    def version_path(self) -> str:
        """The folder of the version that answers now."""
        return self._versions.current.path

    @property
    def version(self) -> int:
        """The version that answers now."""
        return self._versions.current.number

    async def start(self) -> None:
        """Open both ports, load the model and answer; who asks meanwhile waits."""
        config, limits = self._config, self._limits
        listening = _listening(config.bind_address, config.rest_api_port)
        self._versions = Versions(config.base_path, config.poll_seconds, limits, self._log)
        self._model: Model | None = None
        self._grpc = self._grpc_server()
        self._health = health.aio.HealthServicer()
        self._rest: web.ServerRunner | None = None
        self._site: web.SockSite | None = None
        self._lane = Lane(config.batching, limits)
        try:
            self._open_grpc_port()
            await self._versions.start()
            seldom = SeldomLog(self._log)
            budget = Budget(limits.body_bytes)
            self._model = Model(config.model_name, self._versions, self._lane, limits)
            await self._start_grpc(self._model, budget, seldom)
            page = Page(config.model_name) if config.page == "on" else None
            await self._start_rest(RestApi(self._model, budget, seldom, page), seldom, listening)
        except BaseException:
            listening.close()
            await self.stop()
            raise

    async def stop(self) -> None:
        """Refuse what is new, answer what is under way within the grace, and give everything back.

        The doors stay open until clients have heard that the server stops: gRPC's own stop cancels calls that
        have come but were not looked at yet, which a client cannot tell from calls that were run.
        """
        if self._model is not None:
            await self._health.enter_graceful_shutdown()
            if self._site is not None:
                await self._site.stop()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._limits.grace_seconds):
                    await self._model.gate.stop()
            await asyncio.sleep(DRAIN_SECONDS)
        else:
            await self._grpc.start()  # one that never ran does not give its port back
        await self._grpc.stop(DRAIN_SECONDS)
        if self._rest is not None:
            await self._rest.cleanup()
        await asyncio.to_thread(self._lane.close)
        await self._versions.close()

    def _grpc_server(self) -> grpc.aio.Server:
        idle = int(1000 * self._limits.idle_seconds)
        return grpc.aio.server(
            maximum_concurrent_rpcs=self._limits.queue_requests + OTHER_CALLS,
            options=(
                ("grpc.max_receive_message_length", self._limits.request_bytes),
                ("grpc.max_send_message_length", -1),
                ("grpc.max_concurrent_streams", self._limits.queue_requests),
                ("grpc.so_reuseport", 0),  # otherwise a second server would take half of the requests
                ("grpc.max_allowed_incoming_connections", self._limits.connections),
                ("grpc.max_connection_idle_ms", idle),
                ("grpc.server_handshake_timeout_ms", idle),  # of those that do not speak gRPC at all
            ),
        )

    def _open_grpc_port(self) -> None:
        address = self._config.bind_address
        host = f"[{address}]" if ":" in address else address
        try:
            self.grpc_port = self._grpc.add_insecure_port(f"{host}:{self._config.port}")
        except RuntimeError:
            self.grpc_port = 0
        if not self.grpc_port:
            raise UserError(
                f"--port={self._config.port} cannot be opened on {address}: another program has it, or the "
                "address is not this machine's; choose another."
            )

    async def _start_grpc(self, model: Model, budget: Budget, seldom: SeldomLog) -> None:
        messages = GrpcMessages(self._grpc, self._limits, budget, seldom)
        messages.add_service(PREDICTION, PredictionService(model))
        messages.add_service(MODELS, ModelService(model))
        for service in ("", PREDICTION.full_name, MODELS.full_name):
            await self._health.set(service, health_pb2.HealthCheckResponse.SERVING)
        messages.add_service(HEALTH, self._health)
        await self._grpc.start()

    async def _start_rest(self, api: RestApi, seldom: SeldomLog, listening: socket.socket) -> None:
        connections = Connections(api, self._limits, seldom)
        runner = web.ServerRunner(connections, shutdown_timeout=DRAIN_SECONDS)
        await runner.setup()
        self._rest = runner
        self._site = web.SockSite(runner, listening, backlog=min(BACKLOG, self._limits.connections))
        await self._site.start()
        self.rest_port = listening.getsockname()[1]


def _listening(address: str, port: int) -> socket.socket:
    """Open the port and keep it, before anything is loaded: a mistake in it shows at once."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((address, port))
        listening.listen()
        return listening
    except (OSError, OverflowError) as error:
        listening.close()
        taken = getattr(error, "errno", None) == errno.EADDRINUSE
        why = "another program has it" if taken else str(error)
        raise UserError(
            f"--rest_api_port={port} cannot be opened on {address} ({why}): choose another."
        ) from error
