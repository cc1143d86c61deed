"""What the embedded server takes from its clients at most."""

import dataclasses
import resource
from typing import Self


@dataclasses.dataclass(frozen=True)
class Limits:
    """Bounds that keep one client, or many, from taking the machine.

    Attributes:
        request_bytes: of one gRPC message.
        request_fields: of one gRPC message and of the messages in it.
        rest_bytes: of one REST body, after decompression.
        rest_values: in one REST body, as its commas tell.
        rest_lists: and objects in one REST body, as its brackets tell.
        body_bytes: of all requests that are being read or answered at a time.
        request_rows: of one request, over all tasks.
        answer_values: of one answer, or of several in one run; in float32 as much as gRPC clients take unasked.
        answer_texts: tasks of a request whose answer is texts alone, the length of which only the model knows.
        queue_requests: waiting for the model at a time; one more is answered with UNAVAILABLE.
        queue_bytes: of the inputs of all that wait.
        batch_tasks: merged into one run of the model.
        connections: of REST clients at a time, and as many of gRPC clients.
        idle_seconds: until a connection without a request is closed.
        body_seconds: until a REST body or a gRPC message must have been received whole.
        linger_seconds: to read on after a refusal, so that the client sees it before the connection closes.
        grace_seconds: for requests that are under way when the server is stopped.
        ended_versions: that GetModelStatus still tells of.
        load_seconds: to wait for a version that is being loaded before an older one is taken in its place.
        retry_seconds: until a version that could not be loaded is tried again, if its folder does not change.
    """

    request_bytes: int = 32 * 2**20
    request_fields: int = 2**16
    rest_bytes: int = 16 * 2**20
    rest_values: int = 2**21
    rest_lists: int = 2**18
    body_bytes: int = 256 * 2**20
    request_rows: int = 16384
    answer_values: int = 2**20
    answer_texts: int = 64
    queue_requests: int = 1024
    queue_bytes: int = 256 * 2**20
    batch_tasks: int = 256
    connections: int = 1024
    idle_seconds: float = 75.0
    body_seconds: float = 30.0
    linger_seconds: float = 1.0
    grace_seconds: float = 15.0
    ended_versions: int = 16
    load_seconds: float = 60.0
    retry_seconds: float = 60.0

    def within_open_files(self) -> Self:
        """Take no more connections than this process can open.

        A quarter of its files is for REST clients and a quarter for gRPC clients; models, and sockets that are
        about to be closed, need the rest.
        """
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if files == resource.RLIM_INFINITY:
            return self
        return dataclasses.replace(self, connections=min(self.connections, max(files // 4, 1)))
