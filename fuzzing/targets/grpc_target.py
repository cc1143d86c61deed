"""gRPC messages as bytes: answered as the model itself answers, or refused with a status and a sentence."""

import random

import grpc
import numpy as np
import tensorflow as tf
from google.protobuf import message_factory
from tensorflow_serving.apis import predict_pb2

from fuzzing.almost.messages import changed_message, metadata_message, predict_message
from fuzzing.broken import Broken
from fuzzing.case import Case
from fuzzing.files import Change
from fuzzing.in_process import SERVICES, InProcess
from fuzzing.oracles.model_answers import check_answer
from fuzzing.request_target import RequestTarget
from fuzzing.target import ACCEPTED, REFUSED, Outcome
from tffs.serving.contract import DEFAULT_SIGNATURE

PREDICT = "tensorflow.serving.PredictionService/Predict"
_ENDLESS = "grpc.health.v1.Health/Watch"  # its answers never end
_METHODS = {
    f"{service.full_name}/{method.name}": method
    for service in SERVICES
    for method in service.methods
    if f"{service.full_name}/{method.name}" != _ENDLESS
}
_CODES = {
    *(grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND),
    *(grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.UNAVAILABLE),
}
_HEALTH = "grpc.health.v1.Health/"  # of gRPC's own, which refuses without a word


class GrpcTarget(RequestTarget):
    """Calls the methods of the server."""

    words = (
        *(
            b"\x0a\x04tffs",
            b"support",
            b"values",
            b"support_size",
            b"select",
            b"reconstruct",
            b"signature_def",
            b"rank",
        ),
        *(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", b"\x12\x02\x08\x01", b"indices", b"scores"),
    )

    def __init__(self, models: dict[str, InProcess]) -> None:
        super().__init__(models)
        request = predict_pb2.PredictRequest()
        request.model_spec.name = "tffs"
        request.inputs["support"].CopyFrom(
            tf.make_tensor_proto([[[0.5, 1.0, -1.0, 0.25, 2.0, 0.0]] * 2], tf.float32)
        )
        self.good = Case("network", {"method": PREDICT}, request.SerializeToString(deterministic=True))

    def draw(self, source: random.Random) -> Case:
        """Draw a call."""
        kind = source.choice(self.kinds)
        if source.random() < 0.9:
            message = predict_message(source, self.models[kind].version.signatures)
            return Case(kind, {"method": PREDICT}, message.SerializeToString())
        return Case(kind, {"method": source.choice(sorted(_METHODS))}, metadata_message(source))

    def change(self, case: Case, source: random.Random, change: Change) -> Case:
        """Change a field of the message, or its bytes."""
        made = changed_message(source, case.content) if source.random() < 0.6 else None
        return Case(case.kind, case.asked, change(case.content) if made is None else made)

    def answer(self, case: Case) -> Outcome:
        """Call a method."""
        model, method = self.models[case.kind], case.asked.get("method", PREDICT)
        if method not in _METHODS:
            return Outcome("no case")
        model.log.clear()
        code, came = model.call(method, case.content)
        if model.log or code not in _CODES:
            raise Broken(f"{code} came, and the server says {model.log}")
        if isinstance(came, str):
            return Outcome(REFUSED, came or "no words" if method.startswith(_HEALTH) else came)
        response = message_factory.GetMessageClass(_METHODS[method].output_type).FromString(came)
        if method == PREDICT:
            self._check_prediction(model, case.content, response)
        return Outcome(ACCEPTED, str(response))

    def _check_prediction(
        self, model: InProcess, content: bytes, response: predict_pb2.PredictResponse
    ) -> None:
        request = predict_pb2.PredictRequest.FromString(content)
        signature = model.version.signatures[request.model_spec.signature_name or DEFAULT_SIGNATURE]
        inputs = {name: _plain(tf.make_ndarray(request.inputs[name])) for name in signature.inputs}
        came = {name: tf.make_ndarray(proto) for name, proto in response.outputs.items()}
        if request.output_filter:
            if came.keys() != set(request.output_filter):
                raise Broken(f"{sorted(came)} came, but {list(request.output_filter)} were asked for")
            expected = model.version.run(signature, inputs)
            came |= {name: expected[name] for name in expected if name not in came}
        check_answer(model.version, signature, inputs, came)


def _plain(array: np.ndarray) -> np.ndarray:
    """Give truth values as 0 and 1; `make_ndarray` leaves other bytes, which TensorFlow takes for either."""
    return array.view(np.uint8) != 0 if array.dtype == bool else array
