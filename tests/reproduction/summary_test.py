from reproduction.summary import summary_sentences, summary_table
from tests.reproduction.made_lines import frame, grid, line, rows_of

METHODS = {"posterior": 3.0, "ours": 4.0, "cae_s": 5.0}


def test_each_method_stands_beside_the_papers_figure():
    lines = frame(grid("mnist_r", "msre", METHODS), grid("mnist_r", "msre", {"ours": 90.0}, num_selected=2))
    by_method = {row["mean here / paper"]: row for row in rows_of(summary_table(lines).partition("\n\n")[0])}
    shown = {name: row["MNIST-r MSRE"] for name, row in by_method.items()}
    assert (shown["Posterior"], shown["Ours"], shown["CAE-S"]) == ("**5.00**", "6.00 / 4.258", "7.00 / 4.459")
    assert (shown["*K here*"], "†" in summary_table(lines)) == ("10", False)
    assert (shown["CAE-T"], shown["Greedy"], shown["*cells (splits) here*"]) == ("– / 15.477", "–", "5 (5)")


def test_what_rests_on_fewer_cells_is_marked():
    lines = frame(grid("isolet", "msre", METHODS, splits=20), grid("isolet", "msre", {"cae_t": 150.0}))
    rows = {
        row["mean here / paper"]: row["Isolet MSRE"]
        for row in rows_of(summary_table(lines).partition("\n\n")[0])
    }
    assert rows["CAE-T"] == "152.00† / 161.411"
    assert summary_table(lines).endswith("those of the tables below.")
    assert rows["Ours"] == "13.50 / 39.441"


def test_sentences_say_where_ours_is_below_and_what_the_paper_has():
    lines = frame(
        grid("mnist_r", "msre", METHODS, splits=2),
        grid("isolet", "msre", {"ours": 6.0, "cae_s": 5.0}, splits=2),
    )
    ours, posterior = summary_sentences(lines)
    assert ours == (
        "- **Ours against CAE-S**, MSRE: 18.2 % below on MNIST-r (lower in 2 of 2 cells; the paper: 4.5 % "
        "below) and 18.2 % above on Isolet (lower in 0 of 2 cells; the paper: 8.2 % below)."
    )
    assert posterior == ("- **Posterior against Ours**, MSRE: 22.2 % below on MNIST-r (lower in 2 of 2 cells).")


def test_without_ours_there_is_nothing_to_sum_up():
    lines = frame(line("mnist_r", "cae_s", msre=1.0), line("digits_r", "ours", msre=1.0))
    assert (summary_table(lines), summary_sentences(lines)) == (None, [])
