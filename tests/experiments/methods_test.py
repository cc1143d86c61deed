"""Every method on data where the right answer is known."""

import numpy as np
import pytest

from tffs import flags
from tffs.evaluation.target import evaluate_on_target
from tffs.experiments.grid import Cell
from tffs.experiments.workshop import Workshop

LATENTS, K, ROWS = 2, 2, 60
SIZES = (
    *("--steps=1500", "--eval_every=250", "--learning_rate=0.01", "--selector_dim=20"),
    *("--embedding_units=8", "--decoder_units=16", "--output_activation=sigmoid", "--scaling=none"),
)


class Silent:
    def update(self, status, final=False):
        pass

    def end(self):
        pass


def workshop(folder, data_dir, x, task, y, *more):
    """A workshop on a table, as --mode=experiment makes it from a flag file."""
    np.savez(folder / "planted.npz", x=x.astype(np.float32), task=task, y=y)
    (folder / "planted.flags").write_text(f"--table={folder}/planted.npz\n", encoding="utf-8")
    command = flags.parse(
        ["tffs", "--mode=experiment", f"--datasets={folder}/planted.flags", f"--data_dir={data_dir}", *more]
    )
    return Workshop(command.experiment.runs, Silent())


def line_of(shop, method, support_size=4, num_selected=K):
    line = shop.result(Cell(0, "planted", num_selected, support_size, method))
    assert line["status"] == "ok", line["error"]
    return line


@pytest.fixture(scope="module")
def redundant(tmp_path_factory, data_dir):
    """Four tasks of seven features: two latents, a copy of each, and three that hardly vary.

    The right choice of two features is one of each latent: all others are then known.
    """
    rng = np.random.default_rng(5)
    latents = rng.random((4 * ROWS, LATENTS))
    still = 0.5 + 0.02 * rng.random((4 * ROWS, 3))
    x = np.concatenate([latents, latents, still], axis=1)
    task = np.repeat(["a", "b", "c", "d"], ROWS)
    return workshop(tmp_path_factory.mktemp("redundant"), data_dir, x, task, np.arange(4 * ROWS) % 2, *SIZES)


def latents_of(line):
    return {int(name[1:]) % LATENTS for name in line["selected"] if int(name[1:]) < 2 * LATENTS}


@pytest.mark.parametrize(
    "method",
    [
        *("ours", "ours_wo_r", "ours_wo_alpha", "cae_s", "cae_s_indirect", "cae_st_sim"),
        *("cae_st", "cae_st_selector"),
    ],
)
def test_a_trained_method_keeps_one_of_each_redundant_pair(redundant, method):
    line = line_of(redundant, method)
    assert latents_of(line) == {0, 1}
    by_mean = 4 / 12  # four uniform features
    assert line["msre"] < 0.2 * by_mean
    assert line["distinct"] == K


def test_the_target_alone_suffices_when_it_has_rows_enough(redundant):
    line = line_of(redundant, "cae_t", support_size=40)
    assert latents_of(line) == {0, 1}
    assert line["stability"] is None  # it was fitted to one support


def test_the_yardsticks_are_what_they_are_called(redundant):
    assert set(line_of(redundant, "variance")["selected"]) <= {f"x{i}" for i in range(2 * LATENTS)}
    rnd = line_of(redundant, "random")
    assert rnd["distinct"] == K
    assert rnd["msre"] > 0
    everything = line_of(redundant, "all")
    assert (everything["distinct"], everything["selected"], everything["msre"]) == (7, None, None)


def test_every_method_of_a_cell_has_the_same_split_and_support(redundant):
    first, *others = [
        redundant.setting(Cell(1, "planted", K, 4, method)).split for method in ("ours", "cae_s", "ls_t", "all")
    ]
    for other in others:
        np.testing.assert_array_equal(other.target_support, first.target_support)
        np.testing.assert_array_equal(other.train.rows, first.train.rows)
        np.testing.assert_array_equal(other.validation.rows, first.validation.rows)
    another = redundant.setting(Cell(0, "planted", K, 4, "ours")).split
    assert not np.array_equal(another.target_support, first.target_support)


def test_fine_tuning_starts_from_the_source_and_moves_only_what_it_may(redundant):
    def weights(method):
        cell = Cell(2, "planted", K, 4, method)
        fitted = redundant.fit(cell, redundant.setting(cell))
        model = fitted.model
        return fitted, [w.numpy() for w in model.selector.weights], [w.numpy() for w in model.decoder.weights]

    source, selector, decoder = weights("cae_s")
    tuned, moved_selector, same_decoder = weights("cae_st_selector")
    assert tuned.best_step == 1000
    assert source.best_step != 1000
    assert not np.array_equal(moved_selector[0], selector[0])
    for one, other in zip(same_decoder, decoder, strict=True):
        np.testing.assert_array_equal(one, other)
    _, _, moved_decoder = weights("cae_st")
    assert not np.array_equal(moved_decoder[0], decoder[0])
    # A thousand steps of Adam at 0.01 move a weight by 10 at most; from anew it would be elsewhere.
    assert np.corrcoef(moved_decoder[0].ravel(), decoder[0].ravel())[0, 1] > 0.5


def test_early_stopping_keeps_the_best_weights_and_its_absence_the_last(redundant):
    best, last = line_of(redundant, "cae_t"), line_of(redundant, "ours_last")  # four rows soon overfit
    assert last["best_step"] == last["steps"] == 1500
    assert best["best_step"] < best["steps"]


def test_scaling_is_learned_anew_for_every_split(data_dir):
    command = flags.parse(
        ["tffs", "--mode=experiment", "--datasets=digits_r", "--scaling=standard", f"--data_dir={data_dir}"]
    )
    shop = Workshop(command.experiment.runs, Silent())
    settings = [shop.setting(Cell(split, "digits_r", 3, 4, "ours")) for split in (0, 1, 0)]
    np.testing.assert_array_equal(settings[0].tasks.matrix, settings[2].tasks.matrix)
    for setting in settings:
        source = setting.tasks.matrix[setting.split.train.rows]
        assert abs(source.mean()) < 0.05
        assert setting.statistics.mean.max() > 0.3  # in raw units


def test_a_fit_is_shared_over_what_it_does_not_depend_on(redundant):
    lines = [redundant.result(Cell(1, "planted", K, size, "cae_s")) for size in (2, 4)]
    assert lines[0]["seconds"] == lines[1]["seconds"]
    assert lines[0]["selected"] == lines[1]["selected"]


MEASURED = ("seconds", "select_seconds")  # what may differ between two fits


@pytest.mark.parametrize("method", ["ours", "ours_wo_noise", "cae_t"])
def test_trainings_that_take_turns_give_the_lines_of_trainings_alone(clustered, method):
    cells = [Cell(1, "planted", 2, size, method) for size in (2, 6, 4)]
    alone = [clustered.result(cell) for cell in cells]
    clustered._fits.clear()
    together = [clustered.result(cell, cells) for cell in cells]
    assert [line["status"] for line in alone] == ["ok"] * 3
    for one, other in zip(alone, together, strict=True):
        assert {**one, **dict.fromkeys(MEASURED)} == {**other, **dict.fromkeys(MEASURED)}


def test_a_cell_that_cannot_be_planned_takes_no_other_with_it(clustered):
    cells = [Cell(2, "planted", 2, size, "ours") for size in (1000, 2, 4)]
    failed, *done = [clustered.result(cell, cells) for cell in cells]
    assert failed["status"] == "failed"
    assert "1000" in failed["error"]
    assert [line["status"] for line in done] == ["ok", "ok"]


def test_every_variant_is_a_training_of_its_own(tmp_path, data_dir):
    rng = np.random.default_rng(6)
    task = np.repeat(["a", "b", "c", "d"], ROWS)
    shop = workshop(tmp_path, data_dir, rng.random((4 * ROWS, 7)), task, task, *SIZES, "--steps=50")
    variants = ("ours", "ours_tau10", "ours_wo_noise", "ours_T1", "cae_s_tau10", "cae_s_indirect")
    errors = {method: line_of(shop, method)["msre"] for method in variants}
    assert len(set(errors.values())) == len(errors)
    assert line_of(shop, "ours")["msre"] == errors["ours"]  # and the same when done again


def test_a_cell_that_cannot_be_done_is_a_line_that_says_why(redundant):
    cells = [Cell(0, "planted", 10, 4, "ours"), Cell(0, "planted", K, 4, "ls_t")]
    failed, done = map(redundant.result, cells)
    assert (failed["status"], done["status"]) == ("failed", "ok")
    assert "--num_selected=10 is more than the 7 features" in failed["error"]
    assert failed["msre"] is failed["selected"] is None


@pytest.fixture(scope="module")
def clustered(tmp_path_factory, data_dir):
    """Three tasks of two clusters, which features x2 and x5 tell apart; the others are noise."""
    rng = np.random.default_rng(7)
    y = np.tile([0, 1], 3 * ROWS // 2)
    x = 0.25 * rng.random((3 * ROWS, 8))
    x[:, [2, 5]] += 0.7 * y[:, None]
    task = np.repeat(["a", "b", "c"], ROWS)
    return workshop(tmp_path_factory.mktemp("clustered"), data_dir, x, task, y, *SIZES, "--steps=50")


@pytest.mark.parametrize("method", ["ls_t", "ls_st", "spec_t_corrected", "spec_st_corrected", "variance"])
def test_features_that_tell_clusters_apart_are_found(clustered, method):
    line = line_of(clustered, method, support_size=12, num_selected=2)
    assert set(line["selected"]) == {"x2", "x5"}
    assert line["ari"] == pytest.approx(100.0)


@pytest.mark.parametrize("method", ["spec_t", "spec_st"])
def test_the_librarys_order_of_spec_misses_them(clustered, method):
    line = line_of(clustered, method, support_size=12, num_selected=2)
    assert not set(line["selected"]) & {"x2", "x5"}
    assert line["ari"] < 50


def test_parameters_that_a_method_leaves_open_are_chosen_on_the_test_rows(clustered):
    class Open:
        """Leaves open whether to take noise or the features that tell the clusters apart."""

        classifies = False

        def candidates(self, support, num_selected):
            return [np.array([0, 1]), np.array([2, 5]), np.array([3, 4])]

        def answer(self, support, rows, selected):
            return None

    which, figures = evaluate_on_target(Open(), clustered.setting(Cell(0, "planted", 2, 12, "ls_t")), 2)
    assert which == 1
    assert figures.selected == (2, 5)
    assert figures.ari == pytest.approx(100.0)


def test_the_laplacian_score_tries_the_neighbours_that_a_support_has(clustered):
    for support_size, neighbours in ((12, 3), (4, 2), (2, 1)):
        cell = Cell(0, "planted", 2, support_size, "ls_t")
        setting = clustered.setting(cell)
        support = setting.tasks.matrix[setting.split.target_support]
        assert len(clustered.fit(cell, setting).candidates(support, 2)) == 4 * neighbours  # and four heats
