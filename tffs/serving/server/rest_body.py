"""Read the body of a REST request: not too large, not too slowly, and not too many at a time."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from aiohttp import web
from aiohttp.web_request import BaseRequest
from grpc import StatusCode

from tffs.serving.server.budget import Budget
from tffs.serving.server.limits import Limits
from tffs.serving.server.refusal import Refusal


class Bodies:
    """Reads bodies.

    Args:
        limits: of one body.
        budget: of all requests.
    """

    def __init__(self, limits: Limits, budget: Budget) -> None:
        self._limits = limits
        self._budget = budget

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
        with self._budget.request() as take:
            try:
                async with asyncio.timeout(self._limits.body_seconds):
                    async for chunk in request.content.iter_any():
                        chunks.append(chunk)
                        size += len(chunk)
                        if size > self._limits.rest_bytes:
                            raise self._too_large()
                        take(len(chunk))
            except TimeoutError:
                raise Refusal(
                    StatusCode.DEADLINE_EXCEEDED,
                    f"The body did not come within {self._limits.body_seconds:g} seconds.",
                    http_status=408,
                ) from None
            except web.RequestPayloadError:
                raise Refusal(StatusCode.INVALID_ARGUMENT, "The body could not be decoded.") from None
            yield chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def _too_large(self) -> Refusal:
        return Refusal(
            StatusCode.RESOURCE_EXHAUSTED,
            f"The body is larger than {self._limits.rest_bytes} bytes: send several requests.",
            http_status=413,
        )
