"""What can go wrong between a client and a server."""

from tffs.errors import UserError


class ServerUnavailable(UserError):
    """The server gave no answer: it cannot be reached, is too busy, or took too long."""


class Refused(ServerUnavailable):
    """The server did not answer this attempt, but may answer the next one."""


class NotServed(UserError):
    """The server has no such model, or no such version of it."""
