"""Where a model server is, and which of its two protocols is meant."""

import dataclasses
import re
import urllib.parse

from tffs.errors import UserError
from tffs.serving.contract import GRPC_PORT, REST_PORT

FORMS = (
    f"http://host:{REST_PORT} or https://host for REST, host:{GRPC_PORT}, grpc://host:{GRPC_PORT} or "
    f"grpcs://host:{GRPC_PORT} (with TLS) for gRPC"
)


@dataclasses.dataclass(frozen=True)
class Address:
    """The address of a model server.

    Attributes:
        rest: whether it speaks REST; else gRPC.
        secure: whether through TLS.
        target: the URL before `/v1/models` for REST, `host:port` for gRPC.
        shown: the address for messages, without a password.
    """

    rest: bool
    secure: bool
    target: str
    shown: str


def is_address(text: str) -> bool:
    """Tell whether a text is meant as an address: it has a scheme, or it is a host and a port."""
    return "://" in text or re.fullmatch(r"[\w.-]+:\d+|\[[\da-fA-F:]+\]:\d+", text) is not None


def parse_address(text: str) -> Address:
    """Read an address as a person writes it; without a scheme it is gRPC."""
    scheme, separator, rest_of_it = text.partition("://")
    if not separator:
        scheme, rest_of_it = "grpc", text
    scheme = scheme.lower()
    url = f"{scheme}://{rest_of_it}".rstrip("/")
    try:
        parts = urllib.parse.urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _malformed(text, str(error)) from error
    if scheme not in ("http", "https", "grpc", "grpcs"):
        raise _malformed(text, f"'{scheme}' is neither REST nor gRPC")
    if not parts.hostname or any(character.isspace() for character in text):
        raise _malformed(text, "it names no host")
    if parts.query or parts.fragment or "/v1/models" in parts.path:
        raise _malformed(text, "give only where the server is; the model's name is given apart")
    place = parts.netloc.rpartition("@")[2]
    if scheme in ("http", "https"):
        return Address(True, scheme == "https", url, f"{scheme}://{place}{parts.path}")
    if port is None or parts.path or "@" in parts.netloc:
        raise _malformed(text, "a gRPC address is a host and a port")
    return Address(False, scheme == "grpcs", place, place)


def _malformed(text: str, why: str) -> UserError:
    return UserError(f"'{text}' is not the address of a model server ({why}): give {FORMS}.")
