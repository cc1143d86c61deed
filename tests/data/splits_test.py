import numpy as np
import pytest

from tffs.data.splits import choose_tasks, split_tasks, whole_tasks
from tffs.data.tasks import Tasks
from tffs.errors import UserError

NAMES = ("a", "b", "c", "d")


def tasks(*counts):
    offsets = np.concatenate([[0], np.cumsum(counts)])
    matrix = np.arange(2 * offsets[-1], dtype=np.float32).reshape(-1, 2)
    return Tasks(matrix, ("x", "y"), NAMES[: len(counts)], offsets)


def rows_by_task(part):
    return {
        name: part.rows[start:stop]
        for name, start, stop in zip(part.names, part.offsets, part.offsets[1:], strict=False)
    }


def test_task_protocol_keeps_80_percent_and_holds_two_tasks_out():
    split = split_tasks(tasks(10, 20, 30, 40), "b", "c", "task", 2, seed=0)
    train, validation = rows_by_task(split.train), rows_by_task(split.validation)
    assert {name: len(rows) for name, rows in train.items()} == {"a": 8, "d": 32}
    assert {name: len(rows) for name, rows in validation.items()} == {"c": 24}
    assert set(train["a"]) <= set(range(10))
    assert set(train["d"]) <= set(range(60, 100))
    assert set(validation["c"]) <= set(range(30, 60))


def test_rows_protocol_splits_every_source_task_80_to_20():
    split = split_tasks(tasks(10, 20, 30, 40), "b", None, "rows", 1, seed=0)
    train, validation = rows_by_task(split.train), rows_by_task(split.validation)
    assert {name: len(rows) for name, rows in train.items()} == {"a": 8, "c": 24, "d": 32}
    assert {name: len(rows) for name, rows in validation.items()} == {"a": 2, "c": 6, "d": 8}
    for name, first, last in (("a", 0, 10), ("c", 30, 60), ("d", 60, 100)):
        assert sorted([*train[name], *validation[name]]) == list(range(first, last))


def test_target_support_and_test_rows_are_all_of_the_target():
    split = split_tasks(tasks(10, 20, 30, 40), "b", "c", "task", 3, seed=0)
    assert len(split.target_support) == 3
    assert sorted([*split.target_support, *split.target_test]) == list(range(10, 30))


def test_no_target_trains_on_every_task():
    split = split_tasks(tasks(10, 20, 30, 40), None, None, "rows", 1, seed=0)
    assert split.train.names == NAMES
    assert len(split.target_support) == len(split.target_test) == 0


def test_validation_leaves_out_tasks_that_are_too_small_for_it():
    split = split_tasks(tasks(10, 20, 30, 40), "b", None, "rows", 6, seed=0)
    assert split.validation.names == ("d",)


def test_splits_depend_on_the_seed_alone():
    one, same, other = (split_tasks(tasks(10, 20, 30), "b", "c", "task", 2, seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.target_support, same.target_support)
    np.testing.assert_array_equal(one.train.rows, same.train.rows)
    assert list(one.train.rows) != list(other.train.rows)


def test_tasks_are_drawn_from_the_seed_and_every_one_gets_its_turn():
    drawn = {choose_tasks(NAMES, None, None, "task", seed) for seed in range(200)}
    assert drawn == {(target, other) for target in NAMES for other in NAMES if target != other}


def test_given_tasks_are_kept():
    assert choose_tasks(NAMES, "a", "b", "task", 0) == ("a", "b")
    assert choose_tasks(NAMES, "none", "b", "task", 0) == (None, "b")
    assert choose_tasks(NAMES, "a", None, "rows", 0) == ("a", None)
    assert choose_tasks(NAMES, None, "b", "task", 3)[0] != "b"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("z", None, "task"), "--target_task=z is not a task"),
        (("a", "z", "task"), "--validation_task=z is not a task"),
        (("a", "none", "task"), "--validation_task=none is not a task"),
        (("a", "a", "task"), "both a"),
        (("a", "b", "rows"), "--validation_task=b goes with --validation=task"),
    ],
)
def test_wrong_tasks_are_refused(arguments, message):
    with pytest.raises(UserError, match=message):
        choose_tasks(NAMES, *arguments, 0)


def test_too_few_tasks_are_refused():
    with pytest.raises(UserError, match="none is left to train on|none is left"):
        choose_tasks(("a", "b"), None, None, "task", 0)
    with pytest.raises(UserError, match="none is left to train on|none is left"):
        choose_tasks(("a",), None, None, "rows", 0)
    with pytest.raises(UserError, match="both a|none is left"):
        choose_tasks(("a",), None, "a", "task", 0)


@pytest.mark.parametrize(
    ("counts", "name"), [((3, 20, 30, 40), "a"), ((10, 20, 4, 40), "c"), ((10, 4, 30, 40), "b")]
)
def test_a_task_too_small_for_an_episode_is_named(counts, name):
    with pytest.raises(UserError, match=f"1 task.*: {name} has {min(counts)}.*at least 5"):
        split_tasks(tasks(*counts), "b", "c", "task", 4, seed=0)


def test_every_task_that_is_too_small_is_named():
    with pytest.raises(UserError, match=r"2 task\(s\).*: a has 3 \(2 after the split\), b has 4; an episode"):
        split_tasks(tasks(3, 4, 30, 40), "b", "c", "task", 4, seed=0)


@pytest.mark.parametrize("name", ["none", "folds"])
def test_a_task_must_not_be_called_what_the_flag_keeps_for_holding_none_out(name):
    with pytest.raises(UserError, match=f"A task is called '{name}'"):
        choose_tasks(("a", name, "b"), None, None, "task", 0)
    assert choose_tasks(NAMES, name, None, "rows", 0) == (None, None)


def test_without_validation_all_rows_of_all_other_tasks_are_learned_from():
    split = whole_tasks(tasks(10, 1, 30, 0), None, 2, seed=0)
    train = rows_by_task(split.train)
    assert {name: len(rows) for name, rows in train.items()} == {"a": 10, "b": 1, "c": 30}
    assert split.validation.names == ()
    assert len(split.target_support) == len(split.target_test) == 0


@pytest.mark.parametrize(("rows", "support"), [(30, 4), (5, 2), (1, 0)])
def test_without_validation_a_target_keeps_rows_to_be_measured_on(rows, support):
    split = whole_tasks(tasks(10, rows), "b", 4, seed=0)
    assert (len(split.target_support), len(split.target_test)) == (support, rows - support)
    assert set(split.target_support) | set(split.target_test) == set(range(10, 10 + rows))


def test_the_targets_support_is_that_of_the_papers_split():
    sizes = tasks(10, 20, 30, 40)
    paper, whole = split_tasks(sizes, "b", "c", "task", 3, seed=5), whole_tasks(sizes, "b", 3, seed=5)
    np.testing.assert_array_equal(whole.target_support, paper.target_support)
    np.testing.assert_array_equal(whole.target_test, paper.target_test)


@pytest.mark.parametrize(
    ("counts", "target", "message"), [((9, 0), "b", "has no rows"), ((0, 3), "b", "No task")]
)
def test_without_validation_something_must_be_left_to_learn_from_and_to_measure_on(counts, target, message):
    with pytest.raises(UserError, match=message):
        whole_tasks(tasks(*counts), target, 2, seed=0)
