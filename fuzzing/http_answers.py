"""HTTP answers, read with Python's own client."""

import http.client
import io
import json
import re
from typing import Any

from fuzzing.broken import Broken, check_sentence

_VERSION = re.compile(rb"^HTTP/\d\.\d")
STATUSES = {200, 400, 404, 405, 408, 413, 417, 429, 431, 501, 503}


class _Socket:
    def __init__(self, data: bytes) -> None:
        self._data = data

    def makefile(self, mode: str) -> io.BytesIO:
        return io.BytesIO(self._data)


def first_answer(data: bytes, method: str) -> tuple[int, Any] | None:
    """Give the status and the JSON of the first answer, which must be one; None where nothing came."""
    if not data:
        return None
    if data.startswith(b"HTTP/1.1 100 Continue\r\n\r\n"):
        data = data[25:]
    data = _VERSION.sub(b"HTTP/1.1", data, count=1)  # aiohttp answers HTTP/2.0 to a request line that says so
    response = http.client.HTTPResponse(_Socket(data), method=method)  # type: ignore[arg-type]
    response.begin()
    body = response.read()
    if response.status not in STATUSES:
        raise Broken(f"the status {response.status} came: {body[:200]!r}")
    if method == "HEAD":
        return response.status, None
    if not response.headers["Content-Type"].startswith("application/json"):
        raise Broken(f"the answer is {response.headers['Content-Type']}")
    answer = json.loads(body)
    if response.status != 200:
        if not isinstance(answer, dict) or answer.keys() != {"error"}:
            raise Broken(f"the refusal is {answer!r}")
        check_sentence(answer["error"])
    return response.status, answer
