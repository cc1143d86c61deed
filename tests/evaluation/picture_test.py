import matplotlib.image
import pytest

from tffs.evaluation.picture import Pictured, draw_reconstructions, image_shape

GRID = [f"r{row}c{column}" for row in range(4) for column in range(6)]


def test_image_is_found_by_its_pixels_names():
    assert image_shape(GRID) == (4, 6)
    assert image_shape(GRID[::-1]) is None
    assert image_shape(["Jitter(%)", "PPE"]) is None
    assert image_shape([*GRID[1:], "r3c5"]) is None


@pytest.mark.parametrize("reconstructed", [True, False])
def test_chosen_pixels_are_red_and_nothing_else_is(tmp_path, rng, reconstructed):
    rows = rng.random((10, 24))
    rebuilt = rows if reconstructed else None
    for selected, name in (((0, 13, 13), "chosen.png"), ((), "none.png")):
        methods = [Pictured("ours", selected, rebuilt)]
        draw_reconstructions(str(tmp_path / name), (4, 6), rows, rows[:4], methods, "title")
    assert red(tmp_path / "none.png") == 0
    assert red(tmp_path / "chosen.png") > 200


def test_every_method_has_its_reconstructions_and_its_own_pixels_in_red(tmp_path, rng):
    rows = rng.random((10, 24))
    sizes, pixels = [], []
    both = [Pictured("posterior", (0, 5), rows, unsure=rows), Pictured("network", (7, 8), rows)]
    for name, methods in (("one.png", both[:1]), ("both.png", both)):
        draw_reconstructions(str(tmp_path / name), (4, 6), rows, rows[:4], methods, "title")
        sizes.append(matplotlib.image.imread(tmp_path / name).shape[0])
        pixels.append(red(tmp_path / name))
    assert sizes[1] > sizes[0]
    assert pixels[1] > 1.5 * pixels[0] > 0


def red(path):
    picture = matplotlib.image.imread(path)[..., :3]
    return ((picture[..., 0] > 0.85) & (picture[..., 1:] < 0.1).all(-1)).sum()
