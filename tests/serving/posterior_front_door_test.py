"""A posterior model asked from Python, in this process and over both protocols of a real server."""

import dataclasses
import json
import os
import shutil
import warnings

import numpy as np
import pandas as pd
import pytest

from tests.serving.posterior import NAMES as FEATURES
from tests.serving.posterior import WIDTH, M, posterior_model
from tests.serving.server.batching_test import in_threads
from tests.serving.server.running_server import RunningServer
from tffs.errors import UserError
from tffs.serving import Client, contract
from tffs.serving.exported_model import ExportedModel

NAMES = list(FEATURES)
PRICES = dict(zip(NAMES, (1.0, 2.0, 3.0, 4.0, 5.0, 6.0), strict=True))


@pytest.fixture(scope="module")
def local(posterior_export):
    return ExportedModel(posterior_export)


@pytest.fixture(scope="module")
def served(posterior_export, tmp_path_factory):
    base = tmp_path_factory.mktemp("served") / "export"
    shutil.copytree(posterior_export, base / "1")
    with RunningServer(base) as running:
        yield running


@pytest.fixture(params=["local", "rest", "grpc"])
def model(request, local, served):
    if request.param == "local":
        yield local
        return
    port = served.server.rest_port if request.param == "rest" else served.server.grpc_port
    with Client(f"{'http' if request.param == 'rest' else 'grpc'}://127.0.0.1:{port}") as client:
        yield client


@pytest.fixture(scope="module")
def concrete(tiny_export):
    return ExportedModel(tiny_export)


@pytest.fixture
def rows(rng):
    return pd.DataFrame((np.arange(M) + WIDTH * rng.normal(size=(4, M))).astype(np.float32), columns=NAMES)


@pytest.fixture
def values(rng):
    frame = pd.DataFrame({"r0c0": [1.5, np.nan, 2.5], "id": ["x", "y", "z"], "PPE": [np.nan, np.nan, 0.1]})
    return frame.set_index(pd.Index([7, 8, 9]))


def test_rank_gives_all_features_with_the_error_after_each(model, rows):
    ranked = model.rank(rows[NAMES[::-1]].assign(label="x"))
    indices, errors, novelty = posterior_model(novelty=True).rank(rows.to_numpy()[None], np.ones((1, 4), bool))
    assert ranked["index"].tolist() == indices[0].numpy().tolist()
    assert ranked["feature"].tolist() == [NAMES[index] for index in ranked["index"]]
    np.testing.assert_allclose(ranked["expected_error"], errors[0, 1:], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(ranked["score"], -np.diff(errors[0]), rtol=1e-3, atol=1e-6)
    assert ranked.index.tolist() == [1, 2, 3, 4, 5, 6]
    assert list(ranked.columns) == ["feature", "index", "expected_error", "score"]
    assert (ranked.attrs["version"], ranked.attrs["method"], ranked.attrs["rows"]) == (1, "posterior", 4)
    assert ranked.attrs["novelty"] == pytest.approx(float(novelty[0]), rel=1e-4)
    assert ranked.attrs["expected_error_of_none"] == pytest.approx(float(errors[0, 0]), rel=1e-5)


@pytest.mark.parametrize(
    ("wanted", "signature"), [(None, "select_limited"), (2, "select_limited"), (4, "rank")]
)
def test_only_as_many_features_are_ranked_as_are_wanted(local, rows, wanted, signature, monkeypatch):
    asked, run = [], local._run
    monkeypatch.setattr(local, "_run", lambda name, inputs: asked.append(name) or run(name, inputs))
    chosen = local.select(rows, wanted, exclude=["PPE"])
    assert asked == [signature]
    pd.testing.assert_frame_equal(chosen, local.rank(rows, exclude=["PPE"]).iloc[: wanted or 3], rtol=1e-5)


def test_an_export_that_does_not_select_within_limits_is_asked_for_its_ranking(local, rows, monkeypatch):
    older = dataclasses.replace(local.description, selects_limited=False)
    expected = local.select(rows, 2)
    monkeypatch.setattr(local, "description", older)
    run = local._run
    monkeypatch.setattr(local, "_run", lambda name, inputs: run({"rank": "rank"}[name], inputs))
    pd.testing.assert_frame_equal(local.select(rows, 2), expected, rtol=1e-5)


def test_without_rows_the_source_tasks_alone_answer_and_novelty_is_not_known(model, rows):
    ranked = model.rank()
    assert (ranked.attrs["rows"], ranked.attrs["novelty"]) == (0, None)
    pd.testing.assert_frame_equal(model.rank(rows.iloc[:0]), ranked)
    pd.testing.assert_frame_equal(model.select(num_selected=2), ranked.iloc[:2])


def test_select_gives_the_first_of_the_ranking(model, rows):
    ranked = model.rank(rows)
    pd.testing.assert_frame_equal(model.select(rows), ranked.iloc[:3])
    for number in (1, 6):
        pd.testing.assert_frame_equal(model.select(rows, number), ranked.iloc[:number])


def test_limits_are_kept_by_name(model, rows):
    chosen = model.select(rows, 4, include=["x,y"], exclude="PPE")
    assert chosen["feature"].iloc[0] == "x,y"
    assert "PPE" not in set(chosen["feature"])
    assert len(model.rank(rows, exclude=["PPE", "a b"])) == 4
    bought = model.rank(rows, costs=PRICES, budget=7)
    assert bought["cost"].tolist() == [PRICES[name] for name in bought["feature"]]
    assert bought["cost"].sum() <= 7
    free = model.rank(rows, costs=pd.Series({**PRICES, "größe": 0}), budget=0)
    assert free["feature"].tolist() == ["größe"]


def test_all_that_is_included_is_selected_even_if_it_is_more_than_the_model_selects(model, rows):
    wanted = ["x,y", "a b", "größe", "PPE"]
    chosen = model.select(rows, include=iter(wanted))
    assert sorted(chosen["feature"]) == sorted(wanted)


def test_without_a_number_as_many_are_selected_as_may_be(model, rows):
    assert len(model.select(rows, exclude=NAMES[:4])) == 2


@pytest.mark.parametrize(
    ("wishes", "sentence"),
    [
        ({"include": ["speed"]}, "in include. Received: 'speed'. Its features are 'Jitter"),
        ({"exclude": ["speed"]}, "in exclude. Received: 'speed'"),
        ({"costs": {"speed": 1.0}}, "in costs. Received: 'speed'"),
        ({"include": ["PPE"], "exclude": ["PPE"]}, "Received: 'PPE' in both"),
        ({"costs": {**PRICES, "PPE": -1.0}}, "at least 0. Received: -1.0 for 'PPE'"),
        ({"costs": {**PRICES, "PPE": np.inf}}, "finite number of at least 0. Received: inf for 'PPE'"),
        ({"costs": {**PRICES, "PPE": "dear"}}, "Received: 'dear' for 'PPE'"),
        ({"costs": {"PPE": 1.0}}, "The costs lack 'Jitter.*', 'a b', 'größe', 'x,y', 'r0c0': give a cost"),
        ({"costs": pd.Series([1.0, 2.0], ["PPE", "PPE"])}, "name 'PPE' more than once"),
        ({"budget": 3.0}, "A budget needs the features' costs"),
        ({"costs": PRICES, "budget": 0.5}, "0.5 buys no feature, because the cheapest .* costs 1"),
        ({"costs": PRICES, "budget": -2.0}, "must be a number of at least 0. Received: -2.0"),
        (
            {"costs": PRICES, "budget": 5, "include": ["x,y", "PPE"]},
            "cost 7 together, more than the budget of 5",
        ),
        ({"exclude": NAMES}, "Every feature is excluded"),
        ({"num_selected": 7}, "from 1 to 6. Received: 7"),
        ({"num_selected": 0}, "from 1 to 6. Received: 0"),
        ({"num_selected": 2.5}, "whole number from 1 to 6. Received: 2.5"),
        ({"num_selected": 1, "include": ["PPE", "x,y"]}, "must be at least 2. Received: 1"),
        (
            {"num_selected": 5, "exclude": NAMES[:3]},
            "at most 3, the features that are not excluded",
        ),
        ({"num_selected": 5, "costs": PRICES, "budget": 4}, "the features that the budget buys. Received: 5"),
    ],
)
def test_wishes_that_cannot_be_kept_are_one_sentence(local, rows, wishes, sentence):
    with pytest.raises(UserError, match=sentence):
        local.select(rows, **wishes)


def test_rows_far_from_the_source_tasks_are_told_of(posterior_export, rows):
    told = []
    ExportedModel(posterior_export, told.append).rank(rows * 100)
    assert told == [
        "The support rows are more unusual than 100 % of the source tasks: "
        "the answer may not hold for this task."
    ]


def test_reconstruct_takes_any_columns_and_gives_what_was_measured_back(model, rows, values):
    whole = model.reconstruct(rows, values)
    given = np.full((1, 3, M), np.nan, np.float32)
    given[0, :, 5], given[0, :, 1] = values["r0c0"], values["PPE"]
    expected = posterior_model().infer(rows.to_numpy()[None], given).mean[0]
    np.testing.assert_allclose(whole.to_numpy(), expected, rtol=1e-3, atol=1e-4)
    assert (list(whole.columns), whole.index.tolist(), whole.attrs["version"]) == (NAMES, [7, 8, 9], 1)
    assert whole["PPE"].iloc[2] == np.float32(0.1)
    pd.testing.assert_frame_equal(model.reconstruct(rows, given[0]), whole.reset_index(drop=True))
    assert np.isfinite(model.reconstruct(values=values).to_numpy()).all()


def test_intervals_are_around_what_is_inferred_and_widen_with_the_share(model, rows, values):
    narrow, usual = (model.reconstruct(rows, values, interval=level) for level in (0.5, 0.9))
    pd.testing.assert_frame_equal(usual.values, model.reconstruct(rows, values))
    reach = (usual.high - usual.low).to_numpy()
    ratio = 0.6744898 / 1.6448536
    np.testing.assert_allclose((narrow.high - narrow.low).to_numpy(), ratio * reach, rtol=1e-3, atol=1e-4)
    assert (reach[:, 0] > 0).all()
    for frame in usual:
        assert frame["PPE"].iloc[2] == np.float32(0.1)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda values: values[["id"]], "any of the model's features .* Received: the columns 'id'"),
        (lambda values: values.assign(PPE="x"), "must be numbers, but the column 'PPE' holds something"),
        (lambda values: values.assign(PPE=[1, 2, np.inf]), "'PPE' in row 3 is infinite"),
        (lambda values: values.iloc[:0], "have no rows"),
        (lambda values: np.zeros((2, 3)), "must be of shape .rows, 6."),
        (lambda values: None, "must be numbers"),
    ],
)
def test_wrong_values_are_one_sentence(local, rows, values, change, sentence):
    with pytest.raises(UserError, match=sentence):
        local.reconstruct(rows, change(values))


@pytest.mark.parametrize("level", [0.0, 1.0, 90])
def test_an_interval_that_covers_no_share_is_refused(local, rows, values, level):
    with pytest.raises(UserError, match="between 0 and 1. Received"):
        local.reconstruct(rows, values, interval=level)


def test_missing_support_cells_are_refused_where_they_are_not_filled_in(local, rows):
    rows.loc[2, "PPE"] = np.nan
    with pytest.raises(UserError, match="'PPE' in row 3 is missing"):
        local.rank(rows)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda model, rows: model.select(rows, 4), "exactly 3 features. Received: num_selected=4"),
        (lambda model, rows: model.select(rows, include=["PPE"]), "Received: include. Leave that out"),
        (lambda model, rows: model.select(rows, costs=PRICES, budget=3), "Received: costs, budget. Leave"),
        (lambda model, rows: model.rank(rows), "the method concrete, which does not rank features"),
        (
            lambda model, rows: model.reconstruct(rows, rows, interval=0.9),
            "concrete, which does not give intervals",
        ),
        (lambda model, rows: model.select(), "takes 2 support rows of 6 features. Received: none"),
    ],
)
def test_a_concrete_model_refuses_what_it_cannot_do(concrete, rows, ask, sentence):
    with pytest.raises(UserError, match=sentence):
        ask(concrete, rows.iloc[:2])


def test_a_concrete_model_says_its_method(concrete, rows):
    chosen = concrete.select(rows.iloc[:2], num_selected=3)
    assert chosen.attrs == {"version": 1, "method": "concrete", "rows": 2, "novelty": None}


def test_null_and_nan_are_not_measured_over_rest_and_a_support_may_be_empty(served, local):
    def asked(support, size, hole):
        body = {"support": support, "support_size": size, "values": [[1.5, hole, hole, hole, hole, 2.0]]}
        status, answer = served.post({"signature_name": "reconstruct", "instances": [body]})
        assert status == 200, answer
        return answer["predictions"][0]

    expected = asked([[0.0] * M], 0, float("nan"))
    assert asked([], 0, None) == expected
    values = pd.DataFrame({NAMES[0]: [1.5], NAMES[5]: [2.0]})
    np.testing.assert_allclose(expected["reconstruction"], local.reconstruct(values=values), rtol=1e-5)


def test_flags_must_be_flags_over_rest(served):
    body = {"support": [], "support_size": 0, "include": [1] * M, "exclude": [False] * M, "costs": [0.0] * M}
    status, answer = served.post({"signature_name": "rank", "instances": [{**body, "budget": -1.0}]})
    assert (status, "'include': JSON Value Type: Number is not of expected type: bool" in answer["error"]) == (
        400,
        True,
    )


def test_tasks_of_one_batch_do_not_influence_each_other(served, rng):
    def inputs(number):
        support = (np.arange(M) + WIDTH * rng.normal(size=(1, 4, M))).astype(np.float32)
        values = np.where(rng.random((1, 2, M)) < 0.5, np.nan, rng.normal(size=(1, 2, M))).astype(np.float32)
        if number == 2:
            support[0, 0, 0] = np.nan  # a task with an error
        return {"support": support, "support_size": np.array([number + 1], np.int32), "values": values}

    tasks = [inputs(number) for number in range(4)]

    def call(task):
        try:
            answer = served.predict("reconstruct", **task)
            return list(answer.outputs["reconstruction"].float_val)
        except Exception as error:
            return error.details()

    with served.busy_lane():
        results = in_threads([lambda task=task: call(task) for task in tasks])
        served.wait_for_queue(5)
    for together, task in zip(results(), tasks, strict=True):
        alone = call(task)
        if isinstance(alone, str):
            assert together == alone
            assert "'Jitter(%)'" in alone
        else:
            np.testing.assert_allclose(together, alone, rtol=1e-5)


def test_the_model_card_says_what_was_chosen_and_what_the_answers_are_worth(posterior_export):
    with open(os.path.join(posterior_export, contract.MODEL_CARD), encoding="utf-8") as file:
        card = file.read()
    assert "From any number of rows of a new task, none included" in card
    assert "Chosen of 7 candidates by their errors on 40 source tasks that were left out in turn" in card
    assert "without labels: nu infinite, ridge 0.001, components 2." in card
    assert "`novelty` says how unlike the source tasks" in card
    with open(os.path.join(posterior_export, contract.DESCRIPTION), encoding="utf-8") as file:
        described = json.load(file)
    assert (described["method"], described["support_sizes"], described["format"]) == ("posterior", None, 2)


def test_a_support_of_many_rows_is_taken(local, rng):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert local.rank(rng.normal(size=(100_000, M)).astype(np.float32)).attrs["rows"] == 100_000
