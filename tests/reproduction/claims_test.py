import pytest

from tests.tables.lines import result, rows_of
from tffs.tables.claims import boldface_sentences, claims_table, distinct_sentences
from tffs.tables.main_tables import main_table


def pair(dataset, metric, first, second, splits=5, **values):
    """Lines of two methods whose figures swing together, and the difference a little."""
    lines = []
    for split in range(splits):
        swing = 0.5 * split
        lines.append(result(dataset, first[0], split, **{metric: first[1] + swing, **values}))
        lines.append(result(dataset, second[0], split, **{metric: second[1] + 1.01 * swing, **values}))
    return lines


def only_row(lines):
    header, row = rows_of(claims_table(lines))
    return dict(zip(header, row, strict=True))


@pytest.mark.parametrize(
    ("cae_s", "outcome", "splits"),
    [
        (6.0, "as in the paper", "5 of 5"),
        (4.0, "**worse**, the paper has better", "0 of 5"),
        (4.993, "**alike**, the paper has better", "3 of 5"),
    ],
)
def test_what_came_out_of_a_claim_is_said(cae_s, outcome, splits):
    row = only_row(pair("mnist_r", "msre", ("ours", 5.0), ("cae_s", cae_s)))
    assert row["claim"] == "MSRE: Ours below CAE-S"
    assert (row["outcome"], row["splits for it"], row["cells"]) == (outcome, splits, "5")
    assert row["paper"] == "4.258 / 4.459 (-4.5 %)"


def test_for_clustering_higher_is_better():
    row = only_row(pair("mnist_r", "ari", ("ours", 30.0), ("cae_s", 24.0)))
    assert (row["claim"], row["outcome"]) == ("ARI: Ours above CAE-S", "as in the paper")
    assert row["paper"] == "30.2 / 24.7 (+5.5)"


def test_where_the_paper_cannot_tell_methods_apart_the_claim_is_that_they_are_alike():
    row = only_row(pair("isolet", "ari", ("ours", 30.0), ("cae_s", 24.0)))
    assert (row["claim"], row["outcome"]) == ("ARI: Ours like CAE-S", "**better**, the paper has alike")


def test_a_stand_in_is_held_against_the_dataset_it_stands_for():
    row = only_row(pair("pacs_features", "msre", ("ours", 0.8), ("cae_s", 0.9)))
    assert (row["data"], row["paper"]) == ("PACS features", "0.851 / 0.914 (-6.9 %), VLCS")


def test_claims_about_two_features_look_at_two_features():
    lines = pair("mnist_r", "ari", ("ours", 9.0), ("ours_wo_r", 5.0), num_selected=2)
    assert only_row(lines)["claim"] == "ARI: Ours above w/o r(S), K=2"


def test_without_pairs_there_is_nothing_to_claim():
    assert claims_table([result("mnist_r", "ours", split, msre=1.0) for split in range(5)]) is None


@pytest.mark.parametrize(("splits", "bold"), [(4, 0), (5, 1)])
def test_with_four_cells_nothing_is_bold_and_no_claim_is_judged(splits, bold):
    lines = pair("mnist_r", "msre", ("ours", 5.0), ("cae_s", 6.0), splits)
    here = rows_of(main_table(lines, "msre").table)[1]
    assert here[2] == f"{splits} of {splits}"
    assert sum("**" in cell for cell in here) == bold
    assert len(boldface_sentences(lines)) == bold
    assert (claims_table(lines) is not None) == bool(bold)


def test_where_ours_is_not_among_the_best_the_best_are_named():
    lines = pair("mnist_r", "msre", ("ours", 5.0), ("cae_s", 6.0))
    lines += pair("isolet", "ari", ("ours", 5.0), ("ls_st", 6.0))
    assert boldface_sentences(lines) == [
        "The paper has Ours among the best in all of its main tables. So it is here in MSRE on MNIST-r.",
        "It is not among the best here in ARI on Isolet (there LS-ST).",
    ]


def test_counts_of_different_features_are_held_against_the_papers():
    lines = [result("mnist_r", "ours", 0, 2, size, distinct=count) for size, count in ((10, 10), (50, 40))]
    lines += [result("mnist_r", "ours", 0, 2, 2, distinct=2), result("isolet", "ours", 0, 2, 10, distinct=10)]
    assert distinct_sentences(lines) == [
        "MNIST-r: 10.0 of 10 (paper 10.0), 40.0 of 50 (paper 47.0); not like the paper's: fewer at K = 50.",
        "Isolet: 10.0 of 10 (paper 10.0); like the paper's.",
    ]
