import dataclasses
import json

import pytest

from tffs.methods.fit_record import FitRecord
from tffs.training.trainer import TrainingSummary

SUMMARY = TrainingSummary(300, 1.5, 5.0, 20.0, 100.0, 2.0, 1.0)


@pytest.mark.parametrize(
    "record",
    [
        FitRecord(20.0, SUMMARY, {}),
        FitRecord(25.0, SUMMARY, {"nu": 5.0}),
        FitRecord(0.5, None, {"nu": None, "components": 8}),
    ],
)
def test_a_record_survives_the_way_to_a_file_and_back(record):
    assert FitRecord.from_json(json.loads(json.dumps(record.to_json()))) == record


def test_a_record_has_every_figure_of_a_training_or_null():
    assert FitRecord(0.5, None, {"nu": 1}).to_json().keys() == FitRecord(20.0, SUMMARY, {}).to_json().keys()


def test_a_record_of_0_6_0_is_read():
    assert FitRecord.from_json(dataclasses.asdict(SUMMARY)) == FitRecord(20.0, SUMMARY, {})


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"best_step": None}, "best_step must be a number, but is None"),
        ({"chosen": [1]}, "chosen must be an object"),
        ({"seconds": None}, "seconds must be a number, but is None"),
    ],
)
def test_a_record_that_nothing_writes_is_refused(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        FitRecord.from_json({**FitRecord(20.0, SUMMARY, {}).to_json(), **changes})
