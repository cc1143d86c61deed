"""What counts as the same result."""

import json

import numpy as np

from benchmarks.same_as_outcome import compare, read


def verdict(older, newer, part="result.json"):
    (only,) = compare({part: older}, {part: newer})
    return only


def test_the_last_bit_of_a_number_counts():
    assert not verdict({"msre": 0.1}, {"msre": 0.1}).wrong
    assert verdict({"msre": 0.1}, {"msre": np.nextafter(0.1, 1)}).wrong == [
        "msre: 0.1, now 0.10000000000000002"
    ]
    array = np.ones(3, np.float32)
    assert not verdict({"bias": array}, {"bias": array.copy()}).wrong
    assert verdict({"bias": array}, {"bias": np.nextafter(array, 2)}).wrong
    assert verdict({"bias": array}, {"bias": array.astype(np.float64)}).wrong
    assert not verdict({"bias": np.nan * array}, {"bias": np.nan * array}).wrong


def test_a_value_that_is_gone_is_a_difference_and_a_new_one_is_listed():
    found = verdict({"msre": 1.0, "ari": None}, {"ari": None, "msre_unmeasured": 0.5})
    assert found.wrong == ["msre is missing"]
    assert found.added == ["msre_unmeasured"]
    (gone,) = compare({"select": {"indices": 1}}, {})
    assert gone.wrong == ["indices is missing"]


def test_weights_may_get_other_names_and_answers_may_not():
    one, other = np.arange(3.0), np.arange(3.0, 6.0)
    older, newer = {"a": one, "b": one, "c": other}, {"x": other, "y": one, "z": one}
    assert not verdict(older, newer, "model.keras").wrong
    assert len(verdict(older, newer, "select").wrong) == 3
    changed = verdict({"a": one, "b": one}, {"x": one, "y": other}, "model.keras")
    assert (len(changed.wrong), len(changed.added)) == (1, 1)


def test_clocks_are_left_out_of_an_experiments_lines(tmp_path):
    cell = {"dataset": "d", "method": "ours", "support_size": 2, "num_selected": 5, "split": 0}
    line = {**cell, "msre": 1.5, "seconds": 3.0, "commit": "abc"}
    (tmp_path / "same_as.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    values = read("experiment", str(tmp_path))["lines"]
    assert values["d,ours,2,5,0/msre"] == 1.5
    assert not [name for name in values if "seconds" in name or "commit" in name]
