import base64
import json

import numpy as np
import pytest
import tensorflow as tf

from tests.serving.server.conftest import NAMES


def expected_rows(loaded, signature, **inputs):
    """What TF Serving would write for these inputs, in row format."""
    outputs = loaded.run(loaded.signatures[signature], inputs)
    rows = []
    for task in range(len(next(iter(outputs.values())))):
        row = {}
        for name, array in outputs.items():
            value = array[task].tolist() if isinstance(array[task], np.ndarray) else array[task]
            row[name] = decoded(value.item() if isinstance(value, np.generic) else value)
        rows.append(row)
    return rows


def decoded(value):
    if isinstance(value, list):
        return [decoded(item) for item in value]
    return value.decode() if isinstance(value, bytes) else value


def same(came, expected):
    """Compare JSON values, numbers to within float32."""
    if isinstance(expected, dict):
        return came.keys() == expected.keys() and all(same(came[key], expected[key]) for key in expected)
    if isinstance(expected, list):
        return len(came) == len(expected) and all(map(same, came, expected))
    if isinstance(expected, float):
        return np.isclose(came, expected, rtol=1e-5, equal_nan=True)
    return type(came) is type(expected) and came == expected


@pytest.mark.parametrize("signature", ["serving_default", "select"])
def test_instances_get_predictions_and_inputs_get_outputs(served, loaded, rng, signature):
    support = rng.random((3, 2, 6), dtype=np.float32)
    rows = expected_rows(loaded, signature, support=support)
    status, answer = served.post({"signature_name": signature, "instances": support.tolist()})
    assert (status, answer.keys()) == (200, {"predictions"})
    assert same(answer["predictions"], rows)
    assert rows[0].keys() == {"indices", "names", "scores", "distinct", "error"}
    assert set(answer["predictions"][0]["names"]) <= set(NAMES)
    status, answer = served.post({"signature_name": signature, "inputs": support.tolist()})
    assert (status, answer.keys()) == (200, {"outputs"})
    assert same(answer["outputs"], {name: [row[name] for row in rows] for name in rows[0]})


def test_inputs_may_be_given_by_name(served, loaded, support):
    rows = expected_rows(loaded, "select", support=support)
    for document in (
        {"instances": [{"support": support[0].tolist()}]},
        {"inputs": {"support": support.tolist()}},
        {"inputs": {"support": support.tolist(), "unknown": 3}},  # TF Serving does not look at the others
        {"signature_name": "", "instances": support.tolist(), "unknown": None},
    ):
        status, answer = served.post(document)
        assert status == 200
        first = answer["predictions"][0] if "predictions" in answer else answer["outputs"]
        assert same(first, rows[0]) or same(first, {name: [value] for name, value in rows[0].items()})


def test_several_inputs_are_given_in_objects(served, loaded, support, rng):
    values = rng.random((1, 4, 3), dtype=np.float32)
    instance = {"support": support[0].tolist(), "values": values[0].tolist()}
    status, answer = served.post({"signature_name": "reconstruct", "instances": [instance]})
    assert status == 200
    assert same(answer["predictions"], expected_rows(loaded, "reconstruct", support=support, values=values))
    status, answer = served.post({"signature_name": "reconstruct", "instances": [support[0].tolist()]})
    assert status == 400
    assert "instances is a plain list, but expecting list of objects" in answer["error"]


def test_single_output_comes_without_its_name(served):
    status, answer = served.post({"signature_name": "describe", "instances": [0, 0]})
    assert status == 200
    assert [json.loads(text)["feature_names"] for text in answer["predictions"]] == [list(NAMES)] * 2
    status, answer = served.post({"signature_name": "describe", "inputs": [0]})
    assert json.loads(answer["outputs"][0])["num_features"] == 6


def test_binary_strings_come_in_base64(served, loaded, support):
    feature = tf.train.Feature(float_list=tf.train.FloatList(value=support.ravel()))
    example = tf.train.Example(features=tf.train.Features(feature={"support": feature})).SerializeToString()
    item = {"b64": base64.b64encode(example).decode()}
    rows = expected_rows(loaded, "select", support=support)
    for instances in ([item], [{"examples": item}]):
        status, answer = served.post({"signature_name": "select_examples", "instances": instances})
        assert status == 200, answer
        assert same(answer["predictions"], rows)
    status, answer = served.post({"signature_name": "select_examples", "instances": [{"b64": "not base64!"}]})
    assert (status, "base64" in answer["error"]) == (400, True)


def test_status_has_the_shape_of_tf_serving(served):
    status, answer = served.ask("GET", served.url(""))
    entry = {"version": "1", "state": "AVAILABLE", "status": {"error_code": "OK", "error_message": ""}}
    assert (status, answer) == (200, {"model_version_status": [entry]})
    assert served.ask("GET", served.url("/versions/1")) == (200, {"model_version_status": [entry]})


def test_metadata_has_the_shape_of_tf_serving(served):
    for path in ("/metadata", "/versions/1/metadata"):
        status, answer = served.ask("GET", served.url(path))
        assert status == 200
        assert answer["model_spec"] == {"name": "tffs", "signature_name": "", "version": "1"}
        select = answer["metadata"]["signature_def"]["signature_def"]["serving_default"]
        assert select["method_name"] == "tensorflow/serving/predict"
        support = select["inputs"]["support"]
        assert support["dtype"] == "DT_FLOAT"
        assert [dim["size"] for dim in support["tensor_shape"]["dim"]] == ["-1", "2", "6"]


def test_golden_request_gets_the_golden_response(served, exported):
    with open(f"{exported}/assets.extra/golden_request.json", "rb") as file:
        status, answer = served.post(file.read())
    with open(f"{exported}/assets.extra/golden_response.json", encoding="utf-8") as file:
        assert (status, same(answer, json.load(file))) == (200, True)


def row(value=0.5):
    return [value] * 6


GOOD = [row(), row()]


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"instances": [[[0.5] * 5] * 2]}, "'support' takes the shape [any, 2, 6], but received [1, 2, 5]"),
        ({"instances": [[row()]]}, "received [1, 1, 6]"),
        ({"instances": GOOD}, "received [2, 6]"),
        ({"instances": [[[row(), row()]]]}, "received [1, 1, 2, 6]"),
        ({"inputs": 0.5}, "takes the shape [any, 2, 6], but received []"),
        ({"inputs": []}, "but received [0]"),
        ({"instances": []}, "No values in 'instances'"),
        ({"instances": [[]]}, "takes the shape"),
        ({"instances": {}}, "Expecting 'instances' to be an list"),
        ({"instances": [GOOD, [row()]]}, "lists of equal lengths and depths"),
        ({"instances": [[row(), [0.5] * 5]]}, "lists of equal lengths and depths"),
        ({"instances": [[row(), row("0.5")]]}, "String is not of expected type: float"),
        ({"instances": [[row(), row(None)]]}, "must be finite numbers, but received NaN or infinity for"),
        ({"instances": [[row(), row(True)]]}, "Bool is not of expected type: float"),
        ({"instances": [[row(), row({})]]}, "Object is not of expected type: float"),
        ({"instances": [[row(), row(1e39)]]}, "without loss of precision"),
        ({"instances": [[row(), row(2**24 + 1)]]}, "without loss of precision"),
        ({"instances": [[row(), row(10**400)]]}, "without loss of precision"),
        ({"instances": [{"support": GOOD, "more": 1}]}, "keys must be equal to: support"),
        ({"instances": [{"support": GOOD}, GOOD]}, "Expecting object but got list at item 1"),
        ({"instances": [GOOD, {"support": GOOD}]}, "Expecting value/list but got object"),
        ({"instances": [GOOD], "inputs": [GOOD]}, "only one of 'inputs' or 'instances'"),
        ({}, "Missing 'inputs' or 'instances' key"),
        ([GOOD], "is not object"),
        ({"signature_name": 3, "instances": [GOOD]}, "'signature_name' key must be a string"),
        ({"signature_name": "nothing", "instances": [GOOD]}, 'Serving signature name: "nothing" not found'),
        ({"signature_name": "__saved_model_init_op", "inputs": 1}, "not found in signature def"),
        ({"signature_name": "reconstruct", "inputs": {"support": [GOOD]}}, "Missing named input: values"),
        ({"signature_name": "describe", "instances": [2**31]}, "beyond its range"),
        ({"signature_name": "describe", "instances": [1.0]}, "Decimal is not of expected type: int32"),
        ({"signature_name": "describe", "inputs": [0] * 501}, "holds 501 rows over all its tasks, but"),
        (
            {"signature_name": "reconstruct", "inputs": {"support": [GOOD], "values": [[row()[:3]]] * 2}},
            "as many tasks, but the first dimensions are 'support' 1, 'values' 2",
        ),
        ({"signature_name": "reconstruct", "inputs": {"support": [GOOD], "values": [[]]}}, "takes the shape"),
    ],
)
def test_bad_request_is_a_400_that_says_why(served, document, words):
    status, answer = served.post(document)
    assert (status, answer.keys()) == (400, {"error"})
    assert words in answer["error"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "JSON Parse error"),
        (json.dumps({"instances": [GOOD]}).encode()[:-9], "JSON Parse error"),
        (b'{"instances": [[\xff\xfe]]}', "not UTF-8"),
        (b'{"instances": ' + b"[" * 60_000, "nested too deeply"),
        (b'{"instances": ' + b"[" * 900 + b"]" * 900 + b"}", "takes"),
        (b'{"instances": [' + b"9" * 5000 + b"]}", "too long"),
        (b'{"instances": [1], "instances": [2]}', "'instances' is given twice"),
        (b'{"signature_name": "select_examples", "instances": ["\\ud800"]}', "takes strings"),
    ],
)
def test_what_is_no_json_is_a_400(served, body, words):
    status, answer = served.post(body)
    assert (status, words in answer["error"]) == (400, True)


def test_nan_and_infinity_are_taken_as_tf_serving_takes_them_and_refused_by_the_model(served):
    for value in ("NaN", "Infinity", "-Infinity"):
        status, answer = served.post(json.dumps({"instances": [GOOD]}).replace("0.5", value, 1).encode())
        assert status == 400
        assert "must be finite numbers, but received NaN or infinity for 'Jitter(%)'" in answer["error"]


def test_a_bad_task_among_several_is_named_by_its_number(served):
    status, answer = served.post(
        json.dumps({"instances": [GOOD, [row(7.5), row()]]}).replace("7.5", "NaN").encode()
    )
    assert status == 400
    assert answer["error"].startswith("task 1: ")


def test_huge_numbers_get_an_answer_or_a_sentence_but_never_nan(served):
    status, answer = served.post({"instances": [[row(1e38), row(-1e38)]]})
    if status == 200:
        assert np.isfinite(answer["predictions"][0]["scores"]).all()
    else:
        assert (status, "too large" in answer["error"]) == (400, True)


@pytest.mark.parametrize(
    ("method", "path", "status", "words"),
    [
        ("POST", "/v1/models/other:predict", 404, "Servable not found for request: Latest(other)"),
        ("POST", "/v1/models/other/versions/3:predict", 404, "request: Specific(other, 3)"),
        ("POST", "/v1/models/tffs/versions/7:predict", 404, "request: Specific(tffs, 7)"),
        ("POST", f"/v1/models/tffs/versions/{2**63}:predict", 400, "Failed to convert version"),
        ("POST", "/v1/models/tffs/labels/canary:predict", 400, "Unrecognized servable version label: canary"),
        ("POST", "/v1/models/tffs:regress", 501, ":predict only"),
        ("POST", "/v1/models/tffs:guess", 400, "Malformed request: POST /v1/models/tffs:guess"),
        ("POST", "/v1/models/tffs", 400, "Malformed request"),
        ("PUT", "/v1/models/tffs:predict", 400, "Malformed request: PUT"),
        ("GET", "/v1/models/tffs:predict", 400, "Malformed request: GET"),
        ("GET", "/v1/models/other", 404, "Could not find any versions of model other"),
        ("GET", "/v1/models/tffs/versions/9", 404, "Could not find version 9 of model tffs"),
        ("GET", "/v1/models/other/metadata", 404, "Servable not found for request: Latest(other)"),
        ("GET", "/v1/models/tffs/versions/x", 400, "Malformed request"),
        ("GET", "/page", 404, "Not Found"),
        ("GET", "/v1/../../etc/passwd", 400, "Malformed request"),
    ],
)
def test_wrong_address_has_the_status_of_tf_serving(served, method, path, status, words):
    came, answer = served.ask(method, path, json.dumps({"instances": [GOOD]}) if method != "GET" else None)
    assert (came, answer.keys()) == (status, {"error"})
    assert words in answer["error"]


def test_name_may_be_escaped_and_letters_large(served):
    assert served.ask("GET", "/V1/Models/%74ffs")[0] == 200
