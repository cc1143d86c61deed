import pytest

from tests.tables.lines import result, rows_of
from tffs.tables.gap import gap_table
from tffs.tables.main_tables import main_table

METHODS = ("ours", "cae_s", "cae_t", "cae_st")


def mnist_r(msre, splits=5, **values):
    """Lines of mnist_r where the error of each method is its own plus 0.1 a split."""
    return [
        result("mnist_r", method, split, msre=value + 0.1 * split, **values)
        for method, value in zip(METHODS, msre, strict=True)
        for split in range(splits)
    ]


def test_a_row_holds_mean_deviation_boldface_splits_and_cells():
    section = main_table(mnist_r((4.0, 5.0, 15.0, 8.0)), "msre")
    header, ours, paper = rows_of(section.table)
    assert header == ["data", "splits", "cells", "Ours", "CAE-S", "CAE-T", "CAE-ST"]
    figures = ["**4.200(0.158)**", "5.200(0.158)", "15.200(0.158)", "8.200(0.158)"]
    assert ours == ["MNIST-r", "5", "5 of 5", *figures]
    assert paper == [
        "*paper*",
        "20",
        "300",
        "**4.258(2.252)**",
        "4.459(2.242)",
        "15.477(4.453)",
        "8.029(3.826)",
    ]


def test_methods_that_cannot_be_told_apart_are_both_bold():
    lines = mnist_r((4.0, 4.0, 15.0, 8.0))
    assert rows_of(main_table(lines, "msre").table)[1][3:5] == ["**4.200(0.158)**", "**4.200(0.158)**"]


def test_for_clustering_the_highest_is_bold():
    lines = [
        result("isolet", method, split, ari=value + split)
        for method, value in (("ours", 30.0), ("spec_st", 10.0))
        for split in range(5)
    ]
    row = rows_of(main_table(lines, "ari").table)[1]
    assert row[3] == "**32.0(1.6)**"
    assert row[-1] == "12.0(1.6)"
    assert row[4] == "–"


def test_small_errors_get_a_decimal_more():
    lines = [result("amazon_reviews", "ours", split, msre=0.05521) for split in range(2)]
    assert rows_of(main_table(lines, "msre").table)[1][3] == "0.0552(0.0000)"


def test_only_cells_that_all_methods_have_are_averaged_and_the_rest_is_said():
    lines = mnist_r((4.0, 5.0, 15.0, 8.0), splits=7)
    lines = [line for line in lines if not (line.method == "cae_t" and line.split > 4)]
    section = main_table(lines, "msre")
    assert rows_of(section.table)[1][1:4] == ["5", "5 of 7", "**4.200(0.158)**"]
    assert (
        "MNIST-r: of 7 cells that some method has, CAE-T has 5; all are compared on the 5 that all have."
        in section.notes
    )
    assert len(section.used) == 20


def test_what_was_not_run_is_said():
    lines = [line for line in mnist_r((4.0, 5.0, 15.0, 8.0)) if line.method != "cae_st"]
    section = main_table(lines, "msre")
    assert rows_of(section.table)[1][-1] == "–"
    assert section.notes == (
        "Not run: Isolet, Amazon and VLCS.",
        "Without N_S = 4, 6 and K = 20, 30, 40, 50 of the paper's grid: MNIST-r.",
        "CAE-ST has no figures on MNIST-r.",
    )


def test_sizes_that_the_paper_does_not_have_are_not_averaged_in():
    lines = mnist_r((4.0, 5.0, 15.0, 8.0)) + mnist_r((40.0, 50.0, 150.0, 80.0), num_selected=2)
    assert rows_of(main_table(lines, "msre").table)[1][3] == "**4.200(0.158)**"


def test_the_stand_in_is_marked_as_other_data():
    lines = [result("pacs_features", method, split, msre=1.0) for method in METHODS for split in range(3)]
    section = main_table(lines, "msre")
    assert [row[0] for row in rows_of(section.table)[1:]] == ["PACS features", "*paper's VLCS: other data*"]
    assert "stand in for it: their rows are others" in section.notes[0]


def test_a_dataset_that_the_paper_does_not_have_stands_alone():
    lines = [
        result("digits_r", method, split, num_selected=5, msre=1.0) for method in METHODS for split in (0, 1)
    ]
    assert [row[0] for row in rows_of(main_table(lines, "msre").table)[1:]] == ["digits_r"]


def test_methods_without_a_shared_cell_have_no_figures():
    lines = [result("mnist_r", "ours", 0, msre=1.0), result("mnist_r", "cae_s", 1, msre=1.0)]
    section = main_table(lines, "msre")
    assert rows_of(section.table)[1][1:5] == ["0", "0 of 2", "–", "–"]
    assert section.used == ()


def test_without_lines_there_is_no_table():
    assert main_table([result("mnist_r", "ours", 0, ari=1.0)], "msre") is None
    assert gap_table([result("mnist_r", "ours", 0, msre=1.0)]) is None


def test_gap_is_in_percent_of_the_concrete_autoencoder_beside_the_papers():
    lines = [line for line in mnist_r((4.0, 5.0, 15.0, 8.0), splits=2) if line.method in ("ours", "cae_s")]
    lines += [result("mnist_r", method, 0, 4, msre=2.0) for method in ("ours", "cae_s")]
    lines += [
        result("mnist_r", method, 0, 2, 2, msre=value) for method, value in (("ours", 9.0), ("cae_s", 8.0))
    ]
    rows = rows_of(gap_table(lines).table)
    assert [row[:4] for row in rows[1:]] == [
        ["MNIST-r", "2", "2", "1"],
        ["MNIST-r", "2", "10", "2"],
        ["MNIST-r", "4", "10", "1"],
        ["MNIST-r", "all", "all", "2"],
        ["*paper*", "all", "all", "20"],
    ]
    assert [row[6] for row in rows[1:]] == ["-12.5 %", "+19.8 %", "+0.0 %", "+16.5 %", "+4.5 %"]
    assert [row[7] for row in rows[1:3]] == ["–", "< 0.001"]
    assert [row[8] for row in rows[1:]] == ["0 of 1", "2 of 2", "0 of 1", "2 of 3", "–"]
    assert float(rows[4][4].strip("*").partition("(")[0]) == pytest.approx((4.0 + 4.1 + 2.0) / 3, abs=1e-3)
