import pytest

from tffs.errors import UserError
from tffs.experiments.grid import Cell, cells_of, groups_of
from tffs.methods.catalogue import METHODS

AXES = {
    "dataset": ("a", "b"),
    "method": ("ours", "cae_s", "cae_st", "ls_t"),
    "support_size": (2, 4),
    "num_selected": (10, 20),
    "split": (0, 1),
}


def test_a_grid_is_every_combination_once_split_by_split():
    cells = cells_of(AXES)
    assert len(cells) == len(set(cells)) == 2 * 4 * 2 * 2 * 2
    assert [cell.split for cell in cells] == [0] * 32 + [1] * 32


def test_a_part_of_a_grid_is_chosen_by_conditions():
    cells = cells_of(AXES, "dataset=b, method=ours|cae_s,split=1")
    assert {(cell.dataset, cell.method, cell.split) for cell in cells} == {("b", "ours", 1), ("b", "cae_s", 1)}
    assert len(cells) == 2 * 2 * 2


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ("methods=ours", "received 'methods=ours'"),
        ("method", "received 'method'"),
        ("method=", "received 'method='"),
        ("method=ours|theirs", "method=theirs is not in this grid, which has ours, cae_s"),
        ("split=2", "split=2 is not in this grid, which has 0, 1"),
    ],
)
def test_a_condition_that_cannot_hold_is_refused(chosen, message):
    with pytest.raises(UserError, match=message.replace("|", r"\|")):
        cells_of(AXES, chosen)


def test_cells_that_share_a_fit_are_one_group():
    groups = groups_of(cells_of(AXES, "dataset=a,split=0"))
    assert sum(map(len, groups)) == 16
    by_methods = {frozenset(cell.method for cell in group): group for group in groups}
    shared = by_methods[frozenset({"cae_s", "cae_st"})]
    assert {cell.support_size for cell in shared} == {2, 4}
    assert len({cell.num_selected for cell in shared}) == 1
    assert [cell.method for cell in shared] == ["cae_s", "cae_s", "cae_st", "cae_st"]
    ranked = by_methods[frozenset({"ls_t"})]
    assert {cell.num_selected for cell in ranked} == {10, 20}
    assert len({cell.support_size for cell in ranked}) == 1


def test_cells_whose_trainings_take_turns_are_one_group():
    groups = groups_of(cells_of(AXES, "dataset=a,split=0,method=ours"))
    assert [[(cell.num_selected, cell.support_size) for cell in group] for group in groups] == [
        [(10, 2), (10, 4)],
        [(20, 2), (20, 4)],
    ]


def test_a_method_that_starts_from_another_comes_with_it_even_when_the_other_is_done():
    cells = [Cell(0, "a", 10, size, "cae_st") for size in (2, 4)]
    assert groups_of(cells) == [cells]


def test_every_method_of_the_paper_is_in_the_catalogue():
    sizes = {f"ours_T{size}" for size in (1, 10, 50, 100, 200, 300, 400)}
    taus = {f"{method}_tau{tau}" for method in ("ours", "cae_s") for tau in ("0.01", "1", "10")}
    others = (
        "ours ours_wo_r ours_wo_alpha ours_wo_noise cae_s cae_t cae_st cae_st_selector cae_st_sim "
        "cae_s_wo_noise cae_s_indirect ls_t ls_st spec_t spec_st spec_t_corrected spec_st_corrected random "
        "variance all"
    )
    assert sizes | taus | set(others.split()) <= set(METHODS)
