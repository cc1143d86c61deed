import matplotlib.colors
import matplotlib.image
import numpy as np

from tests.tables.lines import picture, result
from tffs.tables.digit_pictures import choose_pictures
from tffs.tables.drawing import LOOKS
from tffs.tables.figures import draw_figures
from tffs.tables.records import Picture


def grid(methods, datasets=("mnist_r",)):
    return [
        result(
            *(dataset, method, split, support_size, num_selected),
            **{"msre": 5.0 + number + split, "ari": 30.0 - 2 * number + split, "nmi": 40.0 + number},
        )
        for dataset in datasets
        for number, method in enumerate(methods)
        for split in range(2)
        for support_size in (2, 4)
        for num_selected in (10, 20)
    ]


def pictures(*lines):
    return [Picture.from_line("main", line) for line in lines]


def drawn(results, found, folder):
    return {title: drawing for title, drawing in draw_figures(results, found, str(folder)).items() if drawing}


def pixels_of(path, color):
    picture_ = matplotlib.image.imread(path)[..., :3]
    return int((np.abs(picture_ - matplotlib.colors.to_rgb(color)) < 0.02).all(-1).sum())


def test_every_method_has_its_curve_in_its_colour(tmp_path):
    figures = drawn(grid(["ours", "cae_s", "ls_t"]), [], tmp_path)
    assert list(figures) == ["MSRE against K", "ARI against K", "NMI against K"]
    path = figures["ARI against K"].path
    height, width, _ = matplotlib.image.imread(path).shape
    assert height > 400
    assert width > 800
    for method in ("ours", "cae_s", "ls_t"):
        assert pixels_of(path, LOOKS[method].color) > 300, method
    assert pixels_of(path, LOOKS["spec_t"].color) == 0


def test_a_caption_says_what_is_missing_and_how_many_splits_there_are(tmp_path):
    results = grid(["ours", "cae_s", "cae_t", "random"])
    caption = drawn(results, [], tmp_path)["MSRE against K"].caption
    assert "that all methods of a point have (2)" in caption
    assert "Not run: CAE-ST." in caption


def test_t_dependence_is_drawn_for_every_dataset_on_which_some_t_was_run(tmp_path):
    drawing = drawn(grid(["ours", "ours_T1"], ("mnist_r", "isolet")), [], tmp_path)["Dependence on T"]
    assert "MNIST-r 8 cells of 2 splits; Isolet 8 cells of 2 splits" in drawing.caption
    assert pixels_of(drawing.path, LOOKS["ours"].color) > 1000


def test_chosen_pixels_are_red_for_each_method(tmp_path):
    found = pictures(picture("cae_s"), picture("ours", selected=range(12)))
    figures = drawn(grid(["ours"]), found, tmp_path)
    few, ten = figures["Reconstructed digits and chosen pixels"], figures["One digit of each class"]
    assert pixels_of(few.path, (0.9, 0.05, 0.05)) > 300
    assert pixels_of(ten.path, (0.9, 0.05, 0.05)) == 0
    assert matplotlib.image.imread(ten.path).std() > 0.1
    assert "held-out task rot45 of MNIST-r" in few.caption
    assert few.caption.endswith("There are no pictures of CAE-T and CAE-ST.")


def test_pictures_of_other_images_are_not_set_side_by_side():
    other = picture("cae_t", split=1)
    changed = picture("cae_st")
    changed["originals"][0][0] = 0.5
    found = pictures(other, changed, picture("cae_s"), picture("ours"))
    assert [chosen.method for chosen in choose_pictures(found)] == ["ours", "cae_s"]
    assert choose_pictures(pictures({**picture("ours"), "dataset": "digits_r"})) == []


def test_a_figure_that_there_is_no_data_for_any_more_is_removed(tmp_path):
    nothing = [result("mnist_r", "ours", 0)]
    drawn(nothing, pictures(picture("ours")), tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    drawn(nothing, [], tmp_path)
    assert not list(tmp_path.iterdir())


def test_one_split_is_drawn_without_error_bars(tmp_path):
    results = [line for line in grid(["ours", "cae_s"]) if line.split == 0]
    assert drawn(results, [], tmp_path)["NMI against K"]
