"""What a client is told instead of an answer: a status and one sentence, the same over REST and gRPC."""

from grpc import StatusCode

from tffs.errors import reason
from tffs.serving.server.seldom_log import SeldomLog

# TF Serving's mapping, for the statuses that this server gives.
HTTP_STATUS = {
    StatusCode.INVALID_ARGUMENT: 400,
    StatusCode.FAILED_PRECONDITION: 400,
    StatusCode.NOT_FOUND: 404,
    StatusCode.RESOURCE_EXHAUSTED: 429,
    StatusCode.INTERNAL: 500,
    StatusCode.UNIMPLEMENTED: 501,
    StatusCode.UNAVAILABLE: 503,
    StatusCode.DEADLINE_EXCEEDED: 504,
}
SHOWN_CHARACTERS = 80


class Refusal(Exception):
    """A request that gets no answer.

    Args:
        code: the gRPC status; REST has the HTTP status that TF Serving maps it to.
        sentence: for the client; it must hold nothing of the server's own, such as a path.
        http_status: where HTTP knows better than the mapping.
    """

    def __init__(self, code: StatusCode, sentence: str, http_status: int | None = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.http_status = http_status or HTTP_STATUS[code]


def invalid(sentence: str) -> Refusal:
    """Refuse a request that its sender has to change."""
    return Refusal(StatusCode.INVALID_ARGUMENT, sentence)


def shown(text: str) -> str:
    """Shorten what a client sent, to say it back."""
    printable = "".join(character if character.isprintable() else "?" for character in text[:SHOWN_CHARACTERS])
    return printable + ("..." if len(text) > SHOWN_CHARACTERS else "")


def internal(error: Exception, log: SeldomLog) -> Refusal:
    """Log an exception that must not happen, and hide it from the client."""
    kind = type(error).__name__
    log.say(kind, f"A request failed inside the server, with a {kind} ({reason(error)}).")
    return Refusal(StatusCode.INTERNAL, "The server failed on this request; its log says why.")
