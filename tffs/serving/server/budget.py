"""How much memory the requests of all clients, over REST and gRPC, may take together."""

import contextlib
from collections.abc import Callable, Iterator

from grpc import StatusCode

from tffs.serving.server.refusal import Refusal


class Budget:
    """Counts the bytes of requests that are in memory.

    Args:
        most: bytes at a time.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0

    @contextlib.contextmanager
    def request(self) -> Iterator[Callable[[int], None]]:
        """Give a function that counts bytes of one request; they are given back at the end of the block."""
        taken = 0

        def take(size: int) -> None:
            nonlocal taken
            taken += size
            self._held += size
            if self._held > self._most:
                raise Refusal(
                    StatusCode.UNAVAILABLE, "The server has too many requests waiting: try again later."
                )

        try:
            yield take
        finally:
            self._held -= taken
