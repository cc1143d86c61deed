"""The signatures, in the graph that a server would run."""

import json

import numpy as np
import pytest
import tensorflow as tf

from tests.serving.served import served
from tffs.layers import Scaling
from tffs.models import RawUnitsSelector, concrete_model, fixed_model
from tffs.serving.description import Description

NAMES = ("Jitter(%)", "PPE", "a b", "größe", "x,y", "r0c0")
TASKS, N_S, M, K = 5, 2, 6, 3


def raw_model(impute=False, **changes):
    core = concrete_model(M, K, selector_dim=5, embedding_units=4, decoder_units=(3,), seed=7, **changes)
    return in_raw_units(core, impute)


def in_raw_units(core, impute=False):
    model = RawUnitsSelector(core, Scaling(impute=impute))
    model.build()
    low, width = np.arange(M, dtype=np.float32), np.arange(1, M + 1, dtype=np.float32)
    model.scaling.learn(low, width, low + width / 2)
    return model


def description(model, sizes=(N_S,)):
    classes = None if model.num_classes is None else tuple("abcd"[: model.num_classes])
    missing = "median" if model.scaling.impute else "error"
    loss = "reconstruction" if classes is None else "cross_entropy"
    facts = (NAMES, M, K, sizes[-1], sizes, "minmax", missing, None, None, loss, classes, 4, None)
    return Description(*facts)


def asked(model, folder, sizes=(N_S,)):
    """Serve a model that takes these sizes of a support."""
    return served(model, description(model, sizes), folder)


@pytest.fixture(scope="module")
def model():
    return raw_model()


@pytest.fixture(scope="module")
def ask(model, tmp_path_factory):
    return asked(model, tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="module")
def imputing(tmp_path_factory):
    return asked(raw_model(impute=True), tmp_path_factory.mktemp("imputing"))


@pytest.fixture
def support(rng):
    return (np.arange(M) + np.arange(1, M + 1) * rng.random((TASKS, N_S, M))).astype(np.float32)


def example(values, name="support", kind="float"):
    lists = {
        "float": lambda: tf.train.Feature(float_list=tf.train.FloatList(value=values)),
        "int": lambda: tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2])),
    }
    task = tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"person 42"]))
    features = tf.train.Features(feature={name: lists[kind](), "task": task})
    return tf.train.Example(features=features).SerializeToString()


def without_answer(answer, task):
    return (
        (answer["indices"][task] == -1).all()
        and (answer["names"][task] == b"").all()
        and np.isnan(answer["scores"][task]).all()
        and answer["distinct"][task] == 0
    )


def test_inputs_and_outputs_are_the_contract(ask):
    shapes = {
        name: (
            {key: (s.shape.as_list(), s.dtype) for key, s in signature.structured_input_signature[1].items()},
            {key: (s.shape.as_list(), s.dtype) for key, s in signature.structured_outputs.items()},
        )
        for name, signature in ask.loaded.signatures.items()
    }
    chosen = {
        "indices": ([None, K], tf.int32),
        "names": ([None, K], tf.string),
        "scores": ([None, K], tf.float32),
        "distinct": ([None], tf.int32),
        "error": ([None], tf.string),
    }
    support = ([None, N_S, M], tf.float32)
    size = ([None], tf.int32)
    assert shapes == {
        "serving_default": ({"support": support}, chosen),
        "select": ({"support": support}, chosen),
        "select_masked": ({"support": ([None, None, M], tf.float32), "support_size": size}, chosen),
        "select_examples": ({"examples": ([None], tf.string)}, chosen),
        "reconstruct": (
            {"support": support, "values": ([None, None, K], tf.float32)},
            {"reconstruction": ([None, None, M], tf.float32), "error": ([None], tf.string)},
        ),
        "describe": ({"request": size}, {"description": ([None], tf.string)}),
    }


@pytest.mark.parametrize("selection", ["argmax", "unique"])
def test_select_answers_like_the_model(selection, tmp_path, support):
    model = raw_model(selection=selection)
    answer = asked(model, tmp_path)("select", support=support)
    np.testing.assert_array_equal(answer["indices"], model.select(support))
    assert [[name.decode() for name in row] for row in answer["names"]] == [
        [NAMES[index] for index in row] for row in answer["indices"]
    ]
    log_alpha = model.selector.selector(model.scaling(support))
    exact = tf.nn.softmax(log_alpha, axis=-1).numpy()
    expected = np.take_along_axis(exact, answer["indices"][:, :, None], 2)[:, :, 0]
    np.testing.assert_allclose(answer["scores"], expected, rtol=1e-5)
    assert answer["distinct"].tolist() == [len(set(row)) for row in answer["indices"].tolist()]
    assert (answer["error"] == b"").all()


@pytest.mark.parametrize("kind", ["direct", "embedding", "fixed"])
def test_a_model_of_any_selector_layer_answers(kind, tmp_path, support, rng):
    core = fixed_model(M, (4, 1, 3), (3,), seed=7) if kind == "fixed" else None
    model = raw_model(selector=kind) if core is None else in_raw_units(core)
    ask = asked(model, tmp_path)
    answer = ask("select", support=support)
    np.testing.assert_array_equal(answer["indices"], model.select(support))
    np.testing.assert_allclose(answer["scores"], model.frozen()(support).scores, rtol=1e-5)
    if kind == "fixed":
        assert answer["indices"].tolist() == [[4, 1, 3]] * TASKS
        assert (answer["scores"] == 1).all()
    values = rng.random((TASKS, 4, K), dtype=np.float32)
    reconstruction = ask("reconstruct", support=support, values=values)["reconstruction"]
    np.testing.assert_allclose(reconstruction, model.reconstruct(support, values), rtol=1e-4)


def test_the_three_ways_of_selecting_agree(ask, support):
    examples = [example(task.ravel()) for task in support]
    masked = ask("select_masked", support=support, support_size=np.full(TASKS, N_S, np.int32))
    for other in (masked, ask("select_examples", examples=examples)):
        for name, expected in ask("select", support=support).items():
            if expected.dtype.kind == "f":
                np.testing.assert_allclose(other[name], expected, rtol=1e-5)
            else:
                np.testing.assert_array_equal(other[name], expected)


@pytest.mark.parametrize("padding", [0.0, np.nan, np.inf, 1e38])
def test_rows_beyond_the_size_have_no_influence(ask, support, padding):
    expected = ask("select", support=support)
    padded = np.concatenate([support, np.full((TASKS, 3, M), padding, np.float32)], axis=1)
    answer = ask("select_masked", support=padded, support_size=np.full(TASKS, N_S, np.int32))
    np.testing.assert_array_equal(answer["indices"], expected["indices"])
    np.testing.assert_allclose(answer["scores"], expected["scores"], rtol=1e-5)
    assert (answer["error"] == b"").all()


def test_a_size_that_was_not_trained_for_is_the_error_of_its_task(ask, support):
    rows = np.concatenate([support, support], axis=1)
    answer = ask("select_masked", support=rows, support_size=np.array([2, 3, 0, -1, 2], np.int32))
    assert [text.decode() for text in answer["error"]] == [
        "",
        "support_size must be 2, which the model was trained for, but received 3.",
        "support_size must be 2, which the model was trained for, but received 0.",
        "support_size must be 2, which the model was trained for, but received -1.",
        "",
    ]
    assert [without_answer(answer, task) for task in range(TASKS)] == [False, True, True, True, False]


def test_a_size_with_too_few_rows_is_an_error(ask, support):
    answer = ask("select_masked", support=support[:, :1], support_size=np.full(TASKS, 2, np.int32))
    assert set(answer["error"]) == {b"support_size says 2 rows, but received only 1."}


def test_a_model_trained_for_several_sizes_takes_any_of_them(tmp_path, support, model):
    ask = asked(model, tmp_path, sizes=(1, 2))
    answer = ask("select_masked", support=support, support_size=np.array([1, 2, 3, 1, 2], np.int32))
    assert (
        answer["error"][2] == b"support_size must be 1 or 2, which the model was trained for, but received 3."
    )
    np.testing.assert_array_equal(answer["indices"][[0, 3]], model.select(support[[0, 3], :1]))
    np.testing.assert_array_equal(answer["indices"][[1, 4]], model.select(support[[1, 4]]))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_no_number_is_the_error_of_its_task_alone(ask, support, bad):
    expected = ask("select", support=support)
    spoiled = support.copy()
    spoiled[1, 1, 3] = bad
    answer = ask("select", support=spoiled)
    assert answer["error"][1].decode() == (
        "The support rows of a task must be finite numbers, "
        "but received NaN or infinity for 'größe': fill it in."
    )
    assert without_answer(answer, 1)
    others = [0, 2, 3, 4]
    for name in expected:
        np.testing.assert_array_equal(answer[name][others], expected[name][others])


def test_values_that_overflow_are_the_error_of_their_task_alone(ask, support):
    expected = ask("select", support=support)
    support[0] = 3e38
    answer = ask("select", support=support)
    assert answer["error"][0] == b"The task's values are too large to compute with: check their units."
    assert without_answer(answer, 0)
    np.testing.assert_array_equal(answer["indices"][1:], expected["indices"][1:])


def test_missing_values_are_filled_in_where_the_model_does_so(imputing, support):
    missing, filled = support.copy(), support.copy()
    missing[:, 0, 2], filled[:, 0, 2] = np.nan, 2 + 3 / 2
    answer, expected = imputing("select", support=missing), imputing("select", support=filled)
    for name in expected:
        np.testing.assert_array_equal(answer[name], expected[name])
    missing[0, 0, 2] = np.inf
    error = imputing("select", support=missing)["error"]
    assert error[0].decode() == (
        "The support rows of a task must be finite numbers, but received infinity for 'a b': fill it in."
    )
    assert (error[1:] == b"").all()


def test_examples_that_cannot_be_read_are_the_errors_of_their_tasks(ask, support):
    good = example(support[0].ravel())
    examples = [
        *(good, b"\xff\xfe garbage", example(support[0].ravel()[:5]), example(support[0].ravel(), "rows")),
        *(example(None, kind="int"), b"", good),
    ]
    answer = ask("select_examples", examples=examples)
    none = "Expected a tf.Example with the float feature 'support', but received something else."
    assert [text.decode() for text in answer["error"]] == [
        "",
        none,
        "The feature 'support' must hold 2 rows of 6 values, 12 in all, but received 5.",
        *(none, none, none, ""),
    ]
    assert [without_answer(answer, task) for task in range(7)] == [False, *[True] * 5, False]
    np.testing.assert_array_equal(answer["indices"][6], ask("select", support=support[:1])["indices"][0])


def test_reconstruct_gives_raw_units_like_the_model(ask, model, support, rng):
    values = 5 * rng.random((TASKS, 4, K), dtype=np.float32)
    answer = ask("reconstruct", support=support, values=values)
    np.testing.assert_allclose(answer["reconstruction"], model.reconstruct(support, values), rtol=1e-4)
    assert (answer["error"] == b"").all()


@pytest.mark.parametrize("selection", ["argmax", "unique"])
def test_measured_features_come_back_bit_for_bit(selection, tmp_path, support, rng):
    ask = asked(raw_model(selection=selection), tmp_path)
    indices = ask("select", support=support)["indices"]
    rows = rng.normal(size=(TASKS, 4, M)).astype(np.float32) * 10.0 ** rng.integers(-8, 8, M).astype(np.float32)
    values = np.take_along_axis(rows, indices[:, None, :], axis=2)
    answer = ask("reconstruct", support=support, values=values)["reconstruction"]
    back = np.take_along_axis(answer, indices[:, None, :], axis=2)
    np.testing.assert_array_equal(back.view(np.uint32), values.view(np.uint32))


def test_a_missing_value_is_reconstructed_where_the_model_fills_it_in(imputing, support):
    values = np.full((TASKS, 1, K), 2.5, np.float32)
    values[:, 0, 0] = np.nan
    answer = imputing("reconstruct", support=support, values=values)
    assert np.isfinite(answer["reconstruction"]).all()
    assert (answer["error"] == b"").all()


def test_bad_values_are_the_error_of_their_task_by_the_name_of_the_feature(ask, support):
    values = np.zeros((TASKS, 4, K), np.float32)
    values[2, 3, 1] = np.nan
    support[4, 0, 0] = np.inf
    answer = ask("reconstruct", support=support, values=values)
    name = ask("select", support=support)["names"][2, 1].decode()
    assert answer["error"][2].decode() == (
        f"The values of a task must be finite numbers, but received NaN or infinity for '{name}': fill it in."
    )
    assert b"support rows" in answer["error"][4]
    assert np.isnan(answer["reconstruction"][[2, 4]]).all()
    assert np.isfinite(answer["reconstruction"][[0, 1, 3]]).all()


def test_a_model_of_classes_classifies_in_the_place_of_reconstructing(tmp_path, support):
    model = raw_model(num_classes=4)
    ask = asked(model, tmp_path)
    values = np.ones((TASKS, 2, K), np.float32)
    answer = ask("classify", support=support, values=values)
    np.testing.assert_allclose(answer["probabilities"], model.classify(support, values), rtol=1e-5)
    assert "reconstruct" not in ask.loaded.signatures


def test_describe_gives_the_description_once_for_each_request(ask, model):
    answer = ask("describe", request=np.array([7, -1, 0], np.int32))["description"]
    assert len(answer) == 3
    for text in answer:
        assert Description.from_json(json.loads(text)) == description(model)


def test_no_tasks_get_no_answers(ask):
    answer = ask("select", support=np.zeros((0, N_S, M), np.float32))
    assert {len(array) for array in answer.values()} == {0}
