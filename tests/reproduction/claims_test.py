import pytest

from reproduction.claims import boldface_sentences, claims_sentence, claims_table, judged
from tests.reproduction.made_lines import frame, line, rows_of


def pair(dataset, metric, first, second, splits=5, **values):
    """Lines of two methods whose figures swing together, and the difference a little."""
    return [
        line(dataset, method, split, **{metric: value + swing * 0.5 * split, **values})
        for (method, value), swing in ((first, 1.0), (second, 1.01))
        for split in range(splits)
    ]


def only_row(lines):
    (row,) = rows_of(claims_table(judged(frame(lines))))
    return row


@pytest.mark.parametrize(
    ("cae_s", "outcome", "splits"),
    [
        (6.0, "as in the paper", "5 of 5"),
        (4.0, "**worse**, the paper has better", "0 of 5"),
        (4.993, "**alike**, the paper has better", "3 of 5"),
    ],
)
def test_the_outcome_of_a_claim_is_said(cae_s, outcome, splits):
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


@pytest.mark.parametrize(("splits", "enough"), [(4, False), (5, True)])
def test_with_four_cells_no_claim_is_judged(splits, enough):
    lines = frame(pair("mnist_r", "msre", ("ours", 5.0), ("cae_s", 6.0), splits))
    assert bool(boldface_sentences(lines)) == enough
    assert bool(judged(lines)) == enough


def test_how_many_claims_come_out_is_said_for_each_dataset():
    lines = frame(
        pair("mnist_r", "msre", ("ours", 5.0), ("cae_s", 6.0)),
        pair("mnist_r", "ari", ("ours", 20.0), ("cae_s", 30.0)),
        pair("isolet", "msre", ("ours", 6.0), ("cae_s", 5.0)),
    )
    assert claims_sentence(judged(lines)).endswith("1 of 2 on MNIST-r and 0 of 1 on Isolet")


def test_where_ours_is_not_among_the_best_the_best_are_named():
    lines = pair("mnist_r", "msre", ("ours", 5.0), ("cae_s", 6.0))
    lines += pair("isolet", "ari", ("ours", 5.0), ("ls_st", 6.0))
    assert boldface_sentences(frame(lines)) == [
        "The paper has Ours among the best in all of its main tables. So it is here in MSRE on MNIST-r.",
        "It is not among the best here in ARI on Isolet (there LS-ST).",
    ]
