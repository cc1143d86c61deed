"""Every task is measured by models of the others alone."""

import numpy as np
import pytest

from tffs import flags
from tffs.evaluation.left_out import Summary, curve_counts
from tffs.evaluation.left_out.folds import on_left_out_tasks
from tffs.methods.catalogue import CLOSED_FORM, Posterior
from tffs.planning.setting import settle

FEATURES, TASKS, ROWS = 6, 5, 40


def table(rng, rows=ROWS):
    """Tasks with means of their own, whose features follow from two latents."""
    latents = rng.normal(size=(TASKS, rows, 2))
    mixing = rng.normal(size=(2, FEATURES))
    means = rng.normal(size=(TASKS, 1, FEATURES))
    return (latents @ mixing + means + 0.1 * rng.normal(size=(TASKS, rows, FEATURES))).astype(np.float32)


@pytest.fixture
def settled(tmp_path, data_dir):
    def settle_table(x, *more):
        tasks = np.repeat([f"t{number}" for number in range(len(x))], x.shape[1])
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.npz"
        np.savez(path, x=x.reshape(-1, x.shape[-1]), task=tasks)
        command = flags.parse(
            ["tffs", f"--table={path}", "--num_selected=2", "--support_size=3", f"--data_dir={data_dir}", *more]
        )
        return settle(command.run, command.place, lambda sentence: None)

    return settle_table


def measured(setting, share=lambda doing, done: None):
    counts = curve_counts(FEATURES, 2)
    found = on_left_out_tasks(Posterior(components=()), setting, CLOSED_FORM, counts, share, {})
    return found.tasks, Summary(found, counts, setting)


def test_the_curve_is_measured_at_few_numbers_of_features():
    assert curve_counts(16, 5) == (*range(11), 13, 16)
    assert curve_counts(6, 4) == (0, 1, 2, 3, 4, 5, 6)
    assert curve_counts(64, 12) == (*range(11), 12, 13, 21, 34, 55, 64)
    assert curve_counts(1, 1) == (0, 1)
    assert curve_counts(20000, 10)[-2:] == (377, 20000)


def test_a_model_does_not_see_the_tasks_that_it_is_measured_on(settled, rng):
    x = table(rng)
    before, _ = measured(settled(x, "--scaling=none"))
    x.reshape(-1, FEATURES)[before[0].exam.rows[0]] += 50.0  # is inferred, and is not in the support
    after, _ = measured(settled(x, "--scaling=none"))
    np.testing.assert_allclose(after[0].expected, before[0].expected, rtol=1e-5)
    assert not np.allclose(after[1].expected, before[1].expected, rtol=1e-2)


def test_every_task_is_measured_once_and_the_model_is_better_than_yardsticks(settled, rng):
    shares = []
    found, summary = measured(settled(table(rng)), lambda doing, done: shares.append(done))
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert len([done for done in shares if done < 0.2]) > 2  # told inside the first of five folds, too
    assert [one.exam.name for one in found] == [f"t{number}" for number in range(TASKS)]
    for one in found:
        known = np.concatenate([one.exam.support, one.exam.rows])
        assert len(set(known.tolist())) == ROWS  # the support is not measured on
        assert one.errors[-1] == 0.0
        assert (np.diff(one.errors[:3]) < 0).all()
    facts = summary.left_out(folds=5)
    worst = max(summary.facts()["tasks"], key=lambda task: task["relative_error"])
    assert facts["relative_error"]["worst_task"] == worst["task"]
    assert facts["relative_error"]["median"] < min(
        figures.relative_error for figures in summary.yardsticks().values()
    )
    assert facts["below"]["greedy"] >= 4
    assert 0.7 < facts["coverage"] <= 1.0
    by_task = [task["coverage"] for task in summary.facts()["tasks"]]
    assert facts["coverage"] == pytest.approx(np.mean(by_task))  # all tasks have as many rows
    assert len(set(by_task)) > 1
    assert summary.own([0, 1]).relative_error == facts["relative_error"]["median"]


def test_what_is_chosen_with_nothing_known_is_measured_too(settled, rng):
    found, summary = measured(settled(table(rng)))
    for one in found:
        assert one.nothing_known[-1] == 0.0
        assert one.nothing_known[0] == pytest.approx(one.by_mean, rel=0.2)  # nothing is known but the sources
    point = next(point for point in summary.facts()["curve"] if point["num_selected"] == 2)
    assert point["measured"] < point["nothing_known"] < 1.0  # the tasks' means differ
    assert point["nothing_known_low"] < point["nothing_known"] < point["nothing_known_high"]


def test_rmse_is_in_raw_units(settled, rng):
    x = table(rng)
    units = np.array([1e-4, 1, 1, 1, 1, 1e3], np.float32)
    plain, scaled = (measured(settled(rows))[1].features() for rows in (x, x * units))
    for one, other, unit in zip(plain, scaled, units, strict=True):
        assert one["chosen"] == other["chosen"]
        if one["rmse"] is not None:
            assert other["rmse"] == pytest.approx(float(unit) * one["rmse"], rel=0.02)
            assert other["share"] == pytest.approx(one["share"], rel=0.02)


def test_a_row_that_makes_most_of_the_error_is_named(settled, rng):
    x = table(rng, rows=60)
    setting = settled(x)
    found, _ = measured(setting)
    place = int(found[2].exam.rows[30])  # a row that is measured on
    unchosen = [feature for feature in range(FEATURES) if feature not in found[2].order[:2]]
    x.reshape(-1, FEATURES)[place, unchosen[0]] += 30.0
    _, summary = measured(settled(x))
    extreme = summary.facts()["extremes"][0]
    assert extreme["task"] == "t2"
    assert extreme["row"] == place - 2 * 60 + 1
    assert extreme["feature"] == setting.tasks.feature_names[unchosen[0]]
    assert extreme["value"] == pytest.approx(x[2, extreme["row"] - 1, unchosen[0]], rel=1e-3)
    assert extreme["share"] > 0.5


def test_one_task_has_nothing_to_be_measured_with(settled, rng):
    setting = settled(table(rng)[:1])
    assert on_left_out_tasks(Posterior(), setting, {}, (0, 2, 6), lambda doing, share: None, {}) is None


def test_tasks_of_few_rows_give_half_of_them(settled, rng):
    found, _ = measured(settled(table(rng, rows=4)))
    assert {(len(one.exam.support), len(one.exam.rows)) for one in found} == {(2, 2)}
