import numpy as np
import pandas as pd
import pytest
from scipy import stats

from reproduction.comparison import beside_ours, compare, compare_by_reach, in_papers_grid, paired_t_test
from tests.reproduction.made_lines import failed, frame, grid, line


def test_methods_are_compared_on_the_cells_that_all_have():
    lines = frame(
        [line("d", "ours", split, msre=float(split)) for split in range(4)],
        [line("d", "cae_s", split, msre=10.0 + split) for split in (1, 3, 5)],
    )
    comparison = compare(lines, "d", "msre", ("ours", "cae_s"))
    assert comparison.values.to_dict("list") == {"ours": [1.0, 3.0], "cae_s": [11.0, 13.0]}
    assert (dict(comparison.had), comparison.wanted, comparison.splits) == ({"ours": 4, "cae_s": 3}, 5, 2)
    assert len(comparison.used) == 4


def test_a_method_without_figures_takes_no_cell_from_the_others():
    lines = frame(
        grid("d", "msre", {"ours": 1.0}, splits=2), line("d", "all", 0, ari=3.0), failed("d", "cae_t", 1)
    )
    comparison = compare(lines, "d", "msre", ("ours", "cae_t", "all"))
    assert list(comparison.values) == ["ours"]
    assert len(comparison.values) == 2
    assert compare(lines, "d", "nmi", ("ours", "all")).values.empty


def test_trainings_of_different_length_are_never_mixed():
    lines = frame(
        [line("d", method, split, msre=1.0) for method in ("ours", "cae_s") for split in range(3)],
        [line("d", method, 0, msre=9.0, steps=100) for method in ("ours", "cae_s", "ours_wo_r")],
    )
    assert list(compare(lines, "d", "msre", ("ours", "cae_s")).values["ours"]) == [1.0] * 3
    assert list(compare(lines, "d", "msre", ("ours", "ours_wo_r")).values["ours"]) == [9.0]


def test_methods_that_were_run_on_few_cells_take_none_from_the_others():
    lines = frame(
        [line("d", method, split, msre=float(split)) for method in ("ours", "cae_s") for split in range(10)],
        [line("d", "cae_t", split, msre=9.0) for split in range(5)],
    )
    far, everything = compare_by_reach(lines, "d", "msre", ("ours", "cae_s", "cae_t"))
    assert (list(far.values), far.splits) == (["ours", "cae_s"], 10)
    assert (list(everything.values), everything.splits) == (["ours", "cae_s", "cae_t"], 5)


def test_methods_that_cost_little_are_ahead_of_ours_in_a_row_of_their_own():
    splits = {"greedy": 20, "ls_t": 20, "ours": 10, "cae_s": 9, "cae_t": 4}
    lines = frame(*(grid("d", "ari", {method: 1.0}, splits=many) for method, many in splits.items()))
    found = compare_by_reach(lines, "d", "ari", tuple(splits))
    assert [one.splits for one in found] == [20, 9, 4]
    assert [len(one.had) for one in found] == [2, 4, 5]
    assert beside_ours(found) == found[1:]  # a mean over 20 splits is not put beside one over 9


@pytest.mark.parametrize(
    ("others", "methods"),
    [
        ([line("d", "cae_t", 0, msre=9.0, steps=5000)], ["ours", "cae_s"]),  # trained otherwise: nothing shared
        ([line("d", "cae_t", split, msre=9.0) for split in range(9)], ["ours", "cae_s", "cae_t"]),
    ],
)
def test_without_few_shared_cells_there_is_one_comparison(others, methods):
    lines = frame(grid("d", "msre", {"ours": 1.0, "cae_s": 2.0}, splits=10), others)
    (only,) = compare_by_reach(lines, "d", "msre", ("ours", "cae_s", "cae_t"))
    assert list(only.values) == methods


def test_one_method_far_ahead_is_not_compared_with_itself():
    lines = frame(grid("d", "msre", {"ours": 1.0}, splits=10), grid("d", "msre", {"cae_s": 2.0}, splits=2))
    (only,) = compare_by_reach(lines, "d", "msre", ("ours", "cae_s"))
    assert only.splits == 2


@pytest.mark.parametrize("other", [{"target_task": "other"}, {"seed": 7}])
def test_another_target_or_seed_is_another_cell(other):
    lines = frame(line("d", "ours", ari=1.0), line("d", "cae_s", ari=1.0, **other))
    assert compare(lines, "d", "ari", ("ours", "cae_s")).values.empty


def test_the_best_and_what_cannot_be_told_from_it_are_bold():
    rng = np.random.default_rng(0)
    level = rng.normal(scale=5.0, size=30)
    figures = {"ours": level + rng.normal(size=30), "cae_s": level + rng.normal(size=30)}
    figures["cae_t"] = level + 2.0 + rng.normal(size=30)
    lines = frame(
        [
            line("d", method, split, msre=value, ari=value)
            for method in figures
            for split, value in enumerate(figures[method])
        ]
    )
    assert compare(lines, "d", "msre", tuple(figures)).best() == {"ours", "cae_s"}
    assert compare(lines, "d", "ari", tuple(figures)).best() == {"cae_t"}


def test_boldface_needs_something_to_test():
    four = frame(grid("d", "msre", {"ours": 1.0, "cae_s": 9.0}, splits=4))
    assert compare(four, "d", "msre", ("ours", "cae_s")).best() == set()
    alone = frame(grid("d", "msre", {"ours": 1.0}))
    assert compare(alone, "d", "msre", ("ours", "cae_s")).best() == set()
    stable = frame(grid("d", "stability", {"ours": 1.0, "cae_s": 0.0}))
    assert compare(stable, "d", "stability", ("ours", "cae_s")).best() == set()


def test_figures_have_the_decimals_of_their_size():
    lines = frame(
        [line("d", "ours", split, msre=0.05521, seconds=35.7, ari=-0.01) for split in (0, 1)],
        [line("d", "cae_s", split, msre=1.0, seconds=0.0012) for split in (0, 1)],
    )
    assert compare(lines, "d", "msre", ("ours", "cae_s")).figures(["ours"]) == ["0.0552(0.0000)"]
    assert compare(lines, "d", "seconds", ("ours", "cae_s")).figures(["ours", "cae_s", "ls_t"]) == [
        "35.7(0.0)",
        "0.0012(0.0000)",
        "–",
    ]
    assert compare(lines[:1], "d", "ari", ("ours",)).figures(["ours"]) == ["0.0"]


@pytest.mark.parametrize(
    ("dataset", "support_size", "num_selected", "within"),
    [
        ("mnist_r", 2, 40, True),
        ("mnist_r", 2, 2, False),
        ("pacs_features", 3, 10, False),
        ("digits_r", 3, 2, True),
    ],
)
def test_only_the_papers_sizes_count_for_its_datasets(dataset, support_size, num_selected, within):
    assert len(in_papers_grid(frame(line(dataset, "ours", 0, support_size, num_selected)))) == within


def test_paired_t_test_is_the_one_sample_test_of_the_differences(rng):
    a, b = map(pd.Series, rng.normal(size=(2, 12)))
    assert paired_t_test(a, b + 0.5) == pytest.approx(stats.ttest_1samp(a - b - 0.5, 0.0).pvalue)


@pytest.mark.parametrize(
    ("a", "b", "p"),
    [
        ([1.0], [2.0], 1.0),
        ([1.0, 2.0], [1.0, 2.0], 1.0),
        ([0.0, 0.0], [0.0, 0.0], 1.0),
        ([2.0, 3.0], [1.0, 2.0], 0.0),
        ([1.1, 2.1, 0.3], [1.0, 2.0, 0.2], 0.0),  # the same up to rounding
    ],
)
def test_pairs_that_leave_nothing_to_test_have_a_plain_answer(a, b, p):
    assert paired_t_test(pd.Series(a), pd.Series(b)) == p
