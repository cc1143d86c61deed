import warnings

import matplotlib.image
import numpy as np

from tffs.evaluation.feature_chart import CHOSEN, OTHER, draw_feature_errors, feature_errors


def test_errors_are_shares_of_the_means_error(rng):
    rows = rng.random((50, 3))
    rows[:, 2] = 0.5
    mean = np.array([0.4, 0.5, 0.5])
    answers = np.stack([rows[:, 0], np.full(50, 0.5), rows[:, 2]], axis=1)
    np.testing.assert_allclose(
        feature_errors([(rows[:20], answers[:20]), (rows[20:], answers[20:])], mean), [0.0, 1.0, np.nan]
    )


def bars(path, below=0.0):
    """Count the bars by color: runs of lines that have pixels of it, below a share of the picture."""
    picture = matplotlib.image.imread(path)[:, :, :3]
    picture = picture[int(below * len(picture)) :]
    counts = []
    for color in (CHOSEN, OTHER):
        lines = (np.abs(picture - color) < 0.02).all(axis=2).sum(axis=1) > 3
        counts.append(int((np.diff(lines.astype(int), prepend=0) == 1).sum()))
    return counts


def test_chosen_features_have_red_bars_and_others_have_not(tmp_path):
    path = tmp_path / "features.png"
    names = ("Jitter(%)", "$odd", "a b", "PPE")
    draw_feature_errors(path, names, np.array([0.2, 0.9, 0.5, np.nan]), (2, 0, 2), "a table, task $x$")
    assert bars(path) == [2, 1]


def test_names_that_the_font_lacks_or_that_steer_a_terminal_warn_of_nothing(tmp_path):
    path = str(tmp_path / "features.png")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw_feature_errors(path, ("\x1b[31mred", "温度"), np.array([0.2, 0.9]), (0,), "task \x1b[2J 温度")
    assert bars(path) == [1, 1]


def test_of_many_features_a_curve_shows_all_and_bars_the_chosen_and_the_least_known(tmp_path):
    path = tmp_path / "features.png"
    draw_feature_errors(path, [f"f{i}" for i in range(500)], np.linspace(0.01, 1, 500), (7, 300), "wide")
    assert bars(path, below=0.25) == [2, 38]
    top = matplotlib.image.imread(path)[:, :, :3]
    top = top[: len(top) // 4]
    curve = (np.abs(top - OTHER) < 0.02).all(axis=2).any(axis=0)
    assert curve.sum() > 0.7 * top.shape[1]  # from the best known feature to the least known one
    assert (np.abs(top - CHOSEN) < 0.02).all(axis=2).any()


def test_features_with_an_infinite_error_are_left_out(tmp_path):
    path = str(tmp_path / "chart.png")
    draw_feature_errors(path, ["a", "b", "c", "d"], np.array([0.0, 0.5, np.inf, 0.8]), (1,), "a task")
    assert bars(path)[0] >= 1
