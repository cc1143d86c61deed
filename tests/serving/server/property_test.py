"""Thousands of generated requests, around valid ones and far from them: the server lives and never lies."""

import base64
import collections
import http.client
import json
import math

import grpc
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tensorflow_serving.apis import predict_pb2

from fuzzing.oracles.model_answers import answer_of_document, check_answer, inputs_of_document
from tests.serving.server.running_server import PATIENCE

EXAMPLES = 1000
THOROUGH = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
)
SIGNATURES = ("", "serving_default", "select", "select_masked", "select_examples", "reconstruct", "describe")
HTTP_STATUSES = {200, 400, 404, 413, 501}
GRPC_CODES = {"INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "UNIMPLEMENTED"}
GOOD_SHARE = 0.2  # of requests that must get an answer, or the tests would compare nothing
LEAKS = ("Traceback", ".py", "/tmp", "saved_model", "site-packages", "tensorflow/core", "0x7f")

numbers = st.one_of(
    st.floats(-10.0, 10.0, width=32),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from([0, 1, 1e38, -1e38, 3.5e38, 2**24, 2**24 + 1, 1e-45]),
)
scalars = st.one_of(
    numbers, st.booleans(), st.none(), st.text(max_size=3), st.just({"b64": "AAAA"}), st.just({})
)
trees = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(["support", "values", "b64", "x"]), inner)
    ),
    max_leaves=20,
)


@st.composite
def blocks(draw, *shape):
    """Nested lists of a shape that mostly fits, with now and then a strange value in it."""
    shape = [draw(st.sampled_from([size, size, size, size + 1, max(size - 1, 0)])) for size in shape]
    seed = draw(st.integers(0, 2**32 - 1))
    values = np.random.default_rng(seed).normal(size=shape).astype(np.float32).tolist()
    if draw(st.integers(0, 3)) == 0 and all(shape):
        inner = values
        for size in shape[:-1]:
            inner = inner[draw(st.integers(0, size - 1))]
        inner[draw(st.integers(0, shape[-1] - 1))] = draw(scalars)
    return values


@st.composite
def serialized_examples(draw):
    """A tf.Example, mostly of the right size."""
    size = draw(st.sampled_from([12, 12, 12, 11]))
    values = np.random.default_rng(draw(st.integers(0, 2**32 - 1))).normal(size=size)
    feature = tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Example(features=tf.train.Features(feature={"support": feature})).SerializeToString()


def in_base64(content):
    return {"b64": base64.b64encode(content).decode()}


@st.composite
def documents(draw):
    """A predict request: right, nearly right, or a tree of anything."""
    tasks = draw(st.integers(1, 3))
    columns = {
        "support": draw(blocks(tasks, 2, 6)),
        "values": draw(blocks(tasks, 2, 3)),
        "support_size": draw(st.one_of(st.just([2] * tasks), st.lists(st.integers(-2, 4), max_size=4))),
        "examples": [
            draw(
                st.one_of(
                    st.just("x"), serialized_examples().map(in_base64), serialized_examples().map(in_base64)
                )
            )
            for _ in range(tasks)
        ],
        "request": draw(st.one_of(st.just([0] * tasks), trees)),
    }
    wanted = {
        "reconstruct": ["support", "values"],
        "select_masked": ["support", "support_size"],
        "select_examples": ["examples"],
        "describe": ["request"],
    }
    signature = draw(st.sampled_from(SIGNATURES))
    names = wanted.get(signature, ["support"])
    named = {name: columns[name] for name in names}
    document = {} if signature == "" else {"signature_name": signature}
    form = draw(st.sampled_from(["inputs", "bare", "rows", "plain rows", "tree", "both"]))
    if form == "inputs":
        document["inputs"] = named
    elif form == "bare":
        document["inputs"] = columns[names[0]]
    elif form == "rows" and all(isinstance(column, list) for column in named.values()):
        document["instances"] = [
            dict(zip(names, row, strict=True)) for row in zip(*named.values(), strict=False)
        ]
    elif form == "plain rows":
        document["instances"] = columns[names[0]]
    elif form == "tree":
        document[draw(st.sampled_from(["instances", "inputs", "signature_name", "x"]))] = draw(trees)
    else:
        document |= {"instances": columns["support"], "inputs": named}
    return document


class Rest:
    """One connection that is kept, as clients do."""

    def __init__(self, running):
        self.port = running.server.rest_port
        self.connection = None

    def ask(self, path, body):
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        self.connection.request("POST", path, body=body)
        response = self.connection.getresponse()
        text = response.read()
        if response.will_close:
            self.connection.close()
            self.connection = None
        return response.status, json.loads(text)


@pytest.fixture(scope="module")
def outcomes():
    """How many requests of each test had which status; signatures that were answered count, too."""
    return collections.Counter()


@pytest.fixture(scope="module")
def rest(served):
    return Rest(served)


def check_error(sentence):
    assert isinstance(sentence, str)
    assert sentence
    assert not any(leak in sentence for leak in LEAKS), sentence


@THOROUGH
@given(document=documents())
def test_generated_documents_get_the_models_answer_or_a_sentence(rest, loaded, outcomes, document):
    status, answer = rest.ask("/v1/models/tffs:predict", json.dumps(document).encode())
    outcomes["documents", status] += 1
    assert status in HTTP_STATUSES
    if status != 200:
        assert answer.keys() == {"error"}
        check_error(answer["error"])
        return
    name = document.get("signature_name", "")
    outcomes["documents", name] += 1
    signature = loaded.signatures[name or "serving_default"]
    inputs = inputs_of_document(document, signature)
    check_answer(loaded, signature, inputs, answer_of_document(answer, signature))


VALID = json.dumps({"instances": np.full((1, 2, 6), 0.5).tolist()}).encode()


@st.composite
def bodies(draw):
    """A valid body with bytes cut out, changed or put in; or no such thing."""
    if draw(st.booleans()):
        return draw(st.one_of(st.binary(max_size=60), st.text(max_size=60).map(str.encode)))
    begin = draw(st.integers(0, len(VALID)))
    end = draw(st.integers(begin, len(VALID)))
    filler = draw(
        st.one_of(st.binary(max_size=4), st.sampled_from([b"[", b"]", b"1e999", b"NaN", b"-", b"null"]))
    )
    return VALID[:begin] + filler + VALID[end:]


@THOROUGH
@given(
    body=bodies(),
    path=st.sampled_from([":predict"] * 5 + ["", "/versions/1:predict", "/versions/2:predict", "%00:x"]),
)
def test_generated_bodies_get_an_answer_or_a_sentence(rest, outcomes, body, path):
    status, answer = rest.ask(f"/v1/models/tffs{path}", body)
    outcomes["bodies", status] += 1
    assert status in HTTP_STATUSES
    if status == 200:
        assert len(answer["predictions"]) >= 1
    else:
        assert answer.keys() == {"error"}
        check_error(answer["error"])


@st.composite
def requests(draw):
    """A PredictRequest whose protos may contradict themselves."""
    request = predict_pb2.PredictRequest()
    request.model_spec.name = draw(st.sampled_from(["tffs"] * 9 + ["", "other"]))
    request.model_spec.signature_name = draw(st.sampled_from([*SIGNATURES, "select", "nothing"]))
    if draw(st.integers(0, 9)) == 0:
        request.model_spec.version.value = draw(st.integers(-(2**63), 2**63 - 1))
    tasks = draw(st.integers(1, 3))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    columns = {
        "support": rng.normal(size=(tasks, 2, 6)).astype(np.float32),
        "values": rng.normal(size=(tasks, 2, 3)).astype(np.float32),
        "support_size": np.full(tasks, 2, np.int32),
        "examples": np.array(
            [draw(st.one_of(st.just(b"x"), serialized_examples())) for _ in range(tasks)], object
        ),
        "request": np.zeros(tasks, np.int32),
    }
    wanted = {
        "reconstruct": ["support", "values"],
        "select_masked": ["support", "support_size"],
        "select_examples": ["examples"],
        "describe": ["request"],
    }
    for name in wanted.get(request.model_spec.signature_name, ["support"]):
        request.inputs[name].CopyFrom(tf.make_tensor_proto(columns[name]))
    if draw(st.booleans()):
        proto = request.inputs[draw(st.sampled_from(["support", "values", "support_size", "request", "x"]))]
        change = draw(st.sampled_from(["dtype", "dim", "rank", "content", "values", "field"]))
        if change == "dtype":
            proto.dtype = draw(st.integers(0, 130))
        elif change == "dim" and proto.tensor_shape.dim:
            position = draw(st.integers(0, len(proto.tensor_shape.dim) - 1))
            proto.tensor_shape.dim[position].size = draw(
                st.sampled_from([-(2**63), -1, 0, 1, 2, 10**9, 2**63 - 1])
            )
        elif change == "rank":
            proto.tensor_shape.unknown_rank = draw(st.booleans())
            proto.tensor_shape.dim.add().size = draw(st.integers(0, 3))
        elif change == "content":
            proto.tensor_content = draw(st.binary(max_size=100))
        elif change == "values":
            values = draw(st.lists(st.floats(width=32), max_size=12))
            proto.tensor_content = b""
            proto.float_val.extend(values)
        else:
            proto.string_val.append(b"x")
    if draw(st.integers(0, 4)) == 0:
        request.output_filter.extend(
            draw(st.lists(st.sampled_from(["names", "scores", "error", "x"]), max_size=2))
        )
    return request


@THOROUGH
@given(request=requests())
def test_generated_messages_get_the_models_answer_or_a_sentence(served, loaded, outcomes, request):
    try:
        response = served.stub.Predict(request, timeout=PATIENCE)
    except grpc.RpcError as error:
        refusal = error
        response = None
    if response is None:
        assert refusal.code().name in GRPC_CODES, refusal
        check_error(refusal.details())
        return
    name = request.model_spec.signature_name
    outcomes["messages", 200] += 1
    outcomes["messages", name] += 1
    signature = loaded.signatures[name or "serving_default"]
    inputs = {key: tf.make_ndarray(request.inputs[key]) for key in signature.inputs}
    assert all(math.prod(array.shape) for array in inputs.values())
    came = {key: tf.make_ndarray(proto) for key, proto in response.outputs.items()}
    if request.output_filter:
        assert came.keys() == set(request.output_filter)
    else:
        check_answer(loaded, signature, inputs, came)


def test_a_good_share_of_the_generated_requests_got_an_answer(outcomes):
    """Comes after the tests that count."""
    for kind in ("documents", "messages"):
        assert outcomes[kind, 200] >= GOOD_SHARE * EXAMPLES, outcomes
        assert all(outcomes[kind, signature] for signature in SIGNATURES), outcomes
    assert outcomes["bodies", 200], outcomes


def test_server_is_unharmed_by_all_that(served, loaded, support):
    """Comes last in this file."""
    response = served.predict("select", support=support)
    expected = loaded.run(loaded.signatures["select"], {"support": support})["indices"].ravel().tolist()
    assert list(response.outputs["indices"].int_val) == expected
    assert not any("failed inside the server" in line for line in served.lines), served.lines
