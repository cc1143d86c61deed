from tffs.differences import differences

KEPT = {"seed": 0, "target_task": "a", "validation_task": "b", "steps": 60, "jit": "off"}


def test_what_follows_from_another_difference_is_left_out():
    assert differences(KEPT, {**KEPT, "steps": 50000, "jit": "on"}, ()) == "steps=60 (50000 if not given)"
    drawn = {**KEPT, "target_task": "c", "validation_task": "d"}
    assert differences(KEPT, drawn, ()) == "target_task=a (c if not given)"


def test_a_difference_that_follows_from_nothing_is_named():
    assert differences(KEPT, {**KEPT, "jit": "on"}, ()) == "jit=off (on if not given)"


def test_given_flags_that_differ_are_all_named():
    now = {**KEPT, "steps": 50000, "jit": "on"}
    assert differences(KEPT, now, ("steps", "jit")) == "--steps=60 (now 50000), --jit=off (now on)"
