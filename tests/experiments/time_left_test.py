from tffs.experiments.grid import Cell
from tffs.experiments.time_left import TimeLeft


def group(method):
    return [Cell(0, "a", 10, 2, method)]


def test_nothing_is_known_before_the_first_group():
    assert TimeLeft(2).estimate([group("ours")], []) is None


def test_the_same_kind_of_group_takes_as_long_again():
    left = TimeLeft(2)
    left.learn(group("ours"), 30.0)
    left.learn(group("ours"), 50.0)
    left.learn(group("ls_t"), 1.0)
    assert (
        left.estimate([group("ours"), group("ours"), group("ls_t"), group("ls_t")], []) == (40 + 40 + 1 + 1) / 2
    )
    assert left.estimate([group("ours"), group("ours")], [0.5]) == (20 + 40) / 2


def test_an_unknown_kind_takes_the_mean_and_one_group_runs_on_one_worker():
    left = TimeLeft(2)
    left.learn(group("ours"), 30.0)
    left.learn(group("ls_t"), 10.0)
    assert left.estimate([group("cae_s")], [0.25]) == 15.0
