"""Waiting until every worker is there, before TensorFlow connects them.

TensorFlow's own wait can neither be interrupted nor says whom it waits for. So every worker first reports to
the chief, on the port that TensorFlow will use a moment later, and the chief lets all go when all are there.
"""

import contextlib
import math
import socket
import time
from collections.abc import Callable

from tffs.distribute.cluster import VARIABLE, Cluster
from tffs.errors import UserError

_GO = b"tffs: go\n"
_HELLO = "tffs: worker {} of {}\n"
_PATIENCE = 2.0  # seconds in which a connection must be made and say who it is
_PAUSE = 0.2
_NEWS_AFTER = 5.0


def gather(cluster: Cluster, seconds: float, say: Callable[[str], None]) -> None:
    """Return when all workers of the cluster have called this.

    Args:
        cluster: the workers.
        seconds: how long to wait for the others; may be infinite.
        say: receives one-sentence notes for the person.
    """
    if cluster.count == 1:
        return
    port = int(cluster.addresses[cluster.index].rpartition(":")[2])
    try:
        both = socket.has_dualstack_ipv6()
        family = socket.AF_INET6 if both else socket.AF_INET
        listener = socket.create_server(("", port), family=family, dualstack_ipv6=both)
    except OSError as error:
        raise UserError(
            f"Port {port} of worker {cluster.index} in {VARIABLE} cannot be used on this machine "
            f"({error.strerror}): end the process that has it, or choose another port for all workers."
        ) from error
    wait = _Wait(cluster, seconds, say)
    with listener:
        if cluster.index:
            _report(cluster, wait)
        else:
            _await_workers(cluster, listener, wait)


class _Wait:
    """Says after a while who is waited for, and ends when the time is over."""

    def __init__(self, cluster: Cluster, seconds: float, say: Callable[[str], None]) -> None:
        self._cluster, self._seconds, self._say = cluster, seconds, say
        self._began = time.monotonic()
        self._told = False

    def named(self, *workers: int) -> str:
        """Name workers for a sentence."""
        return " and ".join(f"worker {index} ({self._cluster.addresses[index]})" for index in workers)

    def tick(self, missing: str) -> None:
        """Note that `missing` are not there yet."""
        waited = time.monotonic() - self._began
        minutes = f"{self._seconds / 60:.3g} minutes"
        if waited > _NEWS_AFTER and not self._told:
            self._told = True
            limit = "" if math.isinf(self._seconds) else f", for up to {minutes}"
            self._say(f"Waiting for {missing}{limit}.")
        if waited > self._seconds:
            raise UserError(
                f"Waited {minutes} for {missing} in vain: nothing that was saved is lost; see that each worker "
                "runs and can be reached, and start them again with the same commands."
            )


def _await_workers(cluster: Cluster, listener: socket.socket, wait: _Wait) -> None:
    """Be the chief: hold a connection to every worker, and let all go when none is missing."""
    listener.settimeout(_PAUSE)
    held: dict[int, socket.socket] = {}
    with contextlib.ExitStack() as connections:
        while True:
            with contextlib.suppress(OSError):  # nobody came, or whoever came was no worker
                connection = connections.enter_context(listener.accept()[0])
                index = _who(connection, cluster.count)
                if index is not None:
                    held[index] = connection
            held = {index: connection for index, connection in held.items() if _open(connection)}
            missing = [index for index in range(1, cluster.count) if index not in held]
            if not missing:
                break
            wait.tick(wait.named(*missing))
        for connection in held.values():
            with contextlib.suppress(OSError):  # whoever went in this moment is missed by TensorFlow
                connection.sendall(_GO)


def _who(connection: socket.socket, count: int) -> int | None:
    connection.settimeout(_PATIENCE)
    hello = connection.makefile("rb").readline(100)
    return next((index for index in range(1, count) if hello == _HELLO.format(index, count).encode()), None)


def _open(connection: socket.socket) -> bool:
    """Tell whether the other end still waits: it sends nothing more, so reading ends only if it is gone."""
    connection.setblocking(False)
    try:
        return bool(connection.recv(1))
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        connection.settimeout(_PATIENCE)


def _report(cluster: Cluster, wait: _Wait) -> None:
    """Be another worker: tell the chief, as often as it takes, and wait for its word."""
    host, _, port = cluster.addresses[0].rpartition(":")
    address = (host.strip("[]"), int(port))  # of IPv6 it is written with brackets
    while True:
        with contextlib.suppress(OSError), socket.create_connection(address, _PATIENCE) as chief:
            chief.sendall(_HELLO.format(cluster.index, cluster.count).encode())
            if _let_go(chief, wait):
                return
        wait.tick(wait.named(0))
        time.sleep(_PAUSE)


def _let_go(chief: socket.socket, wait: _Wait) -> bool:
    """Wait for the chief's word; tell whether it came before the connection ended."""
    chief.settimeout(_PAUSE)
    word = b""
    while len(word) < len(_GO):
        try:
            more = chief.recv(len(_GO) - len(word))
        except TimeoutError:
            wait.tick("the other workers")
            continue
        if not more:
            return False
        word += more
    return word == _GO
