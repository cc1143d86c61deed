import grpc
import numpy as np
import pytest
import tensorflow as tf
from grpc import StatusCode
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tensorflow_serving.apis import (
    classification_pb2,
    get_model_metadata_pb2,
    get_model_status_pb2,
    model_management_pb2,
)

from tests.serving.server.running_server import PATIENCE, predict_request

SIGNATURES = ("select", "select_masked", "select_examples", "reconstruct", "describe")


def test_predict_answers_as_the_model_does(served, loaded, rng):
    support = rng.random((3, 2, 6), dtype=np.float32)
    response = served.predict("select", support=support)
    assert response.model_spec.name == "tffs"
    assert (response.model_spec.version.value, response.model_spec.signature_name) == (1, "select")
    expected = loaded.run(loaded.signatures["select"], {"support": support})
    assert response.outputs.keys() == expected.keys()
    for name, array in expected.items():
        came = tf.make_ndarray(response.outputs[name])
        assert came.shape == array.shape
        if array.dtype == np.float32:
            np.testing.assert_allclose(came, array, rtol=1e-5)
        else:
            np.testing.assert_array_equal(came, array)
    # TF Serving fills the fields, which many clients read without TensorFlow.
    np.testing.assert_allclose(response.outputs["scores"].float_val, expected["scores"].ravel(), rtol=1e-5)
    assert list(response.outputs["indices"].int_val) == expected["indices"].ravel().tolist()
    assert list(response.outputs["names"].string_val) == expected["names"].ravel().tolist()


def test_values_may_come_in_fields_instead_of_content(served, loaded, support):
    request = predict_request()
    proto = request.inputs["support"]
    proto.CopyFrom(tf.make_tensor_proto(support))
    proto.tensor_content = b""
    proto.float_val.extend(support.ravel())
    expected = loaded.run(loaded.signatures["select"], {"support": support})["indices"]
    response = served.stub.Predict(request, timeout=PATIENCE)
    assert response.model_spec.signature_name == "serving_default"
    np.testing.assert_array_equal(tf.make_ndarray(response.outputs["indices"]), expected)


def test_output_filter_is_respected(served, support):
    request = predict_request(support=support)
    request.output_filter.extend(["names", "scores"])
    assert served.stub.Predict(request, timeout=PATIENCE).outputs.keys() == {"names", "scores"}
    request.output_filter.append("names")
    code, sentence = served.refusal(lambda: served.stub.Predict(request, timeout=PATIENCE))
    assert (code, sentence) == (StatusCode.INVALID_ARGUMENT, "duplicate output tensor alias: names")
    request.output_filter[:] = ["other"]
    code, sentence = served.refusal(lambda: served.stub.Predict(request, timeout=PATIENCE))
    assert code == StatusCode.INVALID_ARGUMENT
    assert "output tensor alias not found in signature: other" in sentence


@pytest.mark.parametrize(
    "method",
    [
        "tensorflow.serving.PredictionService/Predict",
        "tensorflow.serving.PredictionService/GetModelMetadata",
        "tensorflow.serving.PredictionService/Classify",
        "tensorflow.serving.ModelService/GetModelStatus",
        "grpc.health.v1.Health/Check",
    ],
)
def test_bytes_that_are_no_message_are_refused_in_a_sentence(served, support, caplog, capfd, method):
    call = served.channel.unary_unary(f"/{method}")
    for content in (b"\xff", b"\x0a\xff\xff\xff\xff\x0f", b"\x0a\x05ab", bytes(range(256))):
        code, sentence = served.refusal(lambda content=content: call(content, timeout=PATIENCE))
        assert code == StatusCode.INVALID_ARGUMENT
        assert sentence.startswith("The bytes that were received are not a ")
    assert len(served.predict(support=support).outputs) == 5
    assert "Traceback" not in capfd.readouterr().err + caplog.text


def test_a_filter_does_not_hide_a_bad_task(served, support):
    request = predict_request(support=np.full_like(support, np.nan))
    request.output_filter.append("names")
    code, sentence = served.refusal(lambda: served.stub.Predict(request, timeout=PATIENCE))
    assert (code, "must be finite" in sentence) == (StatusCode.INVALID_ARGUMENT, True)


def change(request, alter):
    alter(request)
    return request


@pytest.mark.parametrize(
    ("alter", "code", "words"),
    [
        (lambda r: r.ClearField("model_spec"), "INVALID_ARGUMENT", "ModelSpec has no name specified"),
        (lambda r: setattr(r.model_spec, "name", "other"), "NOT_FOUND", "request: Latest(other)"),
        (lambda r: setattr(r.model_spec.version, "value", 9), "NOT_FOUND", "request: Specific(tffs, 9)"),
        (lambda r: setattr(r.model_spec, "version_label", "canary"), "INVALID_ARGUMENT", "label: canary"),
        (
            lambda r: setattr(r.model_spec, "signature_name", "nothing"),
            "FAILED_PRECONDITION",
            'Serving signature key "nothing" not found.',
        ),
        (lambda r: r.inputs.pop("support"), "INVALID_ARGUMENT", "Missing but required: {support}"),
        (lambda r: r.inputs["more"], "INVALID_ARGUMENT", "Sent extra: {more}"),
        (lambda r: r.inputs["support"].Clear(), "INVALID_ARGUMENT", "takes float32, but received type 0"),
        (
            lambda r: r.inputs["support"].CopyFrom(tf.make_tensor_proto(np.zeros((1, 2, 6)))),
            "INVALID_ARGUMENT",
            "takes float32, but received float64",
        ),
        (
            lambda r: r.inputs["support"].CopyFrom(tf.make_tensor_proto([[["a"] * 6] * 2])),
            "INVALID_ARGUMENT",
            "takes float32, but received string",
        ),
        (
            lambda r: r.inputs["support"].CopyFrom(tf.make_tensor_proto(np.zeros((1, 2, 5), np.float32))),
            "INVALID_ARGUMENT",
            "takes the shape [any, 2, 6], but received [1, 2, 5]",
        ),
        (
            lambda r: r.inputs["support"].CopyFrom(tf.make_tensor_proto(np.zeros((0, 2, 6), np.float32))),
            "INVALID_ARGUMENT",
            "is empty, of shape [0, 2, 6]: send at least one task",
        ),
        (
            lambda r: setattr(r.inputs["support"], "tensor_content", b"1234"),
            "INVALID_ARGUMENT",
            "declares the shape [1, 2, 6], but received 4 bytes",
        ),
        (
            lambda r: setattr(r.inputs["support"].tensor_shape.dim[0], "size", -1),
            "INVALID_ARGUMENT",
            "with its whole shape",
        ),
        (
            lambda r: setattr(r.inputs["support"].tensor_shape, "unknown_rank", True),
            "INVALID_ARGUMENT",
            "with its whole shape",
        ),
    ],
)
def test_bad_request_has_the_status_of_tf_serving(served, support, alter, code, words):
    request = change(predict_request(support=support), alter)
    came, sentence = served.refusal(lambda: served.stub.Predict(request, timeout=PATIENCE))
    assert (came, words in sentence) == (StatusCode[code], True), sentence


def test_a_small_message_cannot_ask_for_a_huge_tensor(served):
    request = predict_request("describe", request=np.zeros(1, np.int32))
    proto = request.inputs["request"]
    proto.tensor_shape.dim[0].size = 400
    code, sentence = served.refusal(lambda: served.stub.Predict(request, timeout=PATIENCE))
    assert (code, "the shape [400], but received 1 values" in sentence) == (StatusCode.INVALID_ARGUMENT, True)
    proto.tensor_shape.dim[0].size = 10**12
    code, sentence = served.refusal(lambda: served.stub.Predict(request, timeout=PATIENCE))
    assert (code, "a request may hold 500" in sentence) == (StatusCode.INVALID_ARGUMENT, True)


def test_message_over_the_limit_is_refused(served):
    request = predict_request(support=np.zeros((10_000, 2, 6), np.float32))
    code, _ = served.refusal(lambda: served.stub.Predict(request, timeout=PATIENCE))
    assert code == StatusCode.RESOURCE_EXHAUSTED


def test_metadata_and_status_are_told(served):
    request = get_model_metadata_pb2.GetModelMetadataRequest(metadata_field=["signature_def"])
    request.model_spec.name = "tffs"
    response = served.stub.GetModelMetadata(request, timeout=PATIENCE)
    assert (response.model_spec.name, response.model_spec.version.value) == ("tffs", 1)
    signatures = get_model_metadata_pb2.SignatureDefMap()
    assert response.metadata["signature_def"].Unpack(signatures)
    assert {*SIGNATURES, "serving_default"} <= set(signatures.signature_def)
    request.metadata_field[:] = ["weights"]
    code, sentence = served.refusal(lambda: served.stub.GetModelMetadata(request, timeout=PATIENCE))
    assert (code, sentence) == (StatusCode.INVALID_ARGUMENT, "Metadata field weights is not supported")
    status = get_model_status_pb2.GetModelStatusRequest()
    code, sentence = served.refusal(lambda: served.models.GetModelStatus(status, timeout=PATIENCE))
    assert (code, sentence) == (StatusCode.INVALID_ARGUMENT, "Missing ModelSpec")
    status.model_spec.name = "tffs"
    (entry,) = served.models.GetModelStatus(status, timeout=PATIENCE).model_version_status
    assert (entry.version, entry.state) == (1, get_model_status_pb2.ModelVersionStatus.AVAILABLE)


def test_what_is_not_offered_is_unimplemented(served):
    request = classification_pb2.ClassificationRequest()
    for call in (
        lambda: served.stub.Classify(request, timeout=PATIENCE),
        lambda: served.models.HandleReloadConfigRequest(
            model_management_pb2.ReloadConfigRequest(), timeout=PATIENCE
        ),
    ):
        assert served.refusal(call)[0] == StatusCode.UNIMPLEMENTED


def test_health_is_told(served):
    stub = health_pb2_grpc.HealthStub(served.channel)
    for service in ("", "tensorflow.serving.PredictionService"):
        answer = stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=PATIENCE)
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
    with pytest.raises(grpc.RpcError, match="NOT_FOUND"):
        stub.Check(health_pb2.HealthCheckRequest(service="other"), timeout=PATIENCE)
