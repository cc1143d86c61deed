from tffs.experiments.grid import Cell
from tffs.experiments.time_left import TimeLeft


def job(method):
    return [Cell(0, "a", 10, 2, method)]


def test_nothing_is_known_before_the_first_job():
    assert TimeLeft(2).estimate([job("ours")], []) is None


def test_the_same_kind_of_job_takes_as_long_again():
    left = TimeLeft(2)
    left.learn(job("ours"), 30.0)
    left.learn(job("ours"), 50.0)
    left.learn(job("ls_t"), 1.0)
    assert left.estimate([job("ours"), job("ours"), job("ls_t"), job("ls_t")], []) == (40 + 40 + 1 + 1) / 2
    assert left.estimate([job("ours"), job("ours")], [0.5]) == (20 + 40) / 2


def test_an_unknown_kind_takes_the_mean_and_one_job_runs_on_one_worker():
    left = TimeLeft(2)
    left.learn(job("ours"), 30.0)
    left.learn(job("ls_t"), 10.0)
    assert left.estimate([job("cae_s")], [0.25]) == 15.0
