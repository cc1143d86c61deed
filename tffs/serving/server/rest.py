"""TF Serving's REST API: predict, status and metadata under /v1/models."""

import asyncio
import json
import re
import urllib.parse

from aiohttp import web
from aiohttp.web_request import BaseRequest
from google.protobuf import json_format
from grpc import StatusCode
from tensorflow_serving.apis import get_model_metadata_pb2

from tffs.serving.contract import LARGEST_VERSION
from tffs.serving.server.budget import Budget
from tffs.serving.server.json_answers import predictions_json
from tffs.serving.server.json_requests import parse_body, read_inputs
from tffs.serving.server.model import Model
from tffs.serving.server.page import Page
from tffs.serving.server.refusal import Refusal, internal, invalid, shown
from tffs.serving.server.rest_body import received_body
from tffs.serving.server.seldom_log import SeldomLog

_MODEL = r"(?i:/v1/models/(?P<name>[^/:]+)(?:/versions/(?P<version>\d+)|/labels/(?P<label>[^/:]+))?"
_POST = re.compile(_MODEL + r":(?P<method>classify|regress|predict))", re.ASCII)
_GET = re.compile(_MODEL + r"(?P<metadata>/metadata)?)", re.ASCII)
_API = re.compile(r"(?i:/v1/.*)", re.DOTALL)
# From here on JSON is read and written in a thread. Other clients are served between its steps, of which the
# longest are the parser's and the writer's own: `Limits` keeps each well below a second or two.
LARGE_BYTES = 64 * 1024
LARGE_VALUES = 8192


class RestApi:
    """Answers HTTP requests.

    Args:
        model: the one that is served.
        budget: of all requests.
        log: takes a line for each kind of unexpected exception.
        page: what people see at `/`; None for nothing.
    """

    def __init__(self, model: Model, budget: Budget, log: SeldomLog, page: Page | None) -> None:
        self._model = model
        self._budget = budget
        self._log = log
        self._page = page

    async def answer(self, request: BaseRequest) -> web.Response:
        """Answer any request; what fails becomes {"error": "..."} with TF Serving's status."""
        if self._page and request.rel_url.raw_path == "/" and request.method in ("GET", "HEAD"):
            return self._page.response()
        try:
            return _json_response(await self._body_of_answer(request))
        except Refusal as refusal:
            return refused(refusal)
        except ConnectionError:  # the client has gone
            raise
        except Exception as error:
            return refused(internal(error, self._log))

    async def _body_of_answer(self, request: BaseRequest) -> bytes:
        path = request.rel_url.raw_path
        if _API.fullmatch(path) is None:
            raise Refusal(StatusCode.NOT_FOUND, "Not Found: the API is under /v1/models.")
        pattern = {"POST": _POST, "GET": _GET}.get(request.method)
        match = pattern.fullmatch(path) if pattern else None
        if match is None:
            raise invalid(f"Malformed request: {shown(request.method)} {shown(path)}")
        name = urllib.parse.unquote(match["name"])
        if match["label"]:
            raise invalid(f"Unrecognized servable version label: {shown(urllib.parse.unquote(match['label']))}")
        number = None
        if match["version"]:
            if len(match["version"]) > 19 or int(match["version"]) > LARGEST_VERSION:
                raise invalid(f"Failed to convert version: {shown(match['version'])} to numeric.")
            number = int(match["version"])
        if pattern is _GET:
            if match["metadata"]:
                return self._metadata(name, number)
            return _proto_json(self._model.status(name, number))
        if match["method"].lower() != "predict":
            raise Refusal(StatusCode.UNIMPLEMENTED, "This server has :predict only, no :classify or :regress.")
        with self._model.gate:
            async with received_body(request, self._model.limits, self._budget) as body:
                return await self._predict(name, number, body)

    async def _predict(self, name: str, number: int | None, body: bytes) -> bytes:
        limits = self._model.limits
        large = len(body) > LARGE_BYTES
        document = await asyncio.to_thread(parse_body, body, limits) if large else parse_body(body, limits)
        _, _, outputs = await self._model.predict(
            name,
            number,
            document.get("signature_name", ""),
            lambda signature: read_inputs(document, signature, limits.request_rows),
            large,
            _unknown_signature,
        )
        row_format = "instances" in document
        if sum(array.size for array in outputs.values()) > LARGE_VALUES:
            return await asyncio.to_thread(predictions_json, outputs, row_format)
        return predictions_json(outputs, row_format)

    def _metadata(self, name: str, number: int | None) -> bytes:
        response = self._model.metadata(name, number)
        signatures = get_model_metadata_pb2.SignatureDefMap()
        response.metadata["signature_def"].Unpack(signatures)
        # TF Serving puts the two together like this; an Any as JSON would have its type in it.
        return b'{"model_spec": %s, "metadata": {"signature_def": %s}}' % (
            _proto_json(response.model_spec),
            _proto_json(signatures),
        )


def refused(refusal: Refusal) -> web.Response:
    """Make the HTTP response of a refusal; past a body that was not read the connection is of no use."""
    response = _json_response(json.dumps({"error": str(refusal)}).encode(), refusal.http_status)
    if refusal.http_status in (408, 413):
        response.force_close()
    return response


def _json_response(body: bytes, status: int = 200) -> web.Response:
    return web.Response(body=body, status=status, content_type="application/json")


def _unknown_signature(name: str) -> Refusal:
    return invalid(f'Serving signature name: "{name}" not found in signature def')


def _proto_json(message: object) -> bytes:
    return json_format.MessageToJson(
        message, always_print_fields_with_no_presence=True, preserving_proto_field_name=True
    ).encode()
