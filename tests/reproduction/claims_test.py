import numpy as np
import pytest
from scipy import stats

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


def repeated(differences, sizes=(2, 4, 6)):
    """CAE-S with one figure a split for every N_S, as one training has, and Ours above it by a difference."""
    return [
        line("mnist_r", method, split, size, msre=10.0 - split + (method == "ours") * (difference + shift))
        for method in ("ours", "cae_s")
        for split, difference in enumerate(differences)
        for size, shift in zip(sizes, np.linspace(-0.1, 0.1, len(sizes)), strict=True)
    ]


@pytest.mark.parametrize(
    ("differences", "outcome"),
    [
        ([-1.0, -0.9, -1.1, -1.2, -0.8], "as in the paper"),
        ([1.0, 0.9, 1.1, 1.2, 0.8], "**worse**, the paper has better"),
        ([-1.0, -0.1, -2.0, 0.3, -0.2], "**alike**, the paper has better"),  # over cells it would be better
    ],
)
def test_split_means_decide_the_outcome_not_cells(differences, outcome):
    row = only_row(repeated(differences))
    over_cells = [difference + shift for difference in differences for shift in (-0.1, 0.0, 0.1)]
    cells, splits = (stats.ttest_1samp(values, 0.0).pvalue for values in (over_cells, differences))
    assert cells < 0.05
    assert row["p (cells)"] == (f"{cells:.3f}" if cells >= 0.001 else "< 0.001")
    assert row["p (splits)"] == (f"{splits:.3f}" if splits >= 0.001 else "< 0.001")
    assert (row["outcome"], row["outcome"].startswith("**alike")) == (outcome, bool(splits >= 0.05))


def test_cells_that_swing_together_do_not_hide_a_difference_of_all_splits():
    lines = [
        line("mnist_r", method, split, 2, size, ari=start + sign * swing + gain * split)
        for method, start, sign, gain in (("ours", 30.0, 1.0, 0.0), ("cae_s", 31.0, -1.0, 0.1))
        for split in range(5)
        for size, swing in ((10, 9.0), (50, -9.0))
    ]
    row = only_row(lines)
    assert float(row["p (cells)"]) > 0.05
    assert (row["outcome"], row["splits for it"]) == ("**worse**, the paper has better", "0 of 5")


def test_fewer_than_five_splits_decide_nothing():
    row = only_row(repeated([-1.0, -1.01, -0.99, -1.0]))
    assert (row["outcome"], row["cells"]) == ("not decided, fewer than 5 splits", "12")
    assert (row["p (cells)"], row["p (splits)"]) == ("< 0.001", "–")
    assert claims_sentence(judged(frame(repeated([-1.0, -1.01, -0.99, -1.0])))) == (
        "Of the paper's claims that these lines can check, fewer than 5 splits do not decide 1 on MNIST-r"
    )


def test_boldface_stays_by_the_test_over_cells():
    lines = frame(repeated([-1.0, -0.1, -2.0, 0.3, -0.2]))
    assert "MSRE on MNIST-r" in boldface_sentences(lines)[0]
    swapped = lines.assign(method=lines["method"].map({"ours": "cae_s", "cae_s": "ours"}))
    assert boldface_sentences(swapped) == ["It is not among the best here in MSRE on MNIST-r (there CAE-S)."]
    assert only_row(swapped.to_dict("records"))["outcome"] == "**alike**, the paper has better"


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
    assert claims_sentence(judged(lines)) == (
        "Of the paper's claims that these lines can check, 1 of 2 on MNIST-r and 0 of 1 on Isolet come out as "
        "in the paper"
    )
    few = [
        line("pacs_features", method, split, 2, size, ari=ari)
        for method, ari in (("ours", 9.0), ("cae_s", 5.0))
        for split in range(3)
        for size in (10, 50)
    ]
    assert claims_sentence(judged(frame(lines.to_dict("records"), few))).endswith(
        "on Isolet come out as in the paper; fewer than 5 splits do not decide 1 on PACS features"
    )


def test_where_ours_is_not_among_the_best_the_best_are_named():
    lines = pair("mnist_r", "msre", ("ours", 5.0), ("cae_s", 6.0))
    lines += pair("isolet", "ari", ("ours", 5.0), ("ls_st", 6.0))
    assert boldface_sentences(frame(lines)) == [
        "The paper has Ours among the best, in boldface, in all of its main tables. By its test, which is over "
        "cells, so it is here in MSRE on MNIST-r.",
        "It is not among the best here in ARI on Isolet (there LS-ST).",
    ]
