"""The way in: it counts the requests that are under way, and closes when the server stops."""

import asyncio
from types import TracebackType

from grpc import StatusCode

from tffs.serving.server.refusal import Refusal


class Gate:
    """Every predict request passes through it, as a block that lasts until its answer is made."""

    def __init__(self) -> None:
        self._under_way = 0
        self._stopping = False
        self._idle = asyncio.Event()
        self._idle.set()

    def __enter__(self) -> None:
        if self._stopping:
            raise Refusal(StatusCode.UNAVAILABLE, "The server is being stopped: try again later.")
        self._under_way += 1
        self._idle.clear()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._under_way -= 1
        if not self._under_way:
            self._idle.set()

    async def stop(self) -> None:
        """Refuse what is new, and wait until nothing is under way."""
        self._stopping = True
        await self._idle.wait()
