import pytest
from scipy import stats

from tests.tables.lines import failed, result
from tffs.tables.comparison import compare, in_papers_grid
from tffs.tables.records import Result


def test_methods_are_compared_on_the_cells_that_all_have():
    results = [
        *(result("d", "ours", split, msre=float(split)) for split in range(4)),
        *(result("d", "cae_s", split, msre=10.0 + split) for split in (1, 3, 5)),
    ]
    comparison = compare(results, "d", "msre", ("ours", "cae_s"))
    assert [cell.split for cell in comparison.cells] == [1, 3]
    assert (comparison.mean("ours"), comparison.mean("cae_s")) == (2.0, 12.0)
    assert (comparison.had, comparison.wanted, comparison.splits) == ({"ours": 4, "cae_s": 3}, 5, 2)
    assert len(comparison.used) == 4


def test_a_method_without_figures_takes_no_cell_from_the_others():
    results = [result("d", "ours", split, msre=1.0) for split in range(2)]
    results += [result("d", "all", 0, ari=3.0), Result.from_line("main", failed("d", "cae_t", 1))]
    comparison = compare(results, "d", "msre", ("ours", "cae_t", "all"))
    assert list(comparison.values) == ["ours"]
    assert len(comparison.cells) == 2
    assert compare(results, "d", "nmi", ("ours", "all")) is None


def test_trainings_of_different_length_are_never_mixed():
    results = [result("d", method, split, msre=1.0) for method in ("ours", "cae_s") for split in range(3)]
    results += [result("d", method, 0, msre=9.0, steps=100) for method in ("ours", "cae_s", "ours_wo_r")]
    assert compare(results, "d", "msre", ("ours", "cae_s")).mean("ours") == 1.0
    assert compare(results, "d", "msre", ("ours", "ours_wo_r")).mean("ours") == 9.0


def test_a_method_that_trains_nothing_is_compared_with_any_length():
    results = [result("d", "ours", 0, ari=1.0), result("d", "ls_t", 0, ari=2.0, steps=None)]
    assert len(compare(results, "d", "ari", ("ours", "ls_t")).cells) == 1


def test_cells_with_different_targets_are_not_the_same():
    results = [result("d", "ours", 0, ari=1.0), result("d", "cae_s", 0, ari=1.0, target_task="other")]
    assert compare(results, "d", "ari", ("ours", "cae_s")).cells == []


def test_boldface_needs_something_to_test():
    one = [result("d", method, 0, msre=1.0) for method in ("ours", "cae_s")]
    assert compare(one, "d", "msre", ("ours", "cae_s")).best() == set()
    alone = [result("d", "ours", split, msre=1.0) for split in range(5)]
    assert compare(alone, "d", "msre", ("ours", "cae_s")).best() == set()
    stable = [result("d", method, split, stability=1.0) for method in ("ours", "cae_s") for split in range(5)]
    assert compare(stable, "d", "stability", ("ours", "cae_s")).best() == set()


def test_p_value_is_scipys():
    ours, cae_s = [1.0, 2.0, 4.0], [1.5, 2.1, 5.0]
    results = [result("d", "ours", split, msre=value) for split, value in enumerate(ours)]
    results += [result("d", "cae_s", split, msre=value) for split, value in enumerate(cae_s)]
    comparison = compare(results, "d", "msre", ("ours", "cae_s"))
    assert comparison.p_value("ours", "cae_s") == pytest.approx(stats.ttest_rel(ours, cae_s).pvalue)


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
    assert in_papers_grid(result(dataset, "ours", 0, support_size, num_selected)) == within


def test_the_same_split_of_another_seed_is_another_cell():
    results = [result("d", "ours", msre=1.0, seed=0), result("d", "cae_s", msre=1.0, seed=7)]
    assert compare(results, "d", "msre", ("ours", "cae_s")).cells == []
