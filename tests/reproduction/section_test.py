from reproduction import tables
from reproduction.deduplication import deduplication, other_counts
from reproduction.section import section
from tests.reproduction.made_lines import frame, grid, line, rows_of

MSRE, ARI, _ = tables.MAIN
VARIANTS = {table.title: table for table in tables.VARIANTS}
FOUR = {"ours": 4.0, "cae_s": 5.0, "cae_t": 15.0, "cae_st": 8.0}


def rows(lines, table):
    return rows_of(section(lines, table).table)


def test_a_row_holds_its_sizes_mean_deviation_and_boldface_above_the_papers():
    here, paper = rows(frame(grid("mnist_r", "msre", FOUR)), MSRE)
    assert list(here.values()) == [
        *("MNIST-r", "2", "10", "5", "5 of 5"),
        *("**6.000(1.581)**", "7.000(1.581)", "17.000(1.581)", "10.000(1.581)"),
    ]
    assert list(paper.values())[:6] == [
        "*paper*",
        "2, 4, 6",
        "10, 20, 30, 40, 50",
        "20",
        "300",
        "**4.258(2.252)**",
    ]


def test_for_clustering_the_highest_is_bold():
    here, _ = rows(frame(grid("isolet", "ari", {"ours": 30.0, "spec_st": 10.0})), ARI)
    assert (here["Ours"], here["SPEC-ST"], here["CAE-S"]) == ("**32.0(1.6)**", "12.0(1.6)", "–")


def test_only_cells_that_all_methods_have_are_averaged_and_the_rest_is_said():
    lines = frame(grid("mnist_r", "msre", FOUR, splits=6))
    made = section(lines[(lines["method"] != "cae_t") | (lines["split"] < 5)], MSRE)
    here, _ = rows_of(made.table)
    assert (here["splits"], here["cells"], here["Ours"]) == ("5", "5 of 6", "**6.000(1.581)**")
    assert made.notes == ["MNIST-r: of 6 cells, CAE-T has 5."]
    assert len(made.used) == 20


def test_methods_without_a_shared_cell_have_no_figures():
    made = section(frame(line("mnist_r", "ours", 0, msre=1.0), line("mnist_r", "cae_s", 1, msre=1.0)), MSRE)
    here = rows_of(made.table)[0]
    assert (here["K"], here["cells"], here["Ours"], here["CAE-S"]) == ("–", "0 of 2", "–", "–")
    assert made.used.empty


def test_sizes_that_the_paper_does_not_have_are_not_averaged_in():
    lines = frame(grid("mnist_r", "msre", FOUR), grid("mnist_r", "msre", {"ours": 40.0}, num_selected=2))
    assert rows(lines, MSRE)[0]["Ours"] == "**6.000(1.581)**"


def test_a_stand_in_is_marked_as_other_data_and_an_unknown_dataset_stands_alone():
    stand_in = rows(frame(grid("pacs_features", "msre", FOUR)), MSRE)
    assert [row["data"] for row in stand_in] == ["PACS features", "*paper's VLCS: other data*"]
    assert [row["data"] for row in rows(frame(grid("digits_r", "msre", FOUR)), MSRE)] == ["digits_r"]


def test_a_table_without_lines_is_none():
    lines = frame(line("mnist_r", "ours", 0, ari=1.0))
    made = [MSRE, *VARIANTS.values(), tables.SUPERVISED, tables.TIMES, tables.BY_SIZE]
    assert [section(lines, table) for table in made] == [None] * len(made)
    assert deduplication(lines) is None


def test_methods_that_were_run_on_few_splits_have_a_row_with_all_others():
    lines = frame(grid("mnist_r", "msre", FOUR, splits=20))
    made = section(lines[(lines["method"] != "cae_t") | (lines["split"] < 5)], MSRE)
    far, everything, _ = rows_of(made.table)
    assert [(row["splits"], row["CAE-T"]) for row in (far, everything)] == [("20", "–"), ("5", "17.000(1.581)")]
    assert made.notes == ["MNIST-r: of 20 cells, CAE-T has 5."]


def test_every_size_has_a_row_of_its_own():
    lines = frame(
        grid("mnist_r", "msre", {"ours": 4.0, "posterior": 3.0}, splits=2),
        line("mnist_r", "ours", 0, 4, 40, msre=2.0),
        line("mnist_r", "ours", 0, 2, 2, msre=9.0),
    )
    made = rows(lines, tables.BY_SIZE)
    assert [(row["N_S"], row["K"], row["Ours"], row["Posterior"]) for row in made] == [
        ("2", "2", "9.000", "–"),
        ("2", "10", "4.500(0.707)", "3.500(0.707)"),
        ("4", "40", "2.000", "–"),
        ("2", "10", "4.500(0.707)", "3.500(0.707)"),
    ]


def test_means_over_several_datasets_stand_beside_the_papers():
    lines = frame(
        grid("mnist_r", "ari", {"ours": 29.0, "cae_s": 19.0, "cae_st_sim": 9.0}),
        grid("isolet", "ari", {"ours": 39.0, "cae_st_sim": 19.0}),
    )
    made = rows(lines, VARIANTS["CAE-ST-sim and other ways to train CAE"])
    by_name = {
        row["data"]: (row["Ours"], row["CAE-S"], row["CAE-ST-sim"])
        for row in made
        if row["metric"] == "ARI [%]"
    }
    assert by_name["mean of these 2"] == ("36.0", "–", "16.0")
    assert by_name["*paper, mean of its four*"] == ("**19.0**", "15.6", "16.9")


def test_two_features_have_a_table_of_their_own():
    values = {"ours": 9.0, "ours_wo_r": 29.0}
    lines = frame(
        grid("mnist_r", "ari", values, num_selected=2), grid("mnist_r", "ari", {"ours": 1.0, "cae_s": 2.0})
    )
    assert section(lines, VARIANTS["Ablation"]) is None
    here, paper, _ = rows(lines, VARIANTS["Ablation with two features"])
    assert (here["K"], here["w/o r(S)"], paper["w/o r(S)"]) == ("2", "**31.0(1.6)**", "4.4")


def test_all_features_have_no_reconstruction_and_that_is_no_gap():
    lines = frame(
        grid("mnist_r", "msre", {"ours": 1.0, "random": 3.0}, ari=5.0), grid("mnist_r", "ari", {"all": 6.0})
    )
    made = section(lines, VARIANTS["Yardsticks"])
    msre, ari = rows_of(made.table)
    assert (msre["Random"], msre["All features"], ari["All features"]) == ("5.000(1.581)", "–", "**8.0(1.6)**")
    assert made.notes == []


def test_stability_has_only_methods_that_have_one():
    lines = frame(
        grid("isolet", "stability", {"cae_s": 1.0, "random": 0.5}, splits=1), line("isolet", "ours", ari=1.0)
    )
    (row,) = rows(lines, tables.stability(["random", "cae_s"]))
    assert list(row.items())[5:] == [("CAE-S", "1.00"), ("Random", "0.50")]


def test_times_of_training_and_of_a_selection_stand_beside_the_papers():
    lines = frame(grid("mnist_r", "seconds", {"ours": 40.0}, splits=2, select_seconds=0.0012))
    made = rows(lines, tables.TIMES)
    assert [row["Ours"] for row in made] == ["40.5(0.7)", "303.725", "0.0012(0.0000)", "0.003"]
    assert [row["cells"] for row in made] == ["2 of 2", "–", "2 of 2", "–"]


def test_different_features_are_counted_at_two_support_rows_beside_the_papers():
    lines = frame(
        [line("amazon_reviews", "ours", split, 2, 10, distinct=6 + split) for split in (0, 1)],
        line("amazon_reviews", "ours", 0, 4, 10, distinct=1),
        line("amazon_reviews", "ours", 0, 2, 50, distinct=40),
        line("amazon_reviews", "cae_s", 0, 2, 10, distinct=3),
    )
    here, other, paper = rows_of(deduplication(lines).table)
    assert list(here.values()) == ["Amazon", "Ours", "1 to 2", "6.5", "–", "–", "–", "40.0"]
    assert list(other.values()) == ["Amazon", "CAE-S", "1", "3.0", "–", "–", "–", "–"]
    assert list(paper.values()) == ["*paper*", "Ours", "20", "6.8", "12.9", "17.9", "20.1", "30.1"]
    assert other_counts(lines).endswith(
        "(within 5 % of K) in 1 of 2 cases, and not on Amazon at K = 50 (40.0; paper 30.1)."
    )
