"""Ask a model server over REST; TensorFlow is not needed."""

import json
import threading
import urllib.parse
import weakref
from typing import Any

import numpy as np
import requests
import urllib3

from tffs.errors import UserError, reason
from tffs.serving.client.address import Address
from tffs.serving.client.deadline import Deadline
from tffs.serving.client.errors import ServerUnavailable
from tffs.serving.client.http_connections import WholeTimeAdapter
from tffs.serving.client.transport import Arrays, not_served, refused, timed_out

ONLY_OUTPUT = "outputs"  # what the only output of a signature is called here: TF Serving leaves its name away
PIECE = 1 << 16
ANSWER_BYTES = 32 * 2**20  # of an answer, decompressed; what this client asks for has less than half of it


class RestTransport:
    """One attempt at asking a model server over REST; may be shared by threads.

    Args:
        address: of the server.
        model_name: what the server calls the model.
    """

    def __init__(self, address: Address, model_name: str) -> None:
        self._address = address
        self._model_name = model_name
        self._model = f"{address.target}/v1/models/{urllib.parse.quote(model_name, safe='')}"
        self._of_thread = threading.local()  # a session must not be used by two threads at once
        self._sessions: weakref.WeakSet[requests.Session] = weakref.WeakSet()  # one goes with its thread

    def served_version(self, label: str | None, deadline: Deadline) -> int:
        """Ask which version answers now: the newest, or the one with a label."""
        labelled = "" if label is None else f"/labels/{urllib.parse.quote(label, safe='')}"
        answer = self._ask("GET", f"{labelled}/metadata", None, label, deadline)
        try:
            return int(answer["model_spec"]["version"])
        except (KeyError, TypeError, ValueError) as error:
            raise self._strange("its metadata names no version") from error

    def predict(self, signature: str, inputs: Arrays, version: int, deadline: Deadline) -> Arrays:
        """Ask one version; strings come back as str."""
        # A float32 as the float64 that Python writes is exact, and NaN goes as the token that TF Serving reads.
        columns = {name: values.tolist() for name, values in inputs.items()}
        body = json.dumps({"signature_name": signature, "inputs": columns}, separators=(",", ":"))
        answer = self._ask("POST", f"/versions/{version}:predict", body.encode(), version, deadline)
        try:
            outputs = answer["outputs"]
            named = outputs if isinstance(outputs, dict) else {ONLY_OUTPUT: outputs}
            return {name: np.array(values) for name, values in named.items()}
        except (KeyError, TypeError, ValueError) as error:
            raise self._strange("its answer holds no outputs") from error

    def close(self) -> None:
        """Close the connections."""
        for session in list(self._sessions):
            session.close()

    def _session(self) -> requests.Session:
        if not hasattr(self._of_thread, "session"):
            session = requests.Session()
            for scheme in ("http://", "https://"):
                session.mount(scheme, WholeTimeAdapter())
            self._of_thread.session = session
            self._sessions.add(session)
        return self._of_thread.session

    def _ask(
        self, method: str, path: str, body: bytes | None, version: int | str | None, deadline: Deadline
    ) -> Any:
        """Send a request and read the answer's JSON."""
        left = deadline.left()
        if not left:
            raise timed_out(self._address, deadline)
        try:
            with self._session().request(
                method,
                self._model + path,
                data=body,
                headers={"Content-Type": "application/json"},
                timeout=urllib3.Timeout(total=left),  # type: ignore[arg-type]
                stream=True,
                allow_redirects=False,
            ) as response:
                content = self._content(response)
        except (requests.Timeout, urllib3.exceptions.TimeoutError) as error:
            raise timed_out(self._address, deadline) from error
        except (requests.exceptions.SSLError, urllib3.exceptions.SSLError) as error:
            raise ServerUnavailable(
                f"No trusted connection to the model server at {self._address.shown} ({_cause(error)}): "
                "check its certificate, or use http:// if it has none."
            ) from error
        except (requests.ConnectionError, urllib3.exceptions.HTTPError) as error:
            raise refused(self._address, _cause(error)) from error
        except requests.RequestException as error:  # what requests itself will not send
            raise UserError(f"{self._address.shown} cannot be asked ({reason(error)}).") from error
        return self._judge(response, content, version, deadline)

    def _content(self, response: requests.Response) -> bytes:
        """Read the body, unless it is larger than any answer to this client."""
        content = bytearray()
        while piece := response.raw.read1(PIECE, decode_content=True):
            content += piece
            if len(content) > ANSWER_BYTES:
                raise self._strange(f"its answer is larger than {ANSWER_BYTES} bytes")
        return bytes(content)

    def _judge(
        self, response: requests.Response, content: bytes, version: int | str | None, deadline: Deadline
    ) -> Any:
        """Give the answer, or raise what its status means."""
        status = response.status_code
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError):
            answer = None
        error = answer.get("error") if isinstance(answer, dict) else None
        if status in (502, 503):  # a proxy says 502 where it finds no server behind it
            raise refused(self._address, f"status {status}: {error or response.reason}")
        if status == 504:
            raise timed_out(self._address, deadline)
        if status == 413:
            raise UserError(
                f"The request is too large for the model server at {self._address.shown}: send fewer rows at a "
                "time."
            )
        if status == 200 and isinstance(answer, dict):
            return answer
        if not isinstance(error, str):
            kind = response.headers.get("Content-Type", "no type")
            raise self._strange(f"status {status}, {kind}")
        if status == 404:
            raise not_served(self._address, self._model_name, version, error)
        if status == 400:
            raise UserError(error)
        raise UserError(f"The model server at {self._address.shown} failed (status {status}: {error}).")

    def _strange(self, why: str) -> UserError:
        return UserError(
            f"{self._address.shown} answers, but not as TensorFlow Serving's REST interface does ({why}): "
            "check the host and the port."
        )


def _cause(error: Exception) -> str:
    """Find what happened below the layers that `requests` and `urllib3` put around it."""
    below = error.args[0] if error.args else error
    found = getattr(below, "reason", below)  # after the attempts to connect
    return reason(Exception(str(found).rpartition("): ")[2]))
