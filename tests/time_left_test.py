import pytest

from tffs.time_left import TimeLeft


def test_the_time_left_of_steady_work_is_right_and_runs_down_between_shares():
    left = TimeLeft(began=100.0)
    for second in range(1, 5):
        left.tell(second / 10, 100.0 + second)
    assert left.at(104.0) == pytest.approx(6.0)
    assert left.at(106.5) == pytest.approx(3.5)


def test_no_time_is_given_before_it_means_something_nor_when_it_has_run_out():
    left = TimeLeft(began=0.0)
    assert left.at(5.0) is None
    left.tell(0.5, 1.0)  # too early
    assert left.at(1.0) is None
    left.tell(0.6, 3.0)
    assert left.at(3.0) == pytest.approx(2.0)
    assert left.at(6.0) is None
    slow = TimeLeft(began=0.0)
    slow.tell(0.01, 10.0)  # too little
    assert slow.at(10.0) is None


def test_one_slow_part_does_not_make_the_time_left_jump():
    left = TimeLeft(began=0.0)
    left.tell(0.5, 10.0)
    left.tell(0.51, 20.0)  # at this mean rate another 19 seconds
    assert 0.0 < left.at(20.0) < 10.0


def test_the_time_left_of_work_with_a_slow_start_only_falls():
    left, seen = TimeLeft(began=0.0), []
    for step in range(1, 21):
        now = 10.0 + step  # ten seconds of preparations
        left.tell(step / 20, now)
        seen.append(left.at(now) or 0.0)
    known = seen[1:]
    assert known == sorted(known, reverse=True)


def test_a_share_that_was_told_before_changes_nothing():
    left = TimeLeft(began=0.0)
    left.tell(0.5, 10.0)
    left.tell(0.5, 15.0)
    assert left.done == 0.5
    assert left.at(15.0) == pytest.approx(5.0)
