import pytest

from tffs.errors import UserError
from tffs.serving import Client
from tffs.serving.client.address import Address, parse_address


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("http://host:8501", Address(True, False, "http://host:8501", "http://host:8501")),
        ("HTTPS://host/models/", Address(True, True, "https://host/models", "https://host/models")),
        ("http://me:secret@host", Address(True, False, "http://me:secret@host", "http://host")),
        ("host:8500", Address(False, False, "host:8500", "host:8500")),
        ("grpc://[::1]:8500/", Address(False, False, "[::1]:8500", "[::1]:8500")),
        ("grpcs://host:443", Address(False, True, "host:443", "host:443")),
    ],
)
def test_address_tells_the_protocol_and_the_place(text, address):
    assert parse_address(text) == address


@pytest.mark.parametrize(
    "text",
    [
        *("", "host", "http://", "http://:8501", "ftp://host:21", "host:port", "host:99999", "grpc://host"),
        *("http://host:8501/v1/models/tffs", "http://host?x=1", "a b:8500", "http://[::1", "host:8500/v1"),
    ],
)
def test_malformed_address_is_refused_with_the_forms_there_are(text):
    with pytest.raises(UserError, match="is not the address of a model server .*: give http://host:8501 or"):
        Client(text)


@pytest.mark.parametrize("timeout", [0, -1.0, float("nan")])
def test_time_out_must_be_some_time(timeout):
    with pytest.raises(UserError, match="timeout must be more than 0 seconds"):
        Client("http://host:8501", timeout=timeout)
