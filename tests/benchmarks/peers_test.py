"""Peers on the same rows: one small question that all of them answer, and the page that says who is ahead."""

import itertools
import json

import numpy as np
import pytest
from sklearn.impute import KNNImputer

from benchmarks import peers_quality
from benchmarks.peers import choosing, inferring, paying
from benchmarks.peers.fits import CAE, CLOSED, Fits
from benchmarks.peers.questions import SUPPORT, divided
from benchmarks.peers.shrunk import shrunk
from benchmarks.peers.swapping import swapped
from benchmarks.peers_quality_report import page, write_page
from tests.posterior.small import error_left, greedy

FEATURES, COUNT = 8, 5


def made_tasks(tasks=10, rows=30):
    rng = np.random.default_rng(0)
    mixing = rng.standard_normal((3, FEATURES))
    return [
        rng.standard_normal(FEATURES)
        + rng.standard_normal((rows, 3)) @ mixing
        + 0.3 * rng.standard_normal((rows, FEATURES))
        for _ in range(tasks)
    ]


@pytest.fixture(scope="module")
def asked():
    return divided("parkinsons", 0, made_tasks())


@pytest.fixture(scope="module")
def fits(asked):
    return Fits(asked, steps=20, residual="off")


def test_everybody_gets_all_rows_of_the_source_tasks_and_none_of_the_targets(asked):
    assert asked.source.shape == (8 * 30, FEATURES)
    np.testing.assert_allclose(asked.source.std(axis=0), 1.0, atol=1e-3)
    known = {row.tobytes() for row in asked.setting.tasks.matrix}
    for target in asked.targets:
        assert target.support.shape == (SUPPORT, FEATURES)
        assert len(target.rows) == 30 - SUPPORT
        assert not known & {row.tobytes() for row in target.rows}
        assert not {row.tobytes() for row in target.support} & {row.tobytes() for row in target.rows}


def test_swaps_find_the_best_features_where_each_is_close_to_others():
    rng = np.random.default_rng(0)
    mixing = rng.standard_normal((3, FEATURES))
    covariance = mixing.T @ mixing + 0.01 * np.diag(rng.random(FEATURES) + 0.1)
    weights, noise = rng.random(FEATURES) + 0.5, 1e-3 * np.diag(covariance)
    best = min(
        itertools.combinations(range(FEATURES), 4),
        key=lambda features: error_left(covariance, weights, noise, list(features)),
    )
    begun, _ = greedy(covariance, weights, 1e-3, 4)
    assert set(begun) != set(best)
    assert set(swapped(covariance, weights, 1e-3, np.array(begun)).tolist()) == set(best)


def needs(*packages):
    for package in packages:
        pytest.importorskip(package, reason=f"{package} is a peer: make test installs it")


@pytest.mark.parametrize("method", [name for name in choosing.METHODS if name != CLOSED])
def test_a_method_chooses_features_that_tell_more_than_the_mean(asked, fits, method):
    needs(
        {"PySensors": "pysensors", "scikit-matter": "skmatter", "fastcan": "fastcan"}.get(
            method.split()[0], "numpy"
        )
    )
    lines = list(choosing.measured(asked, fits, asked.targets[0], COUNT, method))
    assert all(line["distinct"] == COUNT or method == CAE for line in lines)
    assert min(line["own"] for line in lines) < (2.0 if method == CAE else 0.5)  # which has had 20 steps
    assert all(0.0 < line["ours"] < 0.5 and line["seconds"] >= 0.0 for line in lines)


@pytest.mark.parametrize("method", [name for name in inferring.METHODS if name != inferring.ITERATIVE])
def test_an_imputer_answers_better_than_the_mean(asked, fits, method):
    needs(*(["pysensors"] if method == "PySensors" else []))
    line = inferring.measured(asked, fits, asked.targets[0], "greedy", COUNT, method)
    assert 0.0 < line["error"] < 0.5
    assert (line["coverage"] is None) == method.startswith("KNN")


def test_iterative_imputer_answers_all_targets_at_once_with_intervals(asked, fits):
    lines = [
        inferring.measured(asked, fits, target, "random", COUNT, inferring.ITERATIVE)
        for target in asked.targets
    ]
    assert all(line["error"] < 1.0 and 0.5 < line["coverage"] <= 1.0 for line in lines)
    assert lines[1]["seconds"] < lines[0]["seconds"]


def test_nearest_rows_are_those_of_knn_imputer(asked, fits):
    target, features = asked.targets[0], np.array([1, 4, 6])
    rows = np.asarray(target.rows, np.float64)
    hidden = np.full(rows.shape, np.nan)
    hidden[:, features] = rows[:, features]
    known = np.concatenate([asked.source, target.support])
    found = inferring.METHODS["KNNImputer, 5"](asked, fits, target, features, rows[:, features])
    imputed = KNNImputer(n_neighbors=5).fit(known).transform(hidden)
    np.testing.assert_allclose(np.delete(found.mean, features, axis=1), np.delete(imputed, features, axis=1))


def test_without_support_the_shrunk_mean_is_that_of_the_source_tasks(asked):
    means = [asked.source[asked.groups == task].mean(axis=0) for task in range(8)]
    np.testing.assert_allclose(
        shrunk(asked.source, asked.groups, asked.source[:0]).mean, np.mean(means, axis=0)
    )
    support = asked.targets[0].support
    near = shrunk(asked.source, asked.groups, support).mean
    assert np.linalg.norm(near - support.mean(axis=0)) < np.linalg.norm(
        np.mean(means, axis=0) - support.mean(axis=0)
    )


@pytest.mark.parametrize("method", paying.METHODS)
def test_nobody_spends_more_than_the_budget(asked, fits, method):
    needs(*(["pysensors"] if method == paying.CCQR else []))
    lines = list(paying.measured(asked, fits, asked.targets[0], 3, method))
    assert all(0.0 < line["spent"] <= 3.0 + 1e-6 for line in lines)
    assert min(line["own"] for line in lines) < 0.9


def test_cells_that_were_measured_are_not_measured_again(asked, monkeypatch, tmp_path):
    needs("pysensors", "skmatter", "fastcan")
    monkeypatch.setattr(peers_quality, "question", lambda table, split, rows: asked)
    wanted = "part=inferring,table=parkinsons,split=0,K=5,given=greedy,method=KNNImputer, 5|PySensors"
    cells = peers_quality.cells_of(wanted)
    path = tmp_path / "lines.jsonl"
    peers_quality.run(cells[:1], path, quick=True)
    path.write_text(path.read_text() + '{"part": "choosing", "tab')  # killed while it wrote
    peers_quality.run(cells, path, quick=True)
    first = path.read_text()
    peers_quality.run(cells, path, quick=True)
    assert path.read_text() == first
    lines = peers_quality.read_lines(path)
    assert [line["method"] for line in lines if "part" in line] == ["KNNImputer, 5", "PySensors"]
    assert [line["about"]["cells"] for line in lines if "about" in line] == [1, 1]


def test_a_condition_that_no_cell_meets_names_what_there_is():
    with pytest.raises(SystemExit, match=r"received 'table=moon'; table is one of amazon_reviews, digits_r, "):
        peers_quality.cells_of("table=moon")
    with pytest.raises(SystemExit, match="on part, table, split, K, given, method, but received 'moon='"):
        peers_quality.cells_of("moon")


ABOUT = {
    **{"date": "2026-11-18 20:00 UTC", "machine": "a machine", "load average at the start": 1.0},
    **{"versions": {"python": "3.11"}, "commit": "0123", "cells": 2},
}


def written(method, own, ours=0.4, part="choosing", **more):
    cell = {"part": part, "table": "mnist_r", "split": 0, "K": 10, "given": "", "method": method}
    figures = {"variant": "", "own": own, "ours": ours, "distinct": 10, "seconds": 1.0}
    both = {**cell, "target": "2", **figures, **more}
    return {
        **{key: both[key] for key in cell},
        "answers": [{key: both[key] for key in both if key not in cell}],
    }


def lines_of(*lines):
    closed = written("posterior, no network", 0.41)
    return [{"about": ABOUT}, written("posterior", 0.4), closed, *lines]


def test_the_page_begins_with_the_peer_that_is_ahead():
    fast = written("fastcan", 0.3, 0.5, seconds=0.01)
    text = page(lines_of(fast, written("greedy", 0.6, 0.35, seconds=2.0)), "peers.png", 9)
    first = text[text.index("## Where") :].splitlines()
    assert first[2] == (
        "- **Time**, mean over K. fastcan take 0.01 to 0.01 s to fit and choose, the posterior 1 to 1 s, "
        "once for every K and target (1 to 1 s without its network)."
    )
    assert first[3:7] == [
        "- **With its own decoder, a peer or a yardstick is ahead of the posterior in 1 of 1 places:**",
        "  - MNIST-r, K = 10: fastcan 30 %, lower on 1 of 1 targets (posterior 40 %)",
        "- **With our decoder, features that another method chose are better in 1 of 1 places:**",
        "  - MNIST-r, K = 10: greedy 35 %, lower on 1 of 1 targets (posterior 40 %)",
    ]
    assert "python 3.11" in text
    assert "Commits: 0123" in text
    assert " of 9 are measured" in text


def test_what_swapping_would_gain_is_told_apart_from_peers():
    text = page(lines_of(written("posterior, swapped", 0.3), written("greedy", 0.6)), "peers.png", 9)
    assert "yardstick is ahead of the posterior in none of 1 places.**" in text
    lines = text.splitlines()
    title = "- **Swapping some of its features makes the posterior better in 1 of 1 places:**"
    assert lines[lines.index(title) + 1] == (
        "  - MNIST-r, K = 10: posterior, swapped 30 %, lower on 1 of 1 targets (posterior 40 %)"
    )


def test_a_table_that_only_one_method_has_chosen_of_is_not_on_the_page():
    lines = lines_of(written("fastcan", 0.3, 0.5, seconds=0.01), written("greedy", 0.6, 0.35, seconds=2.0))
    alone = {**written("posterior", 0.4, seconds=3.0), "table": "pacs_features"}
    assert page([*lines, alone], "peers.png", 9).count("PACS") == 0


def test_a_peer_has_its_best_variant_and_is_compared_on_the_splits_that_it_has():
    late = written("fastcan", 0.35, variant="b; source")
    late["answers"] += written("fastcan", 0.5, variant="a; source")["answers"]
    other = written("posterior", 0.1, split=1)
    text = page([*lines_of(late), other, written("posterior, no network", 0.1, split=1)], "peers.png", 9)
    assert "fastcan 35 %, lower on 1 of 1 targets (posterior 40 %)" in text
    assert "| fastcan               |     35 % |" in text
    assert "| posterior             |     25 % |" in text


def test_the_page_says_that_nobody_is_ahead_and_is_written_with_its_picture(tmp_path):
    given = {"part": "inferring", "given": "random"}
    line = written("greedy", 0.6, **given, error=0.6, coverage=0.9)
    ours = written("posterior", 0.4, **given, error=0.4, coverage=0.91)
    lines = json.loads(json.dumps(lines_of(written("greedy", 0.6, 0.5), line, ours)))
    text = write_page(tmp_path / "peers.jsonl", lines, 9)
    assert "yardstick is ahead of the posterior in none of 1 places.**" in text
    assert "another method infers better in none of 1 places.**" in text
    assert (
        "- **Coverage of 90 % intervals**, mean distance in percentage points over these places: greedy 0.0 "
        in text
    )
    assert "60 % (90%)" in text.replace("  ", " ")
    assert (tmp_path / "peers.md").read_text() == text
    assert (tmp_path / "peers.png").stat().st_size > 5000
