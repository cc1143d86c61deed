"""Read the body of a REST request: not too large, not too slowly, and not too many at a time."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from aiohttp import web
from aiohttp.web_request import BaseRequest
from grpc import StatusCode

from tffs.serving.server.limits import Limits
from tffs.serving.server.refusal import Refusal


class Bodies:
    """Counts the bytes of all bodies in memory.

    Args:
        limits: of one body and of all.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._held = 0

    @contextlib.asynccontextmanager
    async def read(self, request: BaseRequest) -> AsyncIterator[bytes]:
        """Read a body, and count it while the block runs."""
        announced = request.content_length
        if announced is not None and announced > self._limits.rest_bytes:
            raise self._too_large()
        if request.headers.get("Expect", "").lower() == "100-continue" and request.transport is not None:
            request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        chunks: list[bytes] = []
        size = 0
        try:
            try:
                async with asyncio.timeout(self._limits.body_seconds):
                    async for chunk in request.content.iter_any():
                        chunks.append(chunk)
                        size += len(chunk)
                        self._held += len(chunk)
                        if size > self._limits.rest_bytes:
                            raise self._too_large()
                        if self._held > self._limits.body_bytes:
                            raise Refusal(
                                StatusCode.UNAVAILABLE,
                                "The server has too many requests waiting: try again later.",
                            )
            except TimeoutError:
                raise Refusal(
                    StatusCode.DEADLINE_EXCEEDED,
                    f"The body did not come within {self._limits.body_seconds:g} seconds.",
                    http_status=408,
                ) from None
            except web.RequestPayloadError:
                raise Refusal(StatusCode.INVALID_ARGUMENT, "The body could not be decoded.") from None
            yield chunks[0] if len(chunks) == 1 else b"".join(chunks)
        finally:
            self._held -= size

    def _too_large(self) -> Refusal:
        return Refusal(
            StatusCode.RESOURCE_EXHAUSTED,
            f"The body is larger than {self._limits.rest_bytes} bytes: send several requests.",
            http_status=413,
        )
