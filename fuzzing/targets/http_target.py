"""HTTP as bytes: paths, methods, headers and bodies in any order, on a connection without a socket."""

import json
import random

from fuzzing.almost.http_text import http_request
from fuzzing.almost.json_text import request_body
from fuzzing.broken import Broken
from fuzzing.case import Case
from fuzzing.files import Change
from fuzzing.http_answers import first_answer
from fuzzing.request_target import RequestTarget
from fuzzing.target import ACCEPTED, REFUSED, Outcome


class HttpTarget(RequestTarget):
    """Sends bytes."""

    words = (
        *(
            b"GET ",
            b"POST ",
            b" HTTP/1.1\r\n",
            b"/v1/models/tffs",
            b":predict",
            b"/metadata",
            b"/versions/1",
            b"/labels/",
        ),
        *(
            b"Content-Length: ",
            b"Transfer-Encoding: chunked",
            b"\r\n\r\n",
            b"0\r\n\r\n",
            b"Expect: 100-continue",
            b"%00",
        ),
    )
    good = Case("network", {}, b"GET /v1/models/tffs HTTP/1.1\r\nHost: x\r\n\r\n")

    def draw(self, source: random.Random) -> Case:
        """Draw a request."""
        kind = source.choice(self.kinds)
        body = request_body(source, self.models[kind].version.signatures) if source.random() < 0.7 else b""
        return Case(kind, {}, http_request(source, body))

    def change(self, case: Case, source: random.Random, change: Change) -> Case:
        """Change the head or the body, and leave the other as it is."""
        head, line, body = case.content.partition(b"\r\n\r\n")
        if source.random() < 0.6:
            return Case(case.kind, case.asked, change(head) + line + body)
        return Case(case.kind, case.asked, head + line + change(body))

    def answer(self, case: Case) -> Outcome:
        """Send bytes; a request that has not come whole is not answered."""
        model = self.models[case.kind]
        model.log.clear()
        method = case.content.lstrip(b"\r\n").partition(b" ")[0]
        came = first_answer(model.http(case.content), "HEAD" if method == b"HEAD" else "GET")
        if model.log:
            raise Broken(f"the server says {model.log}")
        if came is None:
            return Outcome("unanswered")
        status, answer = came
        if status == 200:
            return Outcome(ACCEPTED, json.dumps(answer))
        return Outcome(REFUSED, answer["error"] if answer else "HEAD")
