import json
import pathlib
import zipfile

import keras
import numpy as np
import pytest

from tffs.layers import Scaling
from tffs.models import RawUnitsSelector, concrete_model, load_model

OFFSET = np.array([0.0, 100.0, -3.0, 0.5, 7.0], np.float32)
WIDTH = np.array([1.0, 50.0, 0.1, 2.0, 0.0], np.float32)


def make(num_classes=None):
    core = concrete_model(5, 3, 8, 6, (7,), seed=0, num_classes=num_classes)
    core.build()
    scaling = Scaling(impute=True)
    scaling.build((None, 5))
    scaling.learn(OFFSET, WIDTH, OFFSET + 0.25 * WIDTH)
    raw = RawUnitsSelector(core, scaling)
    raw.build()
    return raw


@pytest.fixture
def model():
    return make()


@pytest.fixture
def scaled(rng):
    support = rng.random((2, 4, 5), dtype=np.float32)
    query = rng.random((2, 6, 5), dtype=np.float32)
    support[..., 4] = query[..., 4] = 0.0
    return support, query


def raw(scaled):
    return scaled * WIDTH + OFFSET


def test_raw_units_in_and_out_are_scaled_units_inside(model, scaled):
    support, query = scaled
    core = model.selector
    np.testing.assert_array_equal(model.select(raw(support)), core.select(support))
    chosen, inside = model.frozen()(raw(support)), core.frozen()(support)
    np.testing.assert_allclose(chosen.scores, inside.scores, atol=1e-4)
    inside = core({"support": support, "query": query}, tau=0.5)
    outside = model({"support": raw(support), "query": raw(query)}, tau=0.5)
    np.testing.assert_allclose(outside, raw(np.asarray(inside)), rtol=1e-4, atol=1e-4)


def test_reconstruction_takes_and_gives_raw_values_of_the_chosen_features(model, scaled):
    support, query = scaled
    indices = np.asarray(model.select(raw(support)))
    values = np.take_along_axis(query, indices[:, None, :], axis=2)
    raw_values = np.take_along_axis(raw(query), indices[:, None, :], axis=2)
    inferred = raw(np.asarray(model.selector.reconstruct(support, values)))
    answer = np.array(model.reconstruct(raw(support), raw_values))
    for task, chosen in enumerate(indices):
        np.testing.assert_array_equal(answer[task][:, chosen], raw_values[task])  # not as the decoder has them
        answer[task][:, chosen] = inferred[task][:, chosen]
    np.testing.assert_allclose(answer, inferred, rtol=1e-4, atol=1e-4)


def test_a_missing_value_is_reconstructed(model, scaled):
    support, query = raw(scaled[0]), raw(scaled[1])
    indices = np.asarray(model.select(support))
    values = np.take_along_axis(query, indices[:, None, :], axis=2)
    values[0, 2, 1] = np.nan
    answer = np.asarray(model.reconstruct(support, values))
    assert np.isfinite(answer).all()
    chosen = np.take_along_axis(answer, indices[:, None, :], axis=2)
    there = np.isfinite(values)
    np.testing.assert_array_equal(chosen[there], values[there])


def test_values_of_other_features_are_refused(model, scaled):
    with pytest.raises(ValueError, match=r"values of the 3 chosen features.*shape \(2, 6, 5\)"):
        model.reconstruct(raw(scaled[0]), raw(scaled[1]))


def test_a_wrong_argument_is_named_when_the_model_is_made(model):
    with pytest.raises(ValueError, match="Expected a model.*selector=5"):
        RawUnitsSelector(5, Scaling())
    with pytest.raises(ValueError, match="Expected a Scaling layer.*scaling='minmax'"):
        RawUnitsSelector(model.selector, "minmax")
    with pytest.raises(NotImplementedError, match="Trainer"):
        model.compile("adam", "mse")


def test_missing_values_count_as_medians(model, scaled):
    support = raw(scaled[0])
    support[0, 1, 2] = np.nan
    filled = support.copy()
    filled[0, 1, 2] = OFFSET[2] + 0.25 * WIDTH[2]
    np.testing.assert_allclose(model.frozen()(support).scores, model.frozen()(filled).scores, rtol=1e-6)


def test_the_file_keeps_scaling_and_weights(model, scaled, tmp_path):
    support, query = raw(scaled[0]), raw(scaled[1])
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert isinstance(loaded, RawUnitsSelector)
    assert loaded.scaling.impute
    inputs = {"support": support, "query": query}
    np.testing.assert_array_equal(loaded(inputs), model(inputs))
    np.testing.assert_array_equal(loaded.select(support), model.select(support))


def test_a_classifier_takes_raw_values_and_its_answers_have_no_unit(scaled, tmp_path):
    support, query = scaled
    classifier = make(num_classes=4)
    indices = np.asarray(classifier.select(raw(support)))
    values, raw_values = (np.take_along_axis(x, indices[:, None, :], axis=2) for x in (query, raw(query)))
    expected = classifier.selector.classify(support, values)
    probabilities = classifier.classify(raw(support), raw_values)
    np.testing.assert_allclose(probabilities, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(np.sum(probabilities, axis=-1), 1.0, rtol=1e-5)
    inside = classifier.selector({"support": support, "query": query}, tau=0.5)
    outside = classifier({"support": raw(support), "query": raw(query)}, tau=0.5)
    np.testing.assert_allclose(outside, inside, rtol=1e-3, atol=1e-4)
    with pytest.raises(ValueError, match="reconstructs nothing: call classify"):
        classifier.reconstruct(raw(support), raw_values)
    with pytest.raises(ValueError, match=r"values of the 3 chosen features.*shape \(2, 6, 5\)"):
        classifier.classify(raw(support), raw(query))
    classifier.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(loaded.classify(raw(support), raw_values), probabilities)


def test_a_file_of_0_5_0_gives_its_answers():
    golden = pathlib.Path(__file__).parent / "golden_0_5_0"
    loaded = load_model(str(golden))
    with np.load(golden / "answers.npz") as answers:
        np.testing.assert_array_equal(loaded.select(answers["support"]), answers["selected"])
        reconstruction = np.array(loaded.reconstruct(answers["support"], answers["values"]))
        chosen = answers["selected"][:, None, :]
        inferred = np.take_along_axis(answers["reconstruction"], chosen, axis=2)
        np.put_along_axis(reconstruction, chosen, inferred, axis=2)  # 0.5.0 gave what the decoder gave
        np.testing.assert_allclose(reconstruction, answers["reconstruction"], rtol=1e-5)
    assert loaded.scaling.impute
    assert loaded.selector.selector.selection == "unique"


def test_a_file_of_0_2_0_which_knew_no_classes_loads(tmp_path):
    golden = pathlib.Path(__file__).parent / "golden_0_5_0"
    with (
        zipfile.ZipFile(golden / "model.keras") as new,
        zipfile.ZipFile(tmp_path / "model.keras", "w") as old,
    ):
        for name in new.namelist():
            content = new.read(name)
            if name == "config.json":
                config = json.loads(content)
                inner = config["config"]["selector"]["config"]
                assert inner.pop("num_classes") is None
                assert inner.pop("selector") == "task"
                content = json.dumps(config).encode()
            old.writestr(name, content)
    for one, other in zip(
        load_model(str(tmp_path)).get_weights(), load_model(str(golden)).get_weights(), strict=True
    ):
        np.testing.assert_array_equal(one, other)
