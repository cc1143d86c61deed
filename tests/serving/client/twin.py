"""A stand-in for TensorFlow Serving proper, over both protocols, whose answers and faults a test decides."""

import contextlib
import dataclasses
import json
import threading
from collections.abc import Callable
from concurrent import futures
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import grpc
import numpy as np
import tensorflow as tf
from tensorflow_serving.apis import predict_pb2, prediction_service_pb2_grpc
from tensorflow_serving.apis.get_model_metadata_pb2 import GetModelMetadataResponse

CODES = {
    400: "INVALID_ARGUMENT",
    404: "NOT_FOUND",
    413: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}


@dataclasses.dataclass
class Model:
    """A version: it selects the same features for every task, and 'reconstructs' nothing but them."""

    names: tuple[str, ...] = ("a", "b", "c", "d")
    chosen: tuple[int, ...] = (2, 0)
    support_sizes: tuple[int, ...] = (2,)
    missing: str = "error"
    classes: tuple[str, ...] | None = None
    error: str = ""

    def describe(self, version: int) -> str:
        description = {
            "format": 1,
            "feature_names": self.names,
            "num_features": len(self.names),
            "num_selected": len(self.chosen),
            "support_size": max(self.support_sizes),
            "support_sizes": self.support_sizes,
            "scaling": "none",
            "missing": self.missing,
            "source_low": None,
            "source_high": None,
            "loss": "reconstruction" if self.classes is None else "cross_entropy",
            "classes": self.classes,
            "version": version,
            "training": None,
        }
        return json.dumps(description)

    def outputs(self, signature: str, inputs: dict[str, np.ndarray], version: int) -> dict[str, np.ndarray]:
        if signature == "describe":
            return {"description": np.array([self.describe(version)])}
        if signature in ("select", "select_masked"):
            outputs = {
                "indices": np.array([self.chosen], np.int32),
                "names": np.array([[self.names[i] for i in self.chosen]]),
                "scores": inputs["support"][:, 0, : len(self.chosen)],
                "distinct": np.array([len(set(self.chosen))], np.int32),
            }
        elif signature == "reconstruct":
            rows = np.zeros((1, inputs["values"].shape[1], len(self.names)), np.float32)
            rows[:, :, list(self.chosen)] = inputs["values"]
            outputs = {"reconstruction": rows}
        else:
            first = inputs["values"][:, :, :1]
            outputs = {"probabilities": np.concatenate([first, 1 - first], axis=2)}
        return outputs | {"error": np.array([self.error])}


class Fault(Exception):
    """A status to answer with; 0 to close the connection without an answer."""

    def __init__(self, status: int, text: str = "no") -> None:
        super().__init__(status, text)
        self.status, self.text = status, text


class Twin:
    """The models that are served, the requests that came, and what goes wrong."""

    def __init__(self) -> None:
        self.versions: dict[int, Model] = {1: Model()}
        self.labels: dict[str, int] = {}
        self.connections = 0
        self.requests: list[str] = []  # signatures, and `metadata`
        self.inputs: dict[str, np.ndarray] = {}  # of the last request
        self.faults: list[Fault] = []  # for the next requests
        self.before: Callable[[str], None] = lambda signature: None
        self.released = threading.Event()

    def hang(self, signature: str) -> None:
        """Give no answer until the test is over."""
        self.released.wait()

    def served_version(self, name: str, label: str) -> int:
        self._begin("metadata")
        if label and label not in self.labels:
            raise Fault(400, f"Unrecognized servable version label: {label}")
        if name != "tffs":
            raise Fault(404, f"Servable not found for request: Latest({name})")
        return self.labels[label] if label else max(self.versions)

    def predict(self, signature: str, inputs: dict[str, np.ndarray], version: int) -> dict[str, np.ndarray]:
        self.inputs = inputs
        self._begin(signature)
        if version not in self.versions:
            raise Fault(404, f"Servable not found for request: Specific(tffs, {version})")
        return self.versions[version].outputs(signature, inputs, version)

    def _begin(self, signature: str) -> None:
        self.requests.append(signature)
        self.before(signature)
        if self.faults:
            raise self.faults.pop(0)


class _HttpServer(ThreadingHTTPServer):
    request_queue_size = 64  # the usual 5 let a sixth connection at once wait for a second


@contextlib.contextmanager
def http_server(handler: type[BaseHTTPRequestHandler]):
    """Run a real HTTP server for the time of a test; give its port."""
    server = _HttpServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Quiet(BaseHTTPRequestHandler):
    """What every handler of the tests has: keep-alive, a bound on idle connections and no log."""

    protocol_version = "HTTP/1.1"
    timeout = 5
    disable_nagle_algorithm = True  # an answer goes in two pieces, and the second would wait for 40 ms

    def log_message(self, *_) -> None:
        """Say nothing."""

    def send(
        self, status: int, content: bytes, kind: str = "application/json", length: int | None = None
    ) -> None:
        """Answer; `length` is what is promised."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content) if length is None else length))
        self.end_headers()
        self.wfile.write(content)


@contextlib.contextmanager
def rest(twin: Twin):
    """Serve the twin over REST as TensorFlow Serving does; give the address."""

    class Handler(Quiet):
        def setup(self) -> None:
            twin.connections += 1
            super().setup()

        def do_GET(self) -> None:
            _, _, _, name, *more = self.path.split("/")
            label = more[1] if more[0] == "labels" else ""
            self.answer(
                lambda: {"model_spec": {"name": name, "version": str(twin.served_version(name, label))}}
            )

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            version = int(self.path.rpartition("/")[2].partition(":")[0])
            inputs = {name: np.array(values, np.float32) for name, values in body["inputs"].items()}

            def predict():
                outputs = twin.predict(body["signature_name"], inputs, version)
                listed = {name: values.tolist() for name, values in outputs.items()}
                return {"outputs": listed if len(listed) > 1 else next(iter(listed.values()))}

            self.answer(predict)

        def answer(self, make) -> None:
            try:
                self.send(200, json.dumps(make()).encode())
            except Fault as fault:
                if fault.status:
                    self.send(fault.status, json.dumps({"error": fault.text}).encode())
                else:
                    self.close_connection = True

    with http_server(Handler) as port:
        yield f"http://127.0.0.1:{port}"


@contextlib.contextmanager
def over_grpc(twin: Twin):
    """Serve the twin over gRPC; give the address."""

    class Servicer(prediction_service_pb2_grpc.PredictionServiceServicer):
        def GetModelMetadata(self, request, context):  # noqa: N802
            spec = request.model_spec
            version = answered(context, lambda: twin.served_version(spec.name, spec.version_label))
            response = GetModelMetadataResponse()
            response.model_spec.version.value = version
            return response

        def Predict(self, request, context):  # noqa: N802
            inputs = {name: tf.make_ndarray(tensor) for name, tensor in request.inputs.items()}
            spec = request.model_spec
            outputs = answered(context, lambda: twin.predict(spec.signature_name, inputs, spec.version.value))
            response = predict_pb2.PredictResponse()
            for name, values in outputs.items():
                response.outputs[name].CopyFrom(tf.make_tensor_proto(values))
            return response

    def answered(context, make):
        try:
            return make()
        except Fault as fault:
            return context.abort(grpc.StatusCode[CODES[fault.status]], fault.text)

    server = grpc.server(futures.ThreadPoolExecutor(4))
    prediction_service_pb2_grpc.add_PredictionServiceServicer_to_server(Servicer(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(0).wait()
