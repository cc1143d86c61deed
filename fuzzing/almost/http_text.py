"""HTTP requests that are almost right."""

import random

_PATHS = (
    *("/v1/models/tffs:predict", "/v1/models/tffs", "/v1/models/tffs/metadata", "/v1/models/tffs/versions/1"),
    *(
        "/v1/models/tffs/versions/1:predict",
        "/v1/models/tffs/versions/1/metadata",
        "/v1/models/tffs/labels/x:predict",
    ),
    *(
        "/v1/models/tffs:classify",
        "/v1/models/tffs:regress",
        "/v1/models/other:predict",
        "/v1/models/",
        "/",
        "/v1",
        "*",
    ),
    *(
        "/v1/models/tffs/versions/99999999999999999999",
        "/v1/models/tffs/versions/-1",
        "/V1/MODELS/tffs:PREDICT",
    ),
    *(
        "/v1/models/%74ffs:predict",
        "/v1/models/%ff%00%0a:predict",
        "/v1/models/tf\u0000fs",
        "/v1/models/%ED%A0%80",
    ),
    *(
        "/v1/models/tffs:predict?x=1#y",
        "http://x/v1/models/tffs",
        "//x/v1/models/tffs",
        "/v1/models/tffs/versions/\u0661",
    ),
    *("/v1/models/" + "a" * 3000, "/v1/models/tffs%2fmetadata", "/../etc/passwd", "/v1/models/tffs:predict/"),
)
_METHODS = (
    "POST",
    "POST",
    "POST",
    "GET",
    "GET",
    "HEAD",
    "PUT",
    "DELETE",
    "OPTIONS",
    "CONNECT",
    "get",
    "\x1b[2J",
    "P\u00d6ST",
)
_HEADERS = (
    *("Content-Length: {size}", "Content-Length: {size}", "Content-Length: {size}", "Content-Length: 99999999"),
    *(
        "Content-Length: -1",
        "Content-Length: {size}, {size}",
        "Content-Length: x",
        "Transfer-Encoding: chunked",
    ),
    *(
        "Transfer-Encoding: gzip, chunked",
        "Content-Encoding: gzip",
        "Content-Encoding: deflate",
        "Content-Encoding: x",
    ),
    *("Expect: 100-continue", "Expect: x", "Connection: close", "Connection: upgrade\r\nUpgrade: websocket"),
    *(
        "Host: \u00e4",
        "X: " + "y" * 9000,
        "Cookie: a=\x00",
        " folded",
        ":",
        "Content-Type: application/json; charset=x",
    ),
)


def http_request(source: random.Random, body: bytes) -> bytes:
    """Draw a request with a body, or without one."""
    method, path = source.choice(_METHODS), source.choice(_PATHS)
    version = source.choice(("HTTP/1.1",) * 9 + ("HTTP/1.0", "HTTP/2.0", "HTTP/1.x", ""))
    headers = [source.choice(_HEADERS) for _ in range(source.randint(0, 3))]
    if source.random() < 0.6:
        headers.append("Content-Length: {size}")
    if any("chunked" in header for header in headers) and source.random() < 0.8:
        at = source.randint(0, len(body))
        body = (
            b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:at], body[at:]) if part)
            + b"0\r\n\r\n"
        )
    lines = [
        f"{method} {path} {version}",
        "Host: x",
        *(header.replace("{size}", str(len(body))) for header in headers),
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
