import pytest

from reproduction.progress import Grid, progress_table, published_grids, share_done
from tests.reproduction.made_lines import failed, frame, line, rows_of
from tffs.flags.command import parse

AXES = (
    "--datasets=mnist_r,isolet",
    "--methods=ours,cae_s,ls_t",
    "--support_sizes=2",
    "--numbers_selected=10,20",
)


@pytest.fixture(scope="module")
def small():
    return Grid("small.flags", parse(["tffs", "--mode=experiment", *AXES, "--splits=2"]).experiment)


def test_cells_with_a_figure_are_counted_of_those_that_the_flag_file_asks_for(small):
    lines = frame(
        [
            line("mnist_r", method, split, 2, k)
            for method in ("ours", "ls_t")
            for split in (0, 1)
            for k in (10, 20)
        ],
        [line("mnist_r", "cae_s", split, 2, 10, seconds=90.0) for split in (0, 1)],
        line("mnist_r", "cae_s", 0, 2, 20, steps=1000),  # shorter than the flag file says
        line("mnist_r", "ours", 5, 2, 10),  # not in the grid
        failed("isolet", "ours"),
    )
    rows = [tuple(row.values()) for row in rows_of(progress_table(lines, [small]))]
    assert rows == [
        ("small.flags", "MNIST-r", "Ours and LS-T", "8 of 8", "2 of 2", "0.0 core-seconds"),
        ("small.flags", "MNIST-r", "CAE-S", "2 of 4", "0 of 2", "3.0 core-minutes"),
        ("small.flags", "Isolet", "all 3", "0 of 12", "0 of 2", "–"),
    ]
    assert share_done(lines, small) == "10 of 24 cells (41.6 %)"


def test_the_published_grids_ask_for_what_the_paper_has():
    grids = {grid.file: grid.config for grid in published_grids()}
    main = grids["experiment_main.flags"]
    assert (main.axes["num_selected"], main.axes["support_size"]) == ((2, 10, 20, 30, 40, 50), (2, 4, 6))
    assert len(main.axes["split"]) == 20
    rest = grids["experiment_main_rest.flags"]
    assert main.name == rest.name  # they share results
    assert not set(main.axes["method"]) & set(rest.axes["method"])
    fan_in = grids["experiment_initialisation.flags"]
    assert set(fan_in.axes["method"]) == {"ours_fan_in", "ours_wo_r_fan_in", "cae_s_fan_in"}
    assert set(fan_in.axes["dataset"]) == set(main.axes["dataset"])
    assert grids["experiment_vlcs.flags"].axes["dataset"] == ("vlcs",)
