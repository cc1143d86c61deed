"""The load of benchmarks.serving_posterior at small size: mixed questions while versions change."""

import json
import shutil

import numpy as np
import pytest

from benchmarks.posterior_oracle import Limits, Oracle, learned_numbers
from benchmarks.serving_load import Answer, Server, load
from benchmarks.serving_mix import Judge, mixed_questions
from tests.serving.posterior import NAMES, WIDTH, K, M, posterior_model
from tests.serving.server.running_server import RunningServer
from tffs.selection.greedy import Limits as TensorLimits
from tffs.serving.export import export_model


@pytest.fixture(scope="module")
def models():
    return [posterior_model(novelty=True), posterior_model(components=0, novelty=True)]


@pytest.fixture
def judge():
    return Judge(models=2)


@pytest.fixture
def asked(models, judge):
    return mixed_questions([learned_numbers(model) for model in models], judge, K, distinct=60)


def test_mixed_questions_at_once_get_the_answers_of_numpy_while_versions_change(
    models, judge, asked, posterior_export, tmp_path
):
    other = export_model(models[1], NAMES, 4, str(tmp_path / "other"))
    exports = tmp_path / "export"
    shutil.copytree(posterior_export, exports / "1")
    with RunningServer(exports) as running:
        server = Server(running.server.grpc_port, running.server.rest_port, None)

        def mark():
            if judge.published == 1 and judge.counts["right"] >= 100:
                shutil.copytree(other, tmp_path / "new")
                (tmp_path / "new").rename(exports / str(judge.publish()))
            return judge.mark()

        until_changed = load(("gRPC", "REST"), server, asked, 64, requests=500, mark=mark)
        running.wait_for("Version 2 was loaded")
        after = load(("gRPC", "REST"), server, asked, 64, requests=200, mark=judge.mark)
    for measured in (until_changed, after):
        assert (measured.failed, judge.examples) == ([], [])
    assert len(until_changed.latencies) + len(after.latencies) == 700
    assert judge.answered_by[1] >= 32  # every client over gRPC asked once at least
    assert judge.answered_by[2] >= 32


@pytest.mark.parametrize("rows", [0, 1, 3, 16])
def test_the_oracle_answers_like_the_model(models, rng, rows):
    for model in models:
        oracle = Oracle(learned_numbers(model))
        support = (np.arange(M) + WIDTH * rng.normal(size=(rows, M))).astype(np.float32)
        limits = Limits(np.arange(M) == 2, np.arange(M) == 4, np.array([1.0, 2, 3, 0, 1, 2]), 5.0)
        there = np.ones((1, rows), bool)
        tensors = TensorLimits(*(np.array([part], np.float32) for part in limits))
        tensors = tensors._replace(include=tensors.include > 0, exclude=tensors.exclude > 0)
        expected = model.rank(support[None], there, tensors)
        ranked = oracle.rank(support, limits, M)
        count = len(ranked.indices)
        assert [*ranked.indices, *[-1] * (M - count)] == expected.indices.numpy()[0].tolist()
        np.testing.assert_allclose(ranked.errors, expected.errors[0, : count + 1], rtol=1e-4, atol=1e-6)
        if rows:
            assert oracle.novelty(support) == pytest.approx(float(expected.novelty[0]), abs=1e-4)
        values = (np.arange(M) + WIDTH * rng.normal(size=(5, M))).astype(np.float32)
        values[rng.random(values.shape) < 0.5] = np.nan
        values[0] = np.nan
        inferred, decoded = oracle.infer(support, values), model.infer(support[None], values[None], there)
        np.testing.assert_allclose(inferred.mean, decoded.mean[0], rtol=1e-4, atol=1e-4)
        reach = model.multiple(0.9) * np.sqrt(decoded.variance[0])
        np.testing.assert_allclose(inferred.reach, reach, rtol=1e-3, atol=1e-4)


def test_a_choice_that_is_not_the_best_is_found_out(models, rng):
    oracle = Oracle(learned_numbers(models[0]))
    support = np.arange(M) + WIDTH * rng.normal(size=(4, M))
    limits = Limits(np.zeros(M, bool), np.arange(M) == 4, np.ones(M), -1.0)
    best = oracle.rank(support, limits, 3)
    assert best.shortfall == 0.0
    assert oracle.rank(support, limits, 3, best.indices) == (best.indices, pytest.approx(best.errors), 0.0)
    swapped = (best.indices[1], best.indices[0], best.indices[2])
    assert oracle.rank(support, limits, 3, swapped).shortfall > 0.0
    assert oracle.rank(support, limits, 3, best.indices[:2]) is None  # one more could be chosen
    assert oracle.rank(support, limits, 3, (4, *best.indices[:2])) is None  # it is excluded


def test_answers_of_another_model_or_of_an_older_version_are_wrong(judge, asked, models):
    chosen = next(question for question in asked if question.kind == "reconstruct")
    rows = len(json.loads(chosen.rest)["instances"][0]["values"])
    for shape in ((rows, M), (rows + 1, M)):
        outputs = {name: np.zeros(shape) for name in chosen.outputs}
        assert not chosen.right(Answer(1, outputs), judge.mark())
    assert not chosen.right(
        Answer(1, {name: np.full((rows, M), np.nan) for name in chosen.outputs}), judge.mark()
    )
    assert "standard deviations away" in judge.examples[0]
    assert "has the shape" in judge.examples[1]
    assert "is nan standard deviations away" in judge.examples[2]
    judge.publish()
    assert judge.versions(2, 1) == [2]
    assert judge.versions(None, judge.mark()) == [2]
    assert judge.versions(1, judge.mark()) == []
    assert judge.versions(3, judge.mark()) == []
