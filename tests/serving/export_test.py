import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest
import tensorflow as tf
from tensorflow_serving.apis import prediction_log_pb2

from tffs.errors import UserError
from tffs.models import concrete_model
from tffs.serving import check_export, contract, version_folders
from tffs.serving import export as export_module
from tffs.serving.contract import versions_in
from tffs.serving.description import Description
from tffs.serving.export import check_version, export_model
from tffs.serving.exported_model import ExportedModel, find_version

NAMES = ("Jitter(%)", "PPE", "a b", "größe", "x,y", "r0c0")


@pytest.fixture(scope="module", autouse=True)
def checked_in_a_clean_process():
    """Check exports as for a user, which other tests leave out; see `tests/conftest.py`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(export_module, "check_version", check_version)
        yield


@pytest.fixture(scope="module")
def model():
    model = concrete_model(6, 3, selector_dim=5, embedding_units=4, decoder_units=(3,), seed=7)
    model.build()
    return model


@pytest.fixture(scope="module")
def made(model, tmp_path_factory):
    """One export, which tests copy: each is checked in a process of its own, which takes seconds."""
    folder = tmp_path_factory.mktemp("made") / "export"
    export_model(model, NAMES, 2, str(folder))
    return folder


@pytest.fixture
def exports(made, tmp_path):
    shutil.copytree(made, tmp_path / "export")
    return str(tmp_path / "export")


@pytest.fixture
def unchecked(monkeypatch):
    """Leave out the check in a clean process, for tests of what comes after it."""
    monkeypatch.setattr(export_module, "check_version", lambda path: None)


def test_a_version_has_everything_that_a_server_and_a_person_need(made):
    version = made / "1"
    for name in (
        *("saved_model.pb", contract.FEATURE_NAMES, contract.DESCRIPTION, contract.MODEL_CARD, contract.WARMUP),
        *(contract.GOLDEN_REQUEST, contract.GOLDEN_RESPONSE),
    ):
        assert (version / name).stat().st_size > 0, name
    assert (version / contract.FEATURE_NAMES).read_text(encoding="utf-8").splitlines() == list(NAMES)
    described = Description.from_json(json.loads((version / contract.DESCRIPTION).read_text(encoding="utf-8")))
    assert (described.feature_names, described.version, described.support_sizes) == (NAMES, 1, (2,))


def test_warm_up_requests_cover_every_signature(made):
    seen = {}
    for record in tf.data.TFRecordDataset(str(made / "1" / contract.WARMUP)):
        log = prediction_log_pb2.PredictionLog.FromString(record.numpy())
        request = log.predict_log.request
        first = next(iter(request.inputs.values()))
        seen.setdefault(request.model_spec.signature_name, []).append(first.tensor_shape.dim[0].size)
    expected = ("select", "select_masked", "select_examples", "reconstruct", "describe")
    assert seen == {name: [1, 8, 64] for name in expected}


def test_no_row_of_the_data_travels_with_an_export(finished):
    text = pathlib.Path(finished.exports, "1", contract.GOLDEN_REQUEST).read_text(encoding="utf-8")
    sent = np.array(json.loads(text)["instances"][0]["support"])
    support = np.loadtxt(finished.file("support.csv"), delimiter=",", skiprows=1)
    assert np.abs(sent[:, None, :] - support[None]).max(axis=2).min() > 0.1


def test_the_golden_response_is_what_the_model_answers(exports):
    texts = [
        pathlib.Path(exports, "1", name).read_text(encoding="utf-8")
        for name in (contract.GOLDEN_REQUEST, contract.GOLDEN_RESPONSE)
    ]
    request, response = map(json.loads, texts)
    chosen = ExportedModel(exports).select(np.array(request["instances"][0]["support"], np.float32))
    assert chosen["feature"].tolist() == response["predictions"][0]["names"]


def test_versions_grow_and_leave_nothing_else_behind(model, exports, tmp_path, unchecked):
    os.makedirs(f"{exports}/7")
    assert export_model(model, NAMES, 2, exports) == f"{exports}/8"
    assert versions_in(exports) == [1, 7, 8]
    assert os.listdir(tmp_path) == ["export"]


def test_the_number_of_a_deleted_version_is_not_given_again(model, exports, unchecked):
    shutil.rmtree(f"{exports}/1")
    assert export_model(model, NAMES, 2, exports) == f"{exports}/2"
    assert ExportedModel(exports).description.version == 2


def test_only_folders_with_plain_numbers_are_versions(tmp_path):
    for name in ("2", "10", "007", "٣", "1.5", "-1", "latest", str(2**63), "9" * 200):
        (tmp_path / name).mkdir()
    (tmp_path / "11").write_text("a file", encoding="utf-8")
    for name in ("12", "loop"):
        (tmp_path / name).symlink_to(name)
    assert versions_in(str(tmp_path)) == [2, 10]


def test_no_number_is_given_out_that_a_server_cannot_read(tmp_path):
    (tmp_path / str(2**63 - 2)).mkdir()
    assert version_folders.reserve(str(tmp_path)) == 2**63 - 1
    with pytest.raises(UserError, match="has version 9223372036854775807, the largest number"):
        version_folders.reserve(str(tmp_path))


@pytest.mark.parametrize("content", ["", "nonsense", "-4", str(2**63), "9" * 5000])
def test_a_damaged_counter_goes_by_the_folders(exports, content):
    pathlib.Path(exports, version_folders.LAST).write_text(content, encoding="utf-8")
    assert [version_folders.reserve(exports), version_folders.reserve(exports)] == [2, 3]


def test_a_full_disk_does_not_make_the_numbers_start_over(tmp_path):
    assert [version_folders.reserve(str(tmp_path)) for _ in range(3)] == [1, 2, 3]
    program = (
        "import resource, sys; from tffs.serving import version_folders;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0));"
        "version_folders.reserve(sys.argv[1])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert "File too large" in done.stderr
    assert version_folders.reserve(str(tmp_path)) == 4


def test_concurrent_exports_take_different_versions(model, exports, unchecked):
    threads = [threading.Thread(target=export_model, args=(model, NAMES, 2, exports)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert versions_in(exports) == [1, 2, 3, 4]
    for version in versions_in(exports):
        assert ExportedModel(f"{exports}/{version}").description.version == version


def test_only_the_versions_to_keep_stay(model, exports, tmp_path, unchecked):
    os.makedirs(f"{exports}/2")
    export_model(model, NAMES, 2, exports, keep_versions=2)
    assert versions_in(exports) == [2, 3]
    assert os.listdir(tmp_path) == ["export"]


def test_a_version_stays_published_where_older_ones_cannot_be_deleted(model, exports, monkeypatch, unchecked):
    def refuse(*_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(version_folders, "prune", refuse)
    with pytest.raises(UserError, match="/2 is published, but older versions could not be deleted"):
        export_model(model, NAMES, 2, exports, keep_versions=1)
    assert versions_in(exports) == [1, 2]


def test_failing_export_leaves_no_version_and_no_debris(model, exports, tmp_path, monkeypatch, unchecked):
    def fill_the_disk(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(export_module.os, "rename", fill_the_disk)
    with pytest.raises(UserError, match="could not be exported to .* No space left"):
        export_model(model, NAMES, 2, exports)
    assert versions_in(exports) == [1]
    assert os.listdir(tmp_path) == ["export"]


def test_a_model_that_learned_nonsense_is_not_published(tmp_path):
    model = concrete_model(6, 3, selector_dim=5, embedding_units=4, decoder_units=(3,), seed=7)
    model.build()
    model.selector.bias.assign(np.full(6, np.nan))
    with pytest.raises(UserError, match="failed its check and was not published .*too large to compute with"):
        export_model(model, NAMES, 2, str(tmp_path / "export"))
    assert versions_in(str(tmp_path / "export")) == []
    assert os.listdir(tmp_path) == ["export"]


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        (
            contract.GOLDEN_RESPONSE,
            lambda body: body.replace(b'"indices": [', b'"indices": [5, '),
            "'indices' is not",
        ),
        (contract.WARMUP, lambda body: body[:-30], "DataLoss|truncated"),
        ("saved_model.pb", lambda body: body[: len(body) // 2], "parse|Invalid|saved_model"),
    ],
)
def test_the_check_finds_a_damaged_model(exports, name, change, message):
    path = pathlib.Path(exports, "1", name)
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(UserError, match=message):
        export_module.check_version(f"{exports}/1")


def test_the_check_knows_nothing_of_tffs(exports):
    program = (
        f"import gc, runpy, sys; gc.disable(); sys.argv = ['check', {exports + '/1'!r}]; "
        f"runpy.run_path({check_export.__file__!r}, run_name='__main__'); "
        "sys.exit(any(name.split('.')[0] == 'tffs' for name in sys.modules))"
    )
    environment = {**os.environ, "TF_USE_LEGACY_KERAS": "1"}  # as in an export
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, cwd=exports, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr


def test_newest_version_is_found_from_workdir_export_folder_and_version(exports, tmp_path):
    for version in (9, 10):
        shutil.copytree(f"{exports}/1", f"{exports}/{version}")  # 10 comes after 9
    for path in (str(tmp_path), exports, f"{exports}/10"):
        assert find_version(path) == f"{exports}/10"


def test_selection_has_names_indices_and_scores_in_selector_order(exports, model, rng):
    support = rng.random((2, 6), dtype=np.float32)
    chosen = ExportedModel(exports).select(support)
    assert chosen["index"].tolist() == list(np.asarray(model.select(support[None]))[0])
    assert chosen["feature"].tolist() == [NAMES[index] for index in chosen["index"]]
    assert chosen["score"].between(0, 1).all()


def test_what_is_no_export_is_refused(exports, tmp_path):
    with pytest.raises(UserError, match="is not a folder"):
        ExportedModel(str(tmp_path / "nowhere"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="holds no exported model"):
        ExportedModel(str(tmp_path / "empty"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("saved_model.pb", b"nonsense"),
        ("variables/variables.data-00000-of-00001", b""),
        ("variables/variables.index", b"nonsense"),
        (contract.DESCRIPTION, b"{}"),
        (contract.DESCRIPTION, b"\xff"),
        (contract.DESCRIPTION, b"[" * 100_000),
    ],
)
def test_a_damaged_export_is_refused(exports, name, content):
    pathlib.Path(exports, "1", name).write_bytes(content)
    with pytest.raises(UserError, match="is not a model exported by this version of tffs, or it is damaged"):
        ExportedModel(exports)
