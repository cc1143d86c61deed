import dataclasses
import json

import numpy as np
import pytest

from tffs.errors import UserError
from tffs.serving.description import Description

DESCRIBED = Description(
    feature_names=("speed", "heat", "zero", "seven"),
    num_features=4,
    num_selected=2,
    support_size=3,
    support_sizes=(2, 3),
    scaling="minmax",
    missing="error",
    source_low=(0.0, -1.0, 0.0, 7.0),
    source_high=(10.0, 1.0, 0.0, 7.0),
    loss="reconstruction",
    classes=None,
    version=5,
    training={"dataset": "machines"},
)


def test_it_comes_back_from_json():
    assert Description.from_json(json.loads(json.dumps(DESCRIBED.to_json()))) == DESCRIBED


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {**DESCRIBED.to_json(), "format": 3},
        {key: value for key, value in DESCRIBED.to_json().items() if key != "scaling"},
        {**DESCRIBED.to_json(), "num_features": 5},
    ],
)
def test_another_document_is_refused(document):
    with pytest.raises(ValueError, match="description"):
        Description.from_json(document)


def test_every_size_that_was_trained_for_is_taken():
    for rows in (2, 3):
        DESCRIBED.check_support(np.zeros((rows, 4)))
    for shape in ((1, 4), (4, 4), (3, 3), (3,)):
        with pytest.raises(UserError, match="takes 2 or 3 support rows of 4 features"):
            DESCRIBED.check_support(np.zeros(shape))


def test_missing_values_are_taken_where_the_model_fills_them_in():
    rows = np.array([[0.0, 0.0, 0.0, 0.0], [0.0, np.nan, 0.0, 0.0]])
    with pytest.raises(UserError, match="'heat' in row 2 is missing .NaN.: fill it in"):
        DESCRIBED.check_support(rows)
    imputing = dataclasses.replace(DESCRIBED, missing="median")
    imputing.check_support(rows)
    rows[0, 0] = np.inf
    with pytest.raises(UserError, match="'speed' in row 1 is infinite or too large"):
        imputing.check_support(rows)


def test_far_is_more_than_the_range_outside_of_it():
    assert DESCRIBED.far_outside(np.array([[19.0, 2.9, 0.0, 7.0], [-9.0, -2.9, 0.1, 7.5]])) == []
    assert DESCRIBED.far_outside(np.array([[5.0, 3.1, 0.0, 7.0]])) == [
        "'heat' 3.1 to 3.1 (source tasks: -1 to 1)"
    ]


def test_a_constant_feature_is_far_outside_only_beyond_its_value_and_the_others_ranges():
    far = DESCRIBED.far_outside(np.array([[5.0, 0.0, 700.0, 15.0]]))
    assert [sentence.split()[0] for sentence in far] == ["'zero'", "'seven'"]


def test_without_ranges_nothing_is_far():
    assert (
        dataclasses.replace(DESCRIBED, source_low=None, source_high=None).far_outside(np.full((1, 4), 1e9))
        == []
    )
