from tffs.tuning.overdue import Overdue
from tffs.tuning.trial import Figures, Job, Row

ROW = Row("00", {}, 100, Figures(1.0, 5.0, 100, 20.0))  # 0.2 s a step
JOB = Job("01", {}, 200)  # 40 s, so 200 s are too many


def test_a_trial_that_takes_five_times_as_long_as_others_is_told_once_with_its_worker():
    now = [0.0]
    overdue = Overdue(lambda: now[0])
    told = []
    for now[0] in (0.0, 100.0, 199.0, 201.0, 500.0):
        told.append(overdue.notes({"tuner3": JOB}, [ROW]))
    assert told[:3] == [[], [], []]
    (sentence,) = told[3]
    assert sentence.startswith("Trial 01 has been with worker tuner3 for 3 min 21 s, much longer than")
    assert "start it again with KERASTUNER_TUNER_ID=tuner3" in sentence
    assert told[4] == []


def test_a_trial_that_another_worker_takes_over_starts_anew():
    now = [0.0]
    overdue = Overdue(lambda: now[0])
    overdue.notes({"a": JOB}, [ROW])
    now[0] = 190.0
    assert overdue.notes({"b": JOB}, [ROW]) == []
    now[0] = 210.0
    assert overdue.notes({"b": JOB}, [ROW]) == []
    now[0] = 391.0
    assert len(overdue.notes({"b": JOB}, [ROW])) == 1


def test_short_trials_get_a_minute_and_nothing_is_overdue_before_anything_was_measured():
    now = [0.0]
    overdue = Overdue(lambda: now[0])
    short = Job("02", {}, 1)
    for now[0] in (0.0, 59.0):
        assert overdue.notes({"a": short}, [ROW]) == []
    now[0] = 61.0
    assert overdue.notes({"a": short}, []) == []
    assert len(overdue.notes({"a": short}, [ROW])) == 1
