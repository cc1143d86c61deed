"""An exported model asked from Python: what pandas users have is taken by name, or refused in a sentence."""

import dataclasses
import pathlib
import tarfile
import warnings

import numpy as np
import pandas as pd
import pytest

from tests.serving.exports import TINY_NAMES as NAMES
from tffs.errors import UserError
from tffs.models import concrete_model
from tffs.serving.export import export_model
from tffs.serving.exported_model import ExportedModel


@pytest.fixture(scope="module")
def model(tiny_export):
    return ExportedModel(tiny_export)


@pytest.fixture(scope="module")
def classifier(tmp_path_factory):
    core = concrete_model(6, 3, selector_dim=5, embedding_units=4, decoder_units=(3,), seed=7, num_classes=2)
    core.build()
    path = str(tmp_path_factory.mktemp("classifier") / "export")
    return ExportedModel(export_model(core, NAMES, 2, path, classes=("well", "ill")))


@pytest.fixture
def rows(rng):
    return pd.DataFrame(rng.random((2, 6), dtype=np.float32), columns=NAMES)


def test_columns_are_found_by_name_in_any_order_and_among_others(model, rows):
    expected = model.select(rows.to_numpy())
    shuffled = rows[list(reversed(NAMES))].assign(label=["x", "y"])
    pd.testing.assert_frame_equal(model.select(shuffled), expected)


@pytest.mark.parametrize(
    "convert",
    [
        lambda rows: rows.astype(np.float64),
        lambda rows: rows.astype("Float32"),
        lambda rows: rows.to_numpy(np.float64),
        lambda rows: rows.to_numpy(np.float64).tolist(),
        lambda rows: tuple(map(tuple, rows.to_numpy())),
    ],
)
def test_every_kind_of_table_of_numbers_is_taken(model, rows, convert):
    pd.testing.assert_frame_equal(model.select(convert(rows)), model.select(rows))


@pytest.mark.parametrize(
    ("change", "fragment"),
    [
        (lambda rows: rows.drop(columns=["PPE", "r0c0"]), "lack 2 of the model's 6 features: 'PPE', 'r0c0'"),
        (
            lambda rows: rows.iloc[:1],
            "takes 2 support rows of 6 features. Received: 1 rows of 6. Give",
        ),
        (
            lambda rows: rows.assign(größe=[1.0, np.nan]),
            "must be finite numbers, but 'größe' in row 2 is missing",
        ),
        (
            lambda rows: rows.assign(PPE=["1", "2"]),
            "must be numbers, but the column 'PPE' holds something",
        ),
        (lambda rows: rows.to_numpy()[:, :5], "must be of shape \\[rows, 6\\]. Received: the shape \\[2, 5\\]"),
        (lambda rows: rows.to_numpy()[None], "must be of shape"),
        (lambda rows: rows.iloc[0], "takes 2 support rows of 6 features. Received: 1 rows of 6"),
        (lambda rows: [[1.0, 2.0], [3.0]], "must be a DataFrame or an array of numbers"),
        (lambda rows: None, "takes 2 support rows of 6 features. Received: none. Give them"),
    ],
)
def test_wrong_rows_are_one_sentence(model, rows, change, fragment):
    with pytest.raises(UserError, match=fragment):
        model.select(change(rows))


def test_measured_values_are_found_by_name_and_come_back_as_they_were(model, rows, rng):
    chosen = model.select(rows)
    further = pd.DataFrame(rng.normal(size=(4, 6)), columns=NAMES, index=list("wxyz"))
    by_name = model.reconstruct(rows, further[list(reversed(NAMES))])
    by_place = model.reconstruct(rows, further[chosen["feature"]].to_numpy().tolist())
    np.testing.assert_array_equal(by_name, by_place)
    assert by_name.columns.tolist() == list(NAMES)
    assert by_name.index.tolist() == list("wxyz")
    for name in chosen["feature"]:
        np.testing.assert_array_equal(by_name[name], further[name].astype(np.float32))
    with pytest.raises(UserError, match="but the values lack"):
        model.reconstruct(rows, further.drop(columns=chosen["feature"].iloc[0]))


def test_a_model_of_classes_classifies_and_says_that_it_reconstructs_nothing(classifier, model, rows):
    answer = classifier.classify(rows, rows)
    assert answer.columns.tolist() == ["well", "ill"]
    np.testing.assert_allclose(answer.sum(axis=1), 1.0, rtol=1e-5)
    with pytest.raises(UserError, match="does not reconstruct, it can classify"):
        classifier.reconstruct(rows, rows)
    with pytest.raises(UserError, match="does not classify, it can reconstruct"):
        model.classify(rows, rows)


def test_values_far_outside_the_source_range_are_noted_where_the_caller_stands(tiny_export, rows):
    heard = []
    quiet, listening = ExportedModel(tiny_export), ExportedModel(tiny_export, heard.append)
    ranges = {"source_low": (0.0,) * 6, "source_high": (1.0,) * 6}
    for model in (quiet, listening):
        model.description = dataclasses.replace(model.description, **ranges)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quiet.select(rows)
    far = rows.assign(PPE=[100.0, 0.5])
    sentence = "1 feature.* far outside .*'PPE' 0.5 to 100 .source tasks: 0 to 1"
    with pytest.warns(UserWarning, match=sentence) as seen:
        quiet.select(far)
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        listening.select(far)
        listening.reconstruct(far, rows)
    assert len(heard) == 2
    assert all("are the units right?" in sentence for sentence in heard)


def test_measured_values_far_outside_the_source_range_are_noted(tiny_export, rows):
    notes = []
    model = ExportedModel(tiny_export, notes.append)
    model.description = dataclasses.replace(model.description, source_low=(0.0,) * 6, source_high=(1.0,) * 6)
    name = model.select(rows)["feature"].iloc[0]
    model.reconstruct(rows, rows.assign(**{name: [0.5, 1000.0]}))
    assert len(notes) == 1
    assert "1 feature(s) of the values are far outside" in notes[0]
    assert f"'{name}' 0.5 to 1000 (source tasks: 0 to 1)" in notes[0]


def test_an_export_of_0_5_0_gives_its_answers(tmp_path):
    with tarfile.open(pathlib.Path(__file__).parent / "golden_0_5_0" / "export.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    model = ExportedModel(str(tmp_path))
    rows = np.random.default_rng(0).random((2, 5), dtype=np.float32)
    frame = pd.DataFrame(rows, columns=list("abcde"))
    assert model.select(frame[list("edcba")])["feature"].tolist() == ["e", "b"]
    measured = frame[["b", "e"]] + 0.25
    answer = model.reconstruct(frame, measured)
    assert answer.shape == (2, 5)
    pd.testing.assert_frame_equal(answer[["b", "e"]], measured)  # that release's graph does not give it back
