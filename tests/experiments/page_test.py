from tests.reproduction.made_lines import rows_of
from tffs.experiments.grid import Cell, cells_of
from tffs.experiments.lines import cell_of, failed_cells, failed_line, head
from tffs.experiments.page import experiment_page

AXES = {
    "dataset": ("shops",),
    "method": ("ours", "variance", "all"),
    "support_size": (4,),
    "num_selected": (5, 10),
    "split": (0, 1),
}
CELLS = cells_of(AXES)
OTHERS = {"distinct": "5 (0)", "seconds": "1 (0)"}
COMMAND = "python -m tffs.main --mode=experiment"


def page(lines, failed=()):
    return experiment_page("mine", COMMAND, CELLS, {cell_of(line): line for line in lines}, dict(failed))


def line(method, split, num_selected=5, **figures):
    return {**head(Cell(split, "shops", num_selected, 4, method)), "distinct": 5, "seconds": 1.0, **figures}


def tables(text):
    """Give the rows of each table by its title."""
    parts = [part.partition("\n\n") for part in text.split("## ")[1:]]
    return {title: rows_of(body.strip()) for title, _, body in parts}


def test_each_k_has_a_table_of_methods_the_best_first():
    lines = [line("variance", split, relative_error=0.5 + 0.2 * split, msre=2.0) for split in (0, 1)]
    lines += [line("ours", split, relative_error=0.25, msre=1.0) for split in (0, 1)]
    lines += [line("ours", 0, 10, relative_error=0.1, msre=0.5, msre_unmeasured=0.4)]
    five, ten = tables(page(lines)).values()
    assert five == [
        {"method": "ours", "splits": "2", "error": "25.0 % (0.0 %)", "MSRE": "1 (0)"} | OTHERS,
        {"method": "variance", "splits": "2", "error": "60.0 % (14.1 %)", "MSRE": "2 (0)"} | OTHERS,
    ]
    assert [(row["error"], row["MSRE"], row["MSRE, not measured"]) for row in ten] == [("10.0 %", "0.5", "0.4")]
    assert list(tables(page(lines))) == ["shops, K = 5, N_S = 4", "shops, K = 10, N_S = 4"]


def test_a_line_without_a_relative_error_has_a_dash():
    (rows,) = tables(page([line("ours", 0, msre=1.0), line("all", 0, ari=30.0)])).values()
    assert [(row["method"], row["error"], row["MSRE"], row["ARI %"]) for row in rows] == [
        ("ours", "–", "1", "–"),
        ("all", "–", "–", "30.0"),
    ]
    assert "NMI %" not in rows[0]


def test_how_far_it_is_and_what_failed_is_said():
    cell = Cell(1, "shops", 5, 4, "ours")
    text = page([line("ours", 0, msre=1.0)], {cell: "too few rows"}.items())
    assert f"1 of 12 cells are done, 1 failed. Last command: `{COMMAND}`" in text
    assert "- shops ours N_S=4 K=5 split 1: too few rows" in text


def test_nothing_of_the_paper_is_on_it():
    assert "paper" not in page([line("ours", 0, msre=1.0)])


def test_a_cell_that_failed_and_was_run_again_has_not_failed():
    once, twice = Cell(0, "shops", 5, 4, "ours"), Cell(1, "shops", 5, 4, "ours")
    lines = [failed_line(once, "no"), failed_line(twice, "no"), {**head(twice), "status": "ok"}]
    assert failed_cells(lines) == {once: "no"}
