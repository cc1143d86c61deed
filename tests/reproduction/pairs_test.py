from reproduction.pairs import pairs
from tests.reproduction.made_lines import frame, grid, line, rows_of


def test_the_gap_is_in_percent_of_the_second_method_beside_the_papers():
    lines = frame(
        grid("mnist_r", "msre", {"ours": 4.0, "cae_s": 5.0}, splits=3),
        line("mnist_r", "ours", 0, 2, 2, msre=100.0),  # K = 2 is not in the paper's grid
        line("mnist_r", "cae_s", 0, 2, 2, msre=1.0),
        line("isolet", "ours", msre=1.0),
    )
    made = pairs(lines, [("ours", "cae_s"), ("posterior", "ours")])
    (row,) = rows_of(made.table)
    assert list(row.values()) == [
        *("Ours against CAE-S", "MNIST-r", "3", "3 of 3", "5.000(1.000)", "6.000(1.000)"),
        *("+16.7 %", "< 0.001", "–", "3 of 3", "+4.5 %"),
    ]
    assert len(made.used) == 6


def test_a_stand_in_has_the_papers_gap_of_what_it_stands_for():
    lines = frame(grid("pacs_features", "msre", {"ours": 4.0, "cae_s": 5.0}))
    assert rows_of(pairs(lines, [("ours", "cae_s")]).table)[0]["paper's gap"] == "+6.9 %, VLCS"


def test_without_a_shared_cell_there_is_no_table():
    lines = frame(line("mnist_r", "ours", 0, msre=1.0), line("mnist_r", "cae_s", 1, msre=1.0))
    assert pairs(lines, [("ours", "cae_s")]) is None
