"""Read the body of a REST request: not too large, not too slowly, and not too many at a time."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from aiohttp import web
from aiohttp.web_request import BaseRequest
from grpc import StatusCode

from tffs.serving.server.budget import Budget
from tffs.serving.server.limits import Limits
from tffs.serving.server.refusal import Refusal, invalid


@contextlib.asynccontextmanager
async def received_body(request: BaseRequest, limits: Limits, budget: Budget) -> AsyncIterator[bytes]:
    """Read a body, and count it while the block runs."""
    announced = request.content_length
    if announced is not None and announced > limits.rest_bytes:
        raise _too_large(limits)
    if request.headers.get("Expect", "").lower() == "100-continue" and request.transport is not None:
        request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    chunks: list[bytes] = []
    size = 0
    with budget.request() as take:
        try:
            async with asyncio.timeout(limits.body_seconds):
                async for chunk in request.content.iter_any():
                    chunks.append(chunk)
                    size += len(chunk)
                    if size > limits.rest_bytes:
                        raise _too_large(limits)
                    take(len(chunk))
        except TimeoutError:
            raise Refusal(
                StatusCode.DEADLINE_EXCEEDED,
                f"The body did not come within {limits.body_seconds:g} seconds.",
                http_status=408,
            ) from None
        except web.RequestPayloadError:
            raise invalid("The body could not be decoded.") from None
        yield chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _too_large(limits: Limits) -> Refusal:
    return Refusal(
        StatusCode.RESOURCE_EXHAUSTED,
        f"The body is larger than {limits.rest_bytes} bytes: send several requests.",
        http_status=413,
    )
