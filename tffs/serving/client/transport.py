"""What a client needs from a protocol."""

from typing import Protocol

from tffs.serving.client.address import Address
from tffs.serving.client.deadline import Deadline
from tffs.serving.client.errors import NotServed, Refused, ServerUnavailable
from tffs.serving.model_version import Arrays


class Transport(Protocol):
    """One attempt at asking a model server; raises `UserError` and the kinds of it in `errors`."""

    def served_version(self, label: str | None, deadline: Deadline) -> int:
        """Ask which version answers now: the newest, or the one with a label."""

    def predict(self, signature: str, inputs: Arrays, version: int, deadline: Deadline) -> Arrays:
        """Ask one version; strings come back as str."""

    def close(self) -> None:
        """Close the connections."""


def refused(address: Address, why: str) -> Refused:
    """Word that the server cannot be reached or is too busy."""
    return Refused(
        f"No answer from the model server at {address.shown} ({why}): check that it runs there and that this "
        f"is its {'REST' if address.rest else 'gRPC'} port; if it is busy, try again later."
    )


def timed_out(address: Address, deadline: Deadline) -> ServerUnavailable:
    """Word that the time is over."""
    return ServerUnavailable(
        f"The model server at {address.shown} did not answer within {deadline.seconds:g} s: check that it is "
        "well, or give it more time with a longer timeout."
    )


def not_served(address: Address, model_name: str, version: int | str | None, why: str) -> NotServed:
    """Word that the server has another model, or other versions of it."""
    which = (
        "" if version is None else f" with the {'version' if isinstance(version, int) else 'label'} {version}"
    )
    return NotServed(
        f"The model server at {address.shown} does not serve the model '{model_name}'{which} ({why}): give the "
        "name that it was started with, and a version that is there."
    )
