"""The figures of a model on held-out tasks, beside a NumPy oracle."""

import numpy as np
import pandas as pd
import pytest
import tensorflow as tf

from pipelines.blessing import Evidence, objections
from pipelines.configs import Bars
from pipelines.episodes import HeldOut, read_raw
from pipelines.input_spans import serialize
from tests.pipelines import tiny
from tffs.data.source_statistics import SourceStatistics
from tffs.data.tasks import TaskRows, Tasks
from tffs.errors import UserError
from tffs.layers import Scaling
from tffs.models import RawUnitsSelector, concrete_model
from tffs.posterior.fitting import fit_posterior, source_of
from tffs.serving.answers import Reconstruction
from tffs.serving.export import describe, write_version
from tffs.serving.exported_model import ExportedModel

SEED, DRAWS = 3, 2


@pytest.fixture(scope="module")
def statistics():
    source = tiny.joined(tiny.SOURCE)
    return SourceStatistics.of(source, np.arange(len(source)), medians=True)


@pytest.fixture(scope="module")
def model(statistics, tmp_path_factory):
    """An untrained model, which fills in missing values."""
    selector = concrete_model(8, tiny.K, 10, 8, (16,), seed=1)
    return _exported(selector, statistics, tmp_path_factory)


@pytest.fixture(scope="module")
def posterior(statistics, tmp_path_factory):
    """A posterior, which fills in missing values of the support."""
    rows = tiny.joined(tiny.SOURCE)
    scaled = (rows - statistics.low) / (statistics.high - statistics.low)
    lists = np.split(np.arange(len(rows)), len(tiny.SOURCE))
    source, watching = source_of(scaled, TaskRows.from_lists(tiny.SOURCE, lists), None, None, SEED)
    fitted = fit_posterior(source, watching, "minmax", tiny.K, SEED, components=())
    return _exported(fitted.model, statistics, tmp_path_factory)


def _exported(selector, statistics, tmp_path_factory):
    scaling = Scaling(impute=True)
    raw = RawUnitsSelector(selector, scaling)
    raw.build()
    scaling.learn(*statistics.offset_and_width("minmax"), statistics.median)
    path = str(tmp_path_factory.mktemp("export") / "1")
    about = describe(raw, tiny.ORDER, (tiny.SUPPORT,), 1, "minmax", statistics, None, None)
    write_version(raw, about, path)
    return ExportedModel(path)


def _tasks(rows, labelled):
    matrix = np.concatenate(list(rows.values()))
    counts = [len(part) for part in rows.values()]
    labels = (tiny.labels(matrix) == "well").astype(np.int64) if labelled else None
    return Tasks(matrix, tiny.ORDER, tuple(rows), np.concatenate([[0], np.cumsum(counts)]), labels)


def _oracle(model, matrix, number, statistics):
    """Measure one task as the text of the evaluation says, in scaled units."""
    low, width = statistics.low, statistics.high - statistics.low

    def scaled(x):
        return (np.where(np.isnan(x), statistics.median, x) - low) / width

    errors, shares, chosen, covered = [], [], [], []
    for draw in range(DRAWS):
        places = np.arange(len(matrix)) + len(matrix) * number  # tasks of as many rows stand before it
        order = np.random.default_rng([SEED, number, draw]).permutation(places)
        rows = matrix[order - places[0]]
        support, others = rows[: tiny.SUPPORT], rows[tiny.SUPPORT :]
        selected = model.select(support)["index"].tolist()
        names = [tiny.ORDER[feature] for feature in selected]
        measured = pd.DataFrame(others[:, selected], columns=names)
        answer = model.reconstruct(support, measured.loc[:, ~measured.columns.duplicated()]).to_numpy()
        answer[:, selected] = others[:, selected]
        errors.append(np.square(scaled(others) - scaled(answer)).sum(axis=1).mean())
        by_mean = np.square(scaled(others) - (statistics.mean - low) / width).sum(axis=1).mean()
        shares.append(errors[-1] / by_mean)
        chosen.append(set(selected))
        inferred = ~np.isnan(others)
        inferred[:, selected] = False
        if model.description.ranks:
            within = model.reconstruct(support, measured, interval=0.9)
            inside = (within.low.to_numpy() <= others) & (others <= within.high.to_numpy())
            covered.append(inside[inferred].mean())
    return np.mean(errors), np.mean(shares), chosen, np.mean(covered) if covered else None


@pytest.mark.parametrize("labelled", [True, False])
@pytest.mark.parametrize("method", ["model", "posterior"])
def test_the_figures_are_those_of_an_oracle(method, labelled, statistics, request):
    model = request.getfixturevalue(method)
    rows = {task: tiny.values()[task].copy() for task in tiny.HELD_OUT}
    rows["t5"][[2, 30], [1, 7]] = np.nan
    found = HeldOut(_tasks(rows, labelled), statistics, "minmax", DRAWS, SEED, tiny.SUPPORT).figures(model)
    assert list(found) == ["t4", "t5"]
    for number, (task, matrix) in enumerate(rows.items()):
        error, share, chosen, covered = _oracle(model, matrix, number, statistics)
        np.testing.assert_allclose(found[task]["msre"], error, rtol=1e-5)
        np.testing.assert_allclose(found[task]["relative_error"], share, rtol=1e-5)
        assert found[task]["coverage"] == (None if covered is None else pytest.approx(covered))
        assert found[task]["distinct"] == np.mean([len(one) for one in chosen])
        counts = {tiny.ORDER[i]: sum(i in one for one in chosen) for i in set.union(*chosen)}
        assert found[task]["chosen"] == counts
        assert found[task]["rows"] == tiny.ROWS
        assert (found[task]["ari"] is not None) == labelled
        assert (found[task]["nmi"] is not None) == labelled


def test_the_same_draws_are_measured_again(model, statistics):
    tasks = _tasks({"t4": tiny.values()["t4"]}, labelled=False)
    first, again, other = (
        HeldOut(tasks, statistics, "minmax", DRAWS, seed, tiny.SUPPORT).figures(model)
        for seed in (SEED, SEED, SEED + 1)
    )
    assert first == again
    assert first != other


class NarrowIntervals:
    """A model whose intervals are broken: they have half of their width."""

    def __init__(self, model):
        self.description, self.select, self._model = model.description, model.select, model

    def reconstruct(self, support, values, interval):
        values, low, high = self._model.reconstruct(support, values, interval=interval)
        return Reconstruction(values, (values + low) / 2, (values + high) / 2)


def test_broken_intervals_cover_less_and_are_not_blessed_where_healthy_ones_are(posterior, statistics):
    alike = _tasks({task: tiny.values()[task] for task in tiny.SOURCE}, labelled=False)
    held_out = HeldOut(alike, statistics, "minmax", DRAWS, SEED, tiny.SUPPORT)
    healthy, broken = (
        Evidence(held_out.figures(model), None) for model in (posterior, NarrowIntervals(posterior))
    )
    assert objections(healthy, None, Bars()) == []
    assert ["intervals cover" in one for one in objections(broken, None, Bars())] == [True]


class AnswersWithoutWhatWasMeasured:
    """A model whose reconstructions overwrite what was measured, as exports before 0.6.0 did."""

    def __init__(self, model):
        self.description, self.select, self._model = model.description, model.select, model

    def reconstruct(self, support, values):
        answer = self._model.reconstruct(support, values)
        answer.iloc[:, self.select(support)["index"].to_numpy()] += 1.0
        return answer


def test_a_model_that_overwrites_what_was_measured_is_compared_on_what_was_not(model, statistics):
    held_out = HeldOut(
        _tasks({"t4": tiny.values()["t4"]}, labelled=False), statistics, "minmax", 1, SEED, tiny.SUPPORT
    )
    found = held_out.figures(model)
    assert held_out.figures(AnswersWithoutWhatWasMeasured(model)) == found
    assert found["t4"]["msre"] == pytest.approx(found["t4"]["msre_unmeasured"])


def test_models_of_different_support_sizes_are_measured_on_the_same_rows(model, statistics):
    tasks = _tasks({"t4": tiny.values()["t4"]}, labelled=False)
    small, large = (
        HeldOut(tasks, statistics, "minmax", 1, SEED, size).figures(model)["t4"]
        for size in (tiny.SUPPORT, tiny.ROWS - 1)
    )
    order = np.random.default_rng([SEED, 0, 0]).permutation(tiny.ROWS)
    rows = tasks.matrix[order]
    selected = model.select(rows[: tiny.SUPPORT])["index"].tolist()
    answer = model.reconstruct(rows[: tiny.SUPPORT], rows[-1:, selected]).to_numpy()
    width = statistics.high - statistics.low
    np.testing.assert_allclose(large["msre"], np.square((rows[-1:] - answer) / width).sum(), rtol=1e-5)
    assert small["msre"] != large["msre"]


def test_a_task_with_no_more_rows_than_a_support_set_cannot_be_measured(model, statistics):
    tasks = _tasks({"t4": tiny.values()["t4"][: tiny.SUPPORT]}, labelled=False)
    with pytest.raises(
        UserError, match="The held-out task t4 has 4 rows, but evaluating takes more than the 4"
    ):
        HeldOut(tasks, statistics, "minmax", DRAWS, SEED, tiny.SUPPORT).figures(model)


def test_raw_rows_are_read_as_they_were_written(tmp_path):
    x = np.array([[1.0, np.nan], [3.0, 4.0], [5.0, 6.0]], np.float32)
    with tf.io.TFRecordWriter(str(tmp_path / "rows.gz"), options="GZIP") as writer:
        for record in serialize(x, ("größe", "f2"), ["v", "u", "v"], np.array([0, 1, 1])):
            writer.write(record)
    found = read_raw([str(tmp_path / "*")], ("größe", "f2"))
    assert found.task_names == ("u", "v")
    np.testing.assert_array_equal(found.matrix[0], [3.0, 4.0])
    assert sorted(found.matrix[1:, 0].tolist()) == [1.0, 5.0]
    assert np.isnan(found.matrix).sum() == 1
    assert sorted(found.labels[1:].tolist()) == [0, 1]


def test_a_posterior_leaves_less_error_than_an_untrained_network(model, posterior, statistics):
    held_out = HeldOut(
        _tasks({"t4": tiny.values()["t4"]}, labelled=False), statistics, "minmax", DRAWS, SEED, tiny.SUPPORT
    )
    errors = [held_out.figures(one)["t4"]["relative_error"] for one in (posterior, model)]
    assert errors[0] < errors[1] / 2
