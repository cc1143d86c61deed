import matplotlib.colors
import matplotlib.image
import numpy as np

from reproduction.names import METHODS
from reproduction.page import draw_figures
from reproduction.pictures import RED, choose_pictures
from tests.reproduction.made_lines import frame, grid, line, picture


def drawn(methods, pictures, folder, splits=2):
    lines = frame(
        *(
            grid("mnist_r", metric, dict(zip(methods, range(5, 50), strict=False)), splits, num_selected=size)
            for metric in ("ari", "nmi", "msre")
            for size in (10, 20)
        )
    )
    lines = lines.groupby(
        ["method", "split", "num_selected"], as_index=False
    ).first()  # all metrics on one line
    return draw_figures(lines, pictures, str(folder))


def pixels_of(path, color):
    image = matplotlib.image.imread(path)[..., :3]
    return int((np.abs(image - matplotlib.colors.to_rgb(color)) < 0.02).all(-1).sum())


def test_every_method_has_its_curve_in_its_colour(tmp_path):
    figures = drawn(["ours", "cae_s", "ls_t", "random"], [], tmp_path)
    assert list(figures) == ["MSRE against K", "ARI against K", "NMI against K"]
    path, caption = figures["ARI against K"]
    for method in ("ours", "cae_s", "ls_t", "random"):
        assert pixels_of(path, METHODS[method].color) > 100, method
    assert pixels_of(path, METHODS["spec_t"].color) == 0
    assert "that the methods of a point share (2)" in caption


def test_one_split_is_drawn_without_error_bars(tmp_path):
    assert drawn(["ours", "cae_s"], [], tmp_path, splits=1)["NMI against K"]


def test_t_dependence_is_drawn_where_another_t_was_run(tmp_path):
    path, _ = drawn(["ours", "ours_T1"], [], tmp_path)["Dependence on T"]
    assert pixels_of(path, METHODS["ours"].color) > 500
    assert "Dependence on T" not in drawn(["ours", "ours_T1"], [], tmp_path, splits=1)  # two cells say nothing


def test_a_dataset_with_too_few_cells_has_no_panels_over_t(tmp_path):
    def height(*groups):
        path, _ = draw_figures(frame(*groups), [], str(tmp_path))["Dependence on T"]
        return matplotlib.image.imread(path).shape[0]

    values = {"ours": 5.0, "ours_T1": 9.0}
    enough = grid("mnist_r", "ari", values, splits=3)
    alone = height(enough)
    assert height(enough, grid("isolet", "ari", values, splits=2)) == alone
    assert height(enough, grid("isolet", "ari", values, splits=3)) > 1.5 * alone


def test_seconds_are_drawn_as_bars_beside_the_papers(tmp_path):
    lines = frame(grid("mnist_r", "seconds", {"ours": 40.0, "posterior": 5.0}, splits=2))
    path, caption = draw_figures(lines, [], str(tmp_path))["Computation time in seconds"]
    assert pixels_of(path, METHODS["ours"].color) > 500
    assert pixels_of(path, "0.75") > 500  # the paper's bars
    assert "fitted once for all N_S and K" in caption


def test_a_point_of_few_splits_is_left_out_of_its_curve(tmp_path):
    lines = frame(
        grid("mnist_r", "ari", {"ours": 20.0, "cae_t": 10.0}, splits=4),
        [line("mnist_r", "ours", 0, num_selected=40, ari=30.0)],
    )
    assert "(4)" in draw_figures(lines, [], str(tmp_path))["ARI against K"][1]


def test_chosen_pixels_are_red_for_each_method(tmp_path):
    title = "Reconstructed digits and chosen pixels"
    path, caption = drawn(["ours"], [picture("cae_s"), picture("ours", selected=range(12))], tmp_path)[title]
    assert pixels_of(path, RED) > 300
    assert "held-out task rot45 of MNIST-r" in caption


def test_pictures_of_other_images_are_not_set_side_by_side():
    changed = picture("cae_st")
    changed["originals"][0][0] = 0.5
    found = [picture("cae_t", split=1), changed, picture("cae_s"), picture("ours"), picture("posterior")]
    assert [chosen["method"] for chosen in choose_pictures(found)] == ["posterior", "ours", "cae_s"]
    assert choose_pictures([{**picture("ours"), "dataset": "digits_r"}]) == []


def test_a_figure_that_there_is_no_data_for_any_more_is_removed(tmp_path):
    nothing = frame(line("mnist_r", "ours"))
    assert len(draw_figures(nothing, [picture("ours")], str(tmp_path))) == 1
    assert draw_figures(nothing, [], str(tmp_path)) == {}
    assert not list(tmp_path.iterdir())
