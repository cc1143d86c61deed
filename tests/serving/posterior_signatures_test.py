"""The signatures of a posterior model as a server would run them; the Keras model is the oracle."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from tests.serving.posterior import NAMES, WIDTH, K, M, posterior_model
from tests.serving.served import served
from tffs.selection.greedy import Limits
from tffs.serving import task_by_task
from tffs.serving.export import describe

TASKS, ROWS = 3, 4


def asked(model, folder, names=NAMES):
    """Serve a model that takes any support."""
    return served(model, describe(model, names, (4,), 1, "none", None, None, None), folder)


@pytest.fixture(scope="module")
def model():
    return posterior_model(novelty=True)


@pytest.fixture(scope="module")
def ask(model, tmp_path_factory):
    return asked(model, tmp_path_factory.mktemp("posterior"))


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A model that does not know what is usual, and its server."""
    model = posterior_model(components=2)
    return model, asked(model, tmp_path_factory.mktemp("plain"))


@pytest.fixture
def support(rng):
    return (np.arange(M) + WIDTH * rng.normal(size=(TASKS, ROWS, M))).astype(np.float32)


@pytest.fixture
def values(rng):
    rows = (np.arange(M) + WIDTH * rng.normal(size=(TASKS, 5, M))).astype(np.float32)
    rows[rng.random(rows.shape) < 0.5] = np.nan
    rows[0, 0], rows[1, 1] = np.nan, np.arange(M)  # nothing measured, and all
    return rows


def no_limits(tasks=TASKS, features=M, **changes):
    limits = {
        "include": np.zeros((tasks, features), bool),
        "exclude": np.zeros((tasks, features), bool),
        "costs": np.zeros((tasks, features), np.float32),
        "budget": np.full(tasks, -1.0, np.float32),
    }
    return {**limits, **changes}


def sizes(*counts):
    return np.array(counts, np.int32)


def mask_of(counts, rows=ROWS):
    return np.arange(rows)[None] < np.array(counts)[:, None]


def texts(answer):
    return [text.decode() for text in answer["error"]]


def test_inputs_and_outputs_are_the_contract(ask):
    shapes = {
        name: (
            {key: (s.shape.as_list(), s.dtype) for key, s in signature.structured_input_signature[1].items()},
            {key: (s.shape.as_list(), s.dtype) for key, s in signature.structured_outputs.items()},
        )
        for name, signature in ask.loaded.signatures.items()
    }
    rows, each, one = ([None, None, M], tf.float32), ([None, M], tf.float32), ([None], tf.float32)
    size, error, flags = ([None], tf.int32), ([None], tf.string), ([None, M], tf.bool)
    assert shapes["select"][0] == {"support": rows}
    assert shapes["select"][1]["indices"] == ([None, K], tf.int32)
    assert shapes["rank"] == (
        {
            "support": rows,
            "support_size": size,
            "include": flags,
            "exclude": flags,
            "costs": each,
            "budget": one,
        },
        {
            "indices": ([None, M], tf.int32),
            "names": ([None, M], tf.string),
            "expected_error": each,
            "expected_error_of_none": one,
            "novelty": one,
            "error": error,
        },
    )
    assert shapes["reconstruct"] == (
        {"support": rows, "support_size": size, "values": rows},
        {"reconstruction": rows, "low": rows, "high": rows, "error": error},
    )


def test_select_limited_gives_the_first_features_of_rank(ask, support):
    limits = no_limits(
        costs=np.tile(np.float32([1, 2, 3, 4, 5, 6]), (TASKS, 1)), budget=np.float32([-1, 1, 20])
    )
    limits["include"][0, 4] = True
    limits["exclude"][2, :2] = True
    asked_with = {"support": support, "support_size": sizes(4, 2, 0), **limits}
    whole, first = ask("rank", **asked_with), ask("select_limited", **asked_with)
    assert whole.keys() == first.keys()
    assert (first["indices"] >= 0).sum(axis=1).tolist() == [K, 1, K]  # the budget of 1 buys one
    for name, values in first.items():
        expected = whole[name][:, :K] if values.ndim == 2 else whole[name]
        if values.dtype == np.float32:
            np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-7)
        else:
            np.testing.assert_array_equal(values, expected)


def test_rank_answers_like_the_model(ask, model, support):
    answer = ask("rank", support=support, support_size=sizes(4, 2, 0), **no_limits())
    indices, errors, novelty = model.rank(support, mask_of([4, 2, 0]))
    np.testing.assert_array_equal(answer["indices"], indices)
    np.testing.assert_allclose(answer["expected_error"], errors[:, 1:], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(answer["expected_error_of_none"], errors[:, 0], rtol=1e-5)
    np.testing.assert_allclose(answer["novelty"], [*novelty[:2], -1.0], rtol=1e-4)
    assert [[name.decode() for name in row] for row in answer["names"]] == [
        [NAMES[index] for index in row] for row in answer["indices"]
    ]
    assert texts(answer) == [""] * TASKS


def test_rank_keeps_limits_and_pads(ask, model, support):
    limits = no_limits(
        costs=np.tile(np.float32([1, 2, 3, 4, 5, 6]), (TASKS, 1)), budget=np.float32([-1, 7, 12])
    )
    limits["include"][1, 4] = True
    limits["exclude"][2, :2] = True
    answer = ask("rank", support=support, support_size=sizes(4, 4, 4), **limits)
    expected = model.rank(support, mask_of([4, 4, 4]), Limits(*limits.values())).indices.numpy()
    np.testing.assert_array_equal(answer["indices"], expected)
    assert (answer["indices"][0] >= 0).all()
    assert answer["indices"][1, 0] == 4
    padding = answer["indices"] < 0
    assert padding[1:].any(axis=1).all()
    assert (answer["expected_error"][padding] == -1).all()
    assert (answer["names"][padding] == b"").all()
    assert not np.isin(answer["indices"][2], [0, 1]).any()


def test_select_takes_any_number_of_rows(ask, model, support):
    for rows in (0, 1, 4):
        np.testing.assert_array_equal(
            ask("select", support=support[:, :rows])["indices"], model.select(support[:, :rows])
        )


def test_without_rows_all_ways_of_asking_agree(ask, support):
    none = support[:, :0]
    chosen = ask("select", support=none)["indices"]
    for rows in (none, support, np.full_like(support, np.nan)):
        nothing = {"support": rows, "support_size": sizes(0, 0, 0)}
        np.testing.assert_array_equal(ask("select_masked", **nothing)["indices"], chosen)
        np.testing.assert_array_equal(ask("rank", **nothing, **no_limits())["indices"][:, :K], chosen)
        values = np.full((TASKS, 2, M), np.nan, np.float32)
        answer = ask("reconstruct", **nothing, values=values)
        assert texts(answer) == [""] * TASKS
        assert np.ptp(answer["reconstruction"], axis=(0, 1)).max() == 0


@pytest.mark.parametrize("padding", [0.0, np.nan, np.inf, 1e38])
def test_rows_beyond_the_size_have_no_influence(ask, support, values, padding):
    padded = np.concatenate([support, np.full((TASKS, 3, M), padding, np.float32)], axis=1)
    for signature, inputs in (("rank", no_limits()), ("reconstruct", {"values": values})):
        size = sizes(4, 4, 4)
        expected = ask(signature, support=support, support_size=size, **inputs)
        answer = ask(signature, support=padded, support_size=size, **inputs)
        for name in expected:
            if expected[name].dtype.kind == "f":
                np.testing.assert_allclose(answer[name], expected[name], rtol=1e-4, atol=1e-5)
            else:
                np.testing.assert_array_equal(answer[name], expected[name])


@pytest.mark.parametrize("components", [0, 2])
def test_reconstruct_answers_like_the_model(components, tmp_path, plain, support, values):
    model, ask = plain
    if components != 2:
        model = posterior_model(components)
        ask = asked(model, tmp_path)
    answer = ask("reconstruct", support=support, support_size=sizes(4, 2, 0), values=values)
    mean, variance = (part.numpy() for part in model.infer(support, values, mask_of([4, 2, 0])))
    reach = 1.6448536 * np.sqrt(variance)
    np.testing.assert_allclose(answer["reconstruction"], mean, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(answer["low"], mean - reach, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(answer["high"], mean + reach, rtol=1e-3, atol=1e-3)
    assert (answer["low"] <= answer["high"]).all()
    assert texts(answer) == [""] * TASKS


def test_measured_values_come_back_bit_for_bit(ask, support, rng):
    values = rng.normal(size=(TASKS, 4, M)).astype(np.float32) * 10.0 ** rng.integers(-8, 8, M).astype(
        np.float32
    )
    values[rng.random(values.shape) < 0.3] = np.nan
    values[0, 0, 0] = -0.0
    answer = ask("reconstruct", support=support, support_size=sizes(4, 4, 4), values=values)
    measured = ~np.isnan(values)
    for name in ("reconstruction", "low", "high"):
        np.testing.assert_array_equal(answer[name][measured].view(np.uint32), values[measured].view(np.uint32))


def test_a_feature_that_was_constant_is_inferred_as_its_constant(ask, support):
    values = np.full((TASKS, 1, M), np.nan, np.float32)
    values[:, :, 0] = 1.0
    answer = ask("reconstruct", support=support, support_size=sizes(4, 4, 4), values=values)
    for name in ("reconstruction", "low", "high"):
        assert (answer[name][:, :, NAMES.index("größe")] == 3.0).all()


def test_values_that_were_not_measured_are_never_filled_in(tmp_path, plain, support, values):
    model = posterior_model(impute=True)
    ask = asked(model, tmp_path)
    spoiled = support.copy()
    spoiled[:, 1, 2] = np.nan  # of a support row it is filled in
    filled = np.where(np.isnan(spoiled), np.float32(2 + 3 / 2), spoiled)
    size = sizes(4, 4, 4)
    answer = ask("reconstruct", support=spoiled, support_size=size, values=values)
    expected = ask("reconstruct", support=filled, support_size=size, values=values)["reconstruction"]
    np.testing.assert_allclose(answer["reconstruction"], expected, rtol=1e-5)
    unimputed = plain[1]("reconstruct", support=filled, support_size=size, values=values)["reconstruction"]
    np.testing.assert_allclose(expected, unimputed, rtol=1e-5)


def test_wrong_limits_are_the_errors_of_their_tasks(ask, support):
    rows = np.concatenate([support] * 3)[:8]
    limits = no_limits(8)
    limits["include"][1, 2] = limits["exclude"][1, 2] = True
    limits["costs"][2, 3] = -1.0
    limits["costs"][3, 3] = np.nan
    limits["costs"][4, 3] = np.inf
    limits["include"][5, :3], limits["costs"][5], limits["budget"][5] = True, 2.5, 5.0
    limits["budget"][6] = np.nan
    answer = ask("rank", support=rows, support_size=np.full(8, 4, np.int32), **limits)
    price = "The costs of a task must be finite numbers of at least 0, but received another for 'größe'."
    assert texts(answer) == [
        "",
        "The feature 'a b' is both included and excluded.",
        *(price, price, price),
        "The included features cost 7.5 together, more than the budget of 5.",
        "The budget must be a number, negative for none.",
        "",
    ]
    assert (answer["indices"][1:7] == -1).all()
    assert (answer["names"][1:7] == b"").all()
    assert np.isnan(answer["expected_error"][1:7]).all()
    assert np.isnan(answer["novelty"][1:7]).all()
    alone = ask("rank", support=rows[7:], support_size=sizes(4), **no_limits(1))
    np.testing.assert_array_equal(answer["indices"][7], alone["indices"][0])


def test_wrong_rows_and_values_are_the_errors_of_their_tasks(ask, support, values):
    support = np.concatenate([support, support])
    values = np.concatenate([values, values])
    expected = ask("reconstruct", support=support, support_size=np.full(6, 4, np.int32), values=values)
    support[0, 1, 5] = np.nan
    values[1, 2, 1] = -np.inf
    support[4] = 3e38
    answer = ask("reconstruct", support=support, support_size=sizes(4, 4, -1, 5, 4, 4), values=values)
    assert texts(answer) == [
        "The support rows of a task must be finite numbers, "
        "but received NaN or infinity for 'r0c0': fill it in.",
        "The values of a task must be finite numbers, but received infinity for 'PPE': fill it in.",
        "support_size must be 0 or more, but received -1.",
        "support_size says 5 rows, but received only 4.",
        "The task's values are too large to compute with: check their units.",
        "",
    ]
    for name in ("reconstruction", "low", "high"):
        assert np.isnan(answer[name][:5]).all()
        np.testing.assert_array_equal(answer[name][5], expected[name][5])


def test_no_rows_of_values_get_no_answers(ask, support, values):
    answer = ask("reconstruct", support=support, support_size=sizes(4, 4, 4), values=values[:, :0])
    assert answer["reconstruction"].shape == (TASKS, 0, M)
    assert texts(answer) == [""] * TASKS


def test_many_features_are_computed_a_task_at_a_time_with_the_same_answers(
    tmp_path, support, values, monkeypatch, ask
):
    monkeypatch.setattr(task_by_task, "MOST_FEATURES", M - 1)
    one_by_one = asked(posterior_model(novelty=True), tmp_path)
    given = {"support": support, "support_size": sizes(4, 2, 0)}
    for signature, inputs in (
        ("select", {"support": support}),
        ("select_masked", given),
        ("rank", {**given, **no_limits()}),
        ("reconstruct", {**given, "values": values}),
    ):
        expected, answer = ask(signature, **inputs), one_by_one(signature, **inputs)
        shapes = [asked.loaded.signatures[signature].structured_outputs for asked in (ask, one_by_one)]
        for name in expected:
            assert shapes[0][name].shape.as_list() == shapes[1][name].shape.as_list(), (signature, name)
            if expected[name].dtype.kind == "f":
                np.testing.assert_allclose(answer[name], expected[name], rtol=1e-4, atol=1e-5)
            else:
                np.testing.assert_array_equal(answer[name], expected[name])


def test_the_description_says_what_the_model_takes(model):
    described = describe(model, NAMES, (4,), 1, "none", None, None, None)
    assert (described.method, described.support_sizes, described.support_size) == ("posterior", None, 4)
    assert described.ranks
    assert described.intervals["0.9"] == pytest.approx(1.645, abs=1e-3)
    assert described.widening(0.9) == pytest.approx(1.0)
    assert described.widening(0.75) == pytest.approx(1.15035 / 1.64485, rel=1e-3)
    wide = dataclasses.replace(described, intervals={**described.intervals, "0.95": 4.0})
    assert wide.widening(0.95) == pytest.approx(4.0 / 1.64485, rel=1e-3)
    assert type(described).from_json(described.to_json()) == described
