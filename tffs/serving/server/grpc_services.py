"""TF Serving's gRPC services on its own stubs: Predict, GetModelMetadata, GetModelStatus."""

import functools
from collections.abc import Mapping
from typing import Any, NoReturn

import grpc
import numpy as np
from grpc import StatusCode
from tensorflow_serving.apis import (
    model_service_pb2_grpc,
    predict_pb2,
    prediction_service_pb2_grpc,
)

from tffs.serving.server.model import Model
from tffs.serving.server.refusal import Refusal, invalid, shown
from tffs.serving.server.signature import Signature
from tffs.serving.server.tensor_protos import array_of, fill_proto

# From here on reading the inputs would hold up other clients, and happens in a thread.
LARGE_BYTES = 2**20


class PredictionService(prediction_service_pb2_grpc.PredictionServiceServicer):
    """Answers Predict and GetModelMetadata.

    Args:
        model: the one that is served.
    """

    def __init__(self, model: Model) -> None:
        self._model = model

    async def Predict(self, request: Any, context: grpc.aio.ServicerContext) -> Any:  # noqa: N802
        """Run a signature."""
        with self._model.gate:
            return await self._predict(request)

    async def GetModelMetadata(self, request: Any, context: grpc.aio.ServicerContext) -> Any:  # noqa: N802
        """Give the signatures."""
        _check_given(request)
        if not request.metadata_field:
            raise invalid("GetModelMetadataRequest must specify at least one metadata_field")
        for field in request.metadata_field:
            if field != "signature_def":
                raise invalid(f"Metadata field {shown(field)} is not supported")
        return self._model.metadata(request.model_spec.name, _version_of(request.model_spec))

    async def _refuse(self, request: Any, context: grpc.aio.ServicerContext) -> NoReturn:
        raise _unimplemented()

    Classify = Regress = MultiInference = _refuse

    async def _predict(self, request: Any) -> Any:
        spec = request.model_spec
        version, signature, outputs = await self._model.predict(
            spec.name,
            _version_of(spec),
            spec.signature_name,
            functools.partial(self._inputs, request),
            request.ByteSize() > LARGE_BYTES,
            _unknown_signature,
        )
        response = predict_pb2.PredictResponse()
        response.model_spec.name = spec.name
        response.model_spec.version.value = version.number
        response.model_spec.signature_name = signature.name
        for name in request.output_filter or outputs:
            fill_proto(response.outputs[name], outputs[name])
        return response

    def _inputs(self, request: Any, signature: Signature) -> Mapping[str, np.ndarray]:
        _check_filter(request.output_filter, signature)
        signature.check_names(request.inputs.keys())
        most_rows = self._model.limits.request_rows
        return {
            name: array_of(request.inputs[name], spec, most_rows) for name, spec in signature.inputs.items()
        }


class ModelService(model_service_pb2_grpc.ModelServiceServicer):
    """Answers GetModelStatus.

    Args:
        model: the one that is served.
    """

    def __init__(self, model: Model) -> None:
        self._model = model

    async def GetModelStatus(self, request: Any, context: grpc.aio.ServicerContext) -> Any:  # noqa: N802
        """Tell the state of the versions."""
        _check_given(request)
        return self._model.status(request.model_spec.name, _version_of(request.model_spec))

    async def HandleReloadConfigRequest(  # noqa: N802
        self, request: Any, context: grpc.aio.ServicerContext
    ) -> NoReturn:
        """Refuse: one model, given at the start, is served."""
        raise _unimplemented()


def _unimplemented() -> Refusal:
    return Refusal(
        StatusCode.UNIMPLEMENTED, "This server answers Predict, GetModelMetadata and GetModelStatus only."
    )


def _check_given(request: Any) -> None:
    if not request.HasField("model_spec"):
        raise invalid("Missing ModelSpec")


def _version_of(spec: Any) -> int | None:
    choice = spec.WhichOneof("version_choice")
    if choice == "version_label":
        raise invalid(f"Unrecognized servable version label: {shown(spec.version_label)}")
    return spec.version.value if choice == "version" else None


def _check_filter(names: Any, signature: Signature) -> None:
    """Refuse a wish for outputs that the signature does not have, or for one of them twice."""
    for position, name in enumerate(names):
        if name not in signature.outputs:
            expected = ",".join(sorted(signature.outputs))
            raise invalid(
                f"output tensor alias not found in signature: {shown(name)} Outputs expected to be in the set "
                f"{{{expected}}}."
            )
        if name in names[:position]:
            raise invalid(f"duplicate output tensor alias: {name}")


def _unknown_signature(name: str) -> Refusal:
    return Refusal(StatusCode.FAILED_PRECONDITION, f'Serving signature key "{name}" not found.')
