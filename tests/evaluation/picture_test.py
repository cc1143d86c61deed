import matplotlib.image
import pytest

from tffs.evaluation.picture import draw_reconstructions, image_shape

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
        draw_reconstructions(str(tmp_path / name), (4, 6), rows, rebuilt, rows[:4], selected, "title")

    def red(name):
        picture = matplotlib.image.imread(tmp_path / name)[..., :3]
        return ((picture[..., 0] > 0.85) & (picture[..., 1:] < 0.1).all(-1)).sum()

    assert red("none.png") == 0
    assert red("chosen.png") > 200
