"""Ask a model server over gRPC, with TensorFlow Serving's own stubs; importing this imports TensorFlow."""

from collections.abc import Callable
from typing import Any

import grpc
import tensorflow as tf
from tensorflow_serving.apis import (
    get_model_metadata_pb2,
    model_pb2,
    predict_pb2,
    prediction_service_pb2_grpc,
)

from tffs.errors import UserError, reason
from tffs.serving.client.address import Address
from tffs.serving.client.deadline import Deadline
from tffs.serving.client.transport import Arrays, not_served, refused, timed_out
from tffs.serving.model_version import with_text

OPTIONS = (
    ("grpc.max_receive_message_length", -1),  # a reconstruction is as large as its rows
    # A channel that failed tries again as soon as the client does, not after its usual second.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
)


class GrpcTransport:
    """One attempt at asking a model server over gRPC; may be shared by threads.

    Args:
        address: of the server.
        model_name: what the server calls the model.
    """

    def __init__(self, address: Address, model_name: str) -> None:
        self._address = address
        self._model_name = model_name
        if address.secure:
            credentials = grpc.ssl_channel_credentials()
            self._channel = grpc.secure_channel(address.target, credentials, OPTIONS)
        else:
            self._channel = grpc.insecure_channel(address.target, OPTIONS)
        self._stub = prediction_service_pb2_grpc.PredictionServiceStub(self._channel)

    def served_version(self, label: str | None, deadline: Deadline) -> int:
        """Ask which version answers now: the newest, or the one with a label."""
        spec = model_pb2.ModelSpec(name=self._model_name)
        if label is not None:
            spec.version_label = label
        request = get_model_metadata_pb2.GetModelMetadataRequest(
            model_spec=spec, metadata_field=["signature_def"]
        )
        return self._ask(self._stub.GetModelMetadata, request, label, deadline).model_spec.version.value

    def predict(self, signature: str, inputs: Arrays, version: int, deadline: Deadline) -> Arrays:
        """Ask one version; strings come back as str."""
        request = predict_pb2.PredictRequest()
        request.model_spec.name = self._model_name
        request.model_spec.version.value = version
        request.model_spec.signature_name = signature
        for name, values in inputs.items():
            request.inputs[name].CopyFrom(tf.make_tensor_proto(values))
        answer = self._ask(self._stub.Predict, request, version, deadline)
        return {name: with_text(tf.make_ndarray(tensor)) for name, tensor in answer.outputs.items()}

    def close(self) -> None:
        """Close the connections."""
        self._channel.close()

    def _ask(
        self, method: Callable[..., Any], request: Any, version: int | str | None, deadline: Deadline
    ) -> Any:
        """Send a request, or raise what its status means."""
        try:
            return method(request, timeout=deadline.left())
        except grpc.RpcError as error:
            code, details = error.code(), error.details() or ""
            if code == grpc.StatusCode.UNAVAILABLE:
                raise refused(self._address, reason(Exception(details))) from error
            if code == grpc.StatusCode.DEADLINE_EXCEEDED:
                raise timed_out(self._address, deadline) from error
            if code == grpc.StatusCode.NOT_FOUND:
                raise not_served(self._address, self._model_name, version, details) from error
            if code == grpc.StatusCode.INVALID_ARGUMENT:
                raise UserError(details) from error
            if code == grpc.StatusCode.RESOURCE_EXHAUSTED:
                raise UserError(
                    f"The request of {request.ByteSize()} bytes is too much for the model server at "
                    f"{self._address.shown} ({details}): send fewer rows at a time."
                ) from error
            if code == grpc.StatusCode.UNIMPLEMENTED:
                raise UserError(
                    f"{self._address.shown} speaks gRPC, but it is not TensorFlow Serving ({details}): "
                    "check the host and the port."
                ) from error
            raise UserError(
                f"The model server at {self._address.shown} failed ({code.name}: {details})."
            ) from error
