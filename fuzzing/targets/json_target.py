"""Bodies of REST requests: answered as the model itself answers, or refused in a sentence."""

import json
import random

from fuzzing.almost.json_text import changed_body, request_body
from fuzzing.broken import Broken
from fuzzing.case import Case
from fuzzing.files import Change
from fuzzing.http_answers import first_answer
from fuzzing.in_process import MODEL
from fuzzing.oracles.model_answers import answer_of_document, check_answer, inputs_of_document
from fuzzing.request_target import RequestTarget
from fuzzing.target import ACCEPTED, REFUSED, Outcome
from tffs.serving.contract import DEFAULT_SIGNATURE

_ROWS = [[[0.5, 1.0, -1.0, 0.25, 2.0, 0.0], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]]]


class JsonTarget(RequestTarget):
    """Sends predict requests."""

    words = (
        *(
            b'"instances"',
            b'"inputs"',
            b'"signature_name"',
            b'"support"',
            b'"values"',
            b'"support_size"',
            b'"b64"',
        ),
        *(b"NaN", b"null", b"true", b"1e999", b"-0", b"\\ud800", b"[[", b"]]", b'{"', b'"}', b"16777217"),
    )
    good = Case("network", {}, json.dumps({"signature_name": "select", "instances": _ROWS}).encode())

    def draw(self, source: random.Random) -> Case:
        """Draw a body."""
        kind = source.choice(self.kinds)
        return Case(kind, {}, request_body(source, self.models[kind].version.signatures))

    def change(self, case: Case, source: random.Random, change: Change) -> Case:
        """Change a value of the body, or its bytes."""
        made = changed_body(source, case.content) if source.random() < 0.6 else None
        return Case(case.kind, case.asked, change(case.content) if made is None else made)

    def answer(self, case: Case) -> Outcome:
        """Send a body."""
        model = self.models[case.kind]
        model.log.clear()
        head = f"POST /v1/models/{MODEL}:predict HTTP/1.1\r\nHost: x\r\nContent-Length: {len(case.content)}"
        came = first_answer(model.http(head.encode() + b"\r\n\r\n" + case.content), "POST")
        if model.log or came is None:
            raise Broken(f"the server says {model.log}")
        status, answer = came
        if status != 200:
            return Outcome(REFUSED, answer["error"])
        document = json.loads(case.content)
        signature = model.version.signatures[document.get("signature_name") or DEFAULT_SIGNATURE]
        inputs = inputs_of_document(document, signature)
        check_answer(model.version, signature, inputs, answer_of_document(answer, signature))
        return Outcome(ACCEPTED, json.dumps(answer))
