"""HTTP connections: bounded in number, and told of a malformed request in the API's own JSON."""

import asyncio
import contextlib
import logging
import math
from collections.abc import Iterator
from typing import Any

from aiohttp import web
from aiohttp.web_protocol import RequestHandler
from aiohttp.web_request import BaseRequest
from grpc import StatusCode

from tffs.serving.server.limits import Limits
from tffs.serving.server.refusal import Refusal
from tffs.serving.server.rest import RestApi, refused
from tffs.serving.server.seldom_log import SeldomLog

# What aiohttp would write about clients that misbehave; faults of ours are logged by `internal`.
_SILENT = logging.Logger("tffs.http", logging.CRITICAL + 1)


class _Connection(RequestHandler):
    """One connection; aiohttp 3.12, for one, would wait for its first request for ever.

    Args:
        manager: of all connections.
        limits: of its patience, also until the header of the first request must have come whole.

    Attributes:
        idle_since: when it was opened or its last answer was made; infinite while a request is being answered.
    """

    def __init__(self, manager: web.Server, limits: Limits) -> None:
        loop = asyncio.get_running_loop()
        super().__init__(
            manager,
            loop=loop,
            access_log=None,  # type: ignore[arg-type]  # none is written
            logger=_SILENT,
            keepalive_timeout=limits.idle_seconds,
            lingering_time=limits.linger_seconds,
        )
        self._first = loop.call_later(limits.idle_seconds, self.force_close)
        self.idle_since = loop.time()

    def connection_lost(self, exc: BaseException | None) -> None:
        """Forget the connection."""
        self._first.cancel()
        super().connection_lost(exc)

    @contextlib.contextmanager
    def busy(self) -> Iterator[None]:
        """Note that a request is being answered while the block runs."""
        self._first.cancel()
        self.idle_since = math.inf
        try:
            yield
        finally:
            self.idle_since = asyncio.get_running_loop().time()

    def give_way(self) -> None:
        """Close an idle connection for the sake of a new one."""
        self.idle_since = math.inf
        self.force_close()

    def handle_error(
        self,
        request: BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.Response:
        """Answer what aiohttp's parser refused, without its description of the bytes."""
        if status == 500:
            refusal = Refusal(StatusCode.INTERNAL, "The server failed on this request.")
        else:
            refusal = Refusal(StatusCode.INVALID_ARGUMENT, "Malformed HTTP request.", http_status=status)
        response = refused(refusal)
        response.force_close()
        return response


class Connections(web.Server):
    """Takes HTTP connections for a REST API.

    Args:
        api: answers the requests.
        limits: of connections and of their patience.
        log: takes a line when there are too many.
    """

    def __init__(self, api: RestApi, limits: Limits, log: SeldomLog) -> None:
        # A client that hangs up gives its place in the queue back.
        super().__init__(self._answer, handler_cancellation=True)
        self._api = api
        self._limits = limits
        self._log = log

    def __call__(self) -> RequestHandler:
        """Make the handler of a new connection."""
        return _Connection(self, self._limits)

    def connection_made(self, handler: RequestHandler, transport: Any) -> None:
        """Take a connection; if there are too many, the one that is idle longest is closed, be it this one."""
        super().connection_made(handler, transport)
        most = self._limits.connections
        if len(self.connections) <= most:
            return
        connections = [other for other in self.connections if isinstance(other, _Connection)]
        min(connections, key=lambda other: other.idle_since).give_way()
        self._log.say(
            "connections",
            f"{most} REST connections are open, which is the most: those that are idle longest are "
            "closed for new ones.",
        )

    async def _answer(self, request: BaseRequest) -> web.Response:
        connection = request.protocol
        assert isinstance(connection, _Connection)
        with connection.busy():
            return await self._api.answer(request)
