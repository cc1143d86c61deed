"""`tffs.serving.Client`: features for new rows from a model server, pandas in and out."""

from collections.abc import Callable
from typing import Any

from tffs.errors import UserError
from tffs.serving import contract
from tffs.serving.client.address import parse_address
from tffs.serving.client.transport import Transport
from tffs.serving.client.version_follower import VersionFollower
from tffs.serving.front_door import FrontDoor, Result
from tffs.serving.model_version import ModelVersion


class Client(FrontDoor):
    """A model at TensorFlow Serving or at tffs' own server.

    It may be shared by threads. Requests change nothing at the server, so one that was refused (no connection,
    a busy server, a connection lost before the answer) is repeated with growing pauses; a wrong request or one
    that took too long is not. Mistakes raise `UserError`, a server that does not answer `ServerUnavailable`,
    which is one of them.

    Args:
        address: `http://host:8501` or `https://host` for REST, which needs no TensorFlow; `host:8500`,
            `grpc://host:8500` or `grpcs://host:8500` (TLS) for gRPC, which imports it.
        model_name: what the server calls the model.
        version: the only version to ask, or the label of one; by default the one that the server answers with,
            followed within seconds when it changes.
        timeout: seconds for a call, repetitions included.
        note: see `FrontDoor`.

    Example:
        >>> import tffs
        >>> client = tffs.Client("http://localhost:8501", timeout=5.0)  # connects when it is first asked
        >>> client.close()
        >>> try:
        ...     tffs.Client("localhost")
        ... except tffs.UserError as error:
        ...     print(str(error).partition(":")[0])
        'localhost' is not the address of a model server (a gRPC address is a host and a port)
    """

    def __init__(
        self,
        address: str,
        model_name: str = contract.MODEL_NAME,
        version: int | str | None = None,
        timeout: float = 10.0,
        note: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(note)
        self._given = (address, model_name, version, timeout)
        where = parse_address(address)
        if not timeout > 0:
            raise UserError(f"timeout must be more than 0 seconds. Received: {timeout}.")
        self._transport: Transport
        if where.rest:
            from tffs.serving.client.rest_transport import RestTransport

            self._transport = RestTransport(where, model_name)
        else:
            from tffs.serving.client.grpc_transport import GrpcTransport

            self._transport = GrpcTransport(where, model_name)
        self._follower = VersionFollower(self._transport, version, timeout)

    def __reduce__(self) -> Any:
        return type(self), self._given

    def _answer(self, question: Callable[[ModelVersion], Result]) -> Result:
        return self._follower.answer(question)

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()
