"""Requests with other numbers of support rows are computed together, and each gets what it gets alone."""

import shutil

import numpy as np
import pytest
from grpc import StatusCode

from tests.serving.posterior import WIDTH, M
from tests.serving.server.batching_test import in_threads, recorded_runs
from tests.serving.server.running_server import RunningServer
from tffs.serving.server.merging import merged, merging_key


@pytest.fixture
def posterior_exports(posterior_export, tmp_path):
    shutil.copytree(posterior_export, tmp_path / "export" / "1")
    return str(tmp_path / "export")


def request(rng, rows, size=None):
    tasks = 1
    return {
        "support": (np.arange(M) + WIDTH * rng.normal(size=(tasks, rows, M))).astype(np.float32),
        "support_size": np.full(tasks, rows if size is None else size, np.int32),
        "include": np.zeros((tasks, M), bool),
        "exclude": np.zeros((tasks, M), bool),
        "costs": np.ones((tasks, M), np.float32),
        "budget": np.full(tasks, -1, np.float32),
    }


def test_supports_of_other_sizes_are_merged_and_each_task_gets_its_own_answer(
    posterior_exports, rng, monkeypatch
):
    requests = [request(rng, rows) for rows in (3, 0, 16, 1)]
    with RunningServer(posterior_exports) as running:
        version = running.server._versions.current
        alone = [version.run(version.signatures["rank"], one) for one in requests]
        runs = recorded_runs(running, monkeypatch)
        with running.busy_lane():
            results = in_threads([lambda one=one: running.predict("rank", **one) for one in requests])
            running.wait_for_queue(5)
        for expected, answer in zip(alone, results(), strict=True):
            assert list(answer.outputs["indices"].int_val) == expected["indices"].ravel().tolist()
            errors = list(answer.outputs["expected_error"].float_val)
            np.testing.assert_allclose(errors, expected["expected_error"].ravel(), rtol=1e-4, atol=1e-6)
            novelty = list(answer.outputs["novelty"].float_val)
            np.testing.assert_allclose(novelty, expected["novelty"], rtol=1e-3)
    assert runs == [4]


def test_a_size_of_more_rows_than_were_sent_is_still_refused_beside_longer_supports(posterior_exports, rng):
    wrong, longer = request(rng, 3, size=5), request(rng, 8)
    with RunningServer(posterior_exports) as running:
        with running.busy_lane():
            results = in_threads(
                [
                    lambda: running.refusal(lambda: running.predict("rank", **wrong)),
                    lambda: running.predict("rank", **longer),
                ]
            )
            running.wait_for_queue(3)
        (code, sentence), answer = results()
    assert code == StatusCode.INVALID_ARGUMENT
    assert "3" in sentence
    assert "5" in sentence
    assert answer.outputs["indices"].int_val


@pytest.mark.parametrize(("one", "other", "together"), [(0, 16, True), (16, 17, False), (17, 32, True)])
def test_a_support_is_padded_to_at_most_twice_its_rows_where_these_are_many(rng, one, other, together):
    first, second = request(rng, one), request(rng, other)
    assert (merging_key(first) == merging_key(second)) == together


def test_padding_is_put_behind_the_rows_that_count(rng):
    short, long = request(rng, 2), request(rng, 5)
    inputs = merged([short, long])
    assert inputs["support"].shape == (2, 5, M)
    np.testing.assert_array_equal(inputs["support"][0, :2], short["support"][0])
    assert not inputs["support"][0, 2:].any()
    np.testing.assert_array_equal(inputs["support_size"], [2, 5])


def test_inputs_without_a_number_of_rows_are_merged_as_they_are(rng):
    one, other = ({"support": rng.random((1, rows, M))} for rows in (2, 3))
    assert merging_key(one) != merging_key(other)
    assert merging_key(one) == merging_key({"support": rng.random((4, 2, M))})
