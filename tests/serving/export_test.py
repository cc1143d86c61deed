import os
import threading

import numpy as np
import pytest
import tensorflow as tf

from tffs.errors import UserError
from tffs.models import FewShotSelector
from tffs.serving import export as export_module
from tffs.serving.export import export_model, versions_in
from tffs.serving.exported_model import ExportedModel, find_version

NAMES = ("Jitter(%)", "PPE", "a b", "größe", "x,y", "r0c0")


@pytest.fixture
def model():
    model = FewShotSelector(6, 3, selector_dim=5, embedding_units=4, decoder_units=(3,), seed=7)
    model.build()
    return model


@pytest.fixture
def exports(model, tmp_path):
    folder = str(tmp_path / "export")
    export_model(model, NAMES, 2, folder)
    return folder


def test_signature_is_the_contract(exports):
    loaded = tf.saved_model.load(f"{exports}/1")
    assert set(loaded.signatures) == {"select", "serving_default"}
    for name in ("select", "serving_default"):
        signature = loaded.signatures[name]
        support = signature.structured_input_signature[1]["support"]
        assert (support.shape.as_list(), support.dtype) == ([None, 2, 6], tf.float32)
        outputs = {
            key: (spec.shape.as_list(), spec.dtype) for key, spec in signature.structured_outputs.items()
        }
        assert outputs == {
            "indices": ([None, 3], tf.int32),
            "names": ([None, 3], tf.string),
            "scores": ([None, 3], tf.float32),
        }


@pytest.mark.parametrize("selection", ["argmax", "unique"])
def test_export_answers_like_the_model(selection, tmp_path, rng):
    model = FewShotSelector(6, 3, selector_dim=5, embedding_units=4, selection=selection, seed=7)
    model.build()
    path = export_model(model, NAMES, 2, str(tmp_path / "export"))
    support = rng.random((5, 2, 6), dtype=np.float32)
    answer = tf.saved_model.load(path).signatures["select"](support=tf.constant(support))
    np.testing.assert_array_equal(answer["indices"], model.select(support))
    names = np.array(NAMES)[answer["indices"].numpy()]
    assert [[name.decode() for name in row] for row in answer["names"].numpy()] == names.tolist()
    exact = tf.nn.softmax(model.log_alpha(support), axis=-1).numpy()
    expected = np.take_along_axis(exact, answer["indices"].numpy()[:, :, None], 2)[:, :, 0]
    np.testing.assert_allclose(answer["scores"], expected, rtol=1e-5)


def test_versions_grow_and_leave_nothing_else_behind(model, exports, tmp_path):
    os.makedirs(f"{exports}/7")
    assert export_model(model, NAMES, 2, exports) == f"{exports}/8"
    assert versions_in(exports) == [1, 7, 8]
    assert os.listdir(tmp_path) == ["export"]


def test_concurrent_exports_take_different_versions(model, exports):
    threads = [threading.Thread(target=export_model, args=(model, NAMES, 2, exports)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert versions_in(exports) == [1, 2, 3, 4]
    for version in versions_in(exports):
        assert ExportedModel(f"{exports}/{version}").feature_names == NAMES


def test_failing_export_leaves_no_version_and_no_debris(model, exports, tmp_path, monkeypatch):
    def fill_the_disk(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(export_module.os, "rename", fill_the_disk)
    with pytest.raises(UserError, match="could not be exported to .* No space left"):
        export_model(model, NAMES, 2, exports)
    assert versions_in(exports) == [1]
    assert os.listdir(tmp_path) == ["export"]


def test_newest_version_is_found_from_workdir_export_folder_and_version(exports, tmp_path, model):
    for _ in range(9):
        os.makedirs(f"{exports}/{max(versions_in(exports)) + 1}")
    export_model(model, NAMES, 2, exports)  # 11 comes after 9 and 10
    for path in (str(tmp_path), exports, f"{exports}/11"):
        assert find_version(path) == f"{exports}/11"
        assert ExportedModel(path).version == 11


def test_selection_has_names_indices_and_scores_in_selector_order(exports, model, rng):
    support = rng.random((2, 6), dtype=np.float32)
    chosen = ExportedModel(exports).select(support)
    assert [feature.index for feature in chosen] == list(np.asarray(model.select(support[None]))[0])
    assert [feature.name for feature in chosen] == [NAMES[feature.index] for feature in chosen]
    assert all(0 < feature.score <= 1 for feature in chosen)


def test_another_support_size_is_refused_with_the_one_that_fits(exports):
    with pytest.raises(
        UserError, match="takes 2 support rows of 6 features, but 3 rows of 6 came: give exactly 2"
    ):
        ExportedModel(exports).select(np.zeros((3, 6), np.float32))


def test_rows_that_are_not_finite_are_refused(exports):
    with pytest.raises(UserError, match="must be finite numbers"):
        ExportedModel(exports).select(np.full((2, 6), np.nan, np.float32))


def test_what_is_no_export_is_refused(exports, tmp_path):
    with pytest.raises(UserError, match="is not a folder"):
        ExportedModel(str(tmp_path / "nowhere"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="holds no exported model"):
        ExportedModel(str(tmp_path / "empty"))
    (tmp_path / "export" / "1" / "saved_model.pb").write_bytes(b"nonsense")
    with pytest.raises(UserError, match="is not a model exported by tffs, or it is damaged"):
        ExportedModel(exports)
