"""HTTP connections on which a time limit holds for the whole answer, not for each piece of it."""

import functools
import http.client
import io
import socket
import time
from typing import Any

import urllib3
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection


class WholeTimeAdapter(HTTPAdapter):
    """Lets a `requests.Session` give up when its time is over, even if the server sends a byte now and then."""

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        """Make the pool of direct connections."""
        super().init_poolmanager(*arguments, **options)
        self.poolmanager.pool_classes_by_scheme = _POOLS

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        """Make the pool of connections through a proxy."""
        manager = super().proxy_manager_for(proxy, **options)
        if isinstance(manager, urllib3.ProxyManager):  # one for SOCKS has connections of its own
            manager.pool_classes_by_scheme = _POOLS
        return manager


class _Timed(io.RawIOBase):
    """What a socket receives until a moment; after it, reading raises TimeoutError."""

    def __init__(self, raw: io.RawIOBase, connection: socket.socket, seconds: float) -> None:
        self._raw = raw
        self._socket = connection
        self._end = time.monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the answer was not received in time")
        self._socket.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Answer(http.client.HTTPResponse):
    def __init__(self, connection: socket.socket, *arguments: Any, seconds: float, **options: Any) -> None:
        super().__init__(connection, *arguments, **options)
        self.fp = io.BufferedReader(_Timed(self.fp.detach(), connection, seconds))


def _within(seconds: float | None) -> Any:
    assert seconds is not None  # every request of this client has a time limit
    return functools.partial(_Answer, seconds=seconds)


class _Connection(HTTPConnection):
    def getresponse(self) -> Any:
        self.response_class = _within(self.timeout)
        return super().getresponse()


class _SecureConnection(HTTPSConnection):
    def getresponse(self) -> Any:
        self.response_class = _within(self.timeout)
        return super().getresponse()


class _Pool(urllib3.HTTPConnectionPool):
    ConnectionCls = _Connection


class _SecurePool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _SecureConnection


_POOLS = {"http": _Pool, "https": _SecurePool}
