"""Messages of gRPC that are almost right."""

import random
from collections.abc import Mapping
from typing import Any

import tensorflow as tf
from google.protobuf import message
from tensorflow_serving.apis import get_model_metadata_pb2, predict_pb2

from fuzzing.almost.inputs import draw_inputs, drawn_signature
from tffs.serving.server.signature import Signature

_SIZES = (-(2**63), -1, 0, 1, 2, 3, 6, 10**9, 2**31, 2**32, 2**63 - 1)
_FIELDS = (
    "float_val",
    "double_val",
    "int_val",
    "int64_val",
    "bool_val",
    "string_val",
    "half_val",
    "uint64_val",
)
_CHANGES = ("dtype", "dim", "rank", "more", "content", "values", "field", "name", "version", "filter", "drop")


def predict_message(source: random.Random, signatures: Mapping[str, Signature]) -> Any:
    """Draw a PredictRequest for one of the signatures."""
    signature = drawn_signature(source, signatures)
    request = predict_pb2.PredictRequest()
    request.model_spec.name = "tffs"
    request.model_spec.signature_name = signature.name
    for name, array in draw_inputs(source, signature).items():
        proto = request.inputs[name]
        proto.CopyFrom(tf.make_tensor_proto(array))
        if source.random() < 0.3 and proto.tensor_content:
            proto.tensor_content = b""
            getattr(proto, _field_of(proto.dtype)).extend(array.ravel().tolist())
    if source.random() < 0.3:
        _change(source, request)
    return request


def metadata_message(source: random.Random) -> bytes:
    """Draw a message of one of the other methods, which begin alike."""
    request = get_model_metadata_pb2.GetModelMetadataRequest()
    if source.random() < 0.9:
        request.model_spec.name = source.choice(("tffs", "tffs", "x", "", "\u001b[2J"))
    if source.random() < 0.3:
        request.model_spec.version.value = source.choice(_SIZES)
    if source.random() < 0.7:
        request.metadata_field.append(source.choice(("signature_def", "signature_def", "x\n")))
    return request.SerializeToString()


def changed_message(source: random.Random, content: bytes) -> bytes | None:
    """Change one field of a PredictRequest; None for what is none."""
    try:
        request = predict_pb2.PredictRequest.FromString(content)
    except message.DecodeError:
        return None
    _change(source, request)
    return request.SerializeToString()


def _change(source: random.Random, request: Any) -> None:
    change = source.choice(_CHANGES)
    if change == "name":
        request.model_spec.name = source.choice(("", "x", "tffs", "\u0000", "y" * 2000))
        request.model_spec.signature_name = source.choice(
            ("", "x", "select", "rank", "reconstruct", "z\n" * 200)
        )
    elif change == "version":
        request.model_spec.version.value = source.choice(_SIZES)
        if source.random() < 0.3:
            request.model_spec.version_label = "stable\n"
    elif change == "filter":
        request.output_filter.extend(source.choices(("names", "scores", "error", "indices", "x\x1b", ""), k=2))
    elif request.inputs:
        name = source.choice(sorted(request.inputs))
        if change == "drop":
            del request.inputs[name]
        else:
            _change_tensor(source, request.inputs[name], change)


def _change_tensor(source: random.Random, proto: Any, change: str) -> None:
    if change == "dtype":
        proto.dtype = source.randint(-1, 130)
    elif change == "dim" and proto.tensor_shape.dim:
        source.choice(proto.tensor_shape.dim).size = source.choice(_SIZES)
    elif change == "rank":
        proto.tensor_shape.unknown_rank = True
    elif change == "more":
        for _ in range(source.choice((1, 1, 2, 300))):
            proto.tensor_shape.dim.add().size = source.choice(_SIZES)
    elif change == "content":
        proto.tensor_content = proto.tensor_content[: source.randint(0, 40)] + b"\xff" * source.randint(0, 9)
    elif change == "values":
        proto.tensor_content = b""
        proto.float_val.extend([1.0] * source.randint(0, 30))
    else:
        field = source.choice(_FIELDS)
        getattr(proto, field).append(b"x" if field == "string_val" else 1)


def _field_of(dtype: int) -> str:
    return {tf.float32: "float_val", tf.int32: "int_val", tf.bool: "bool_val", tf.string: "string_val"}[
        tf.as_dtype(dtype)
    ]
