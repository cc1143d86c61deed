"""tffs.load: the same object wherever the model is."""

import json
import subprocess
import sys

import numpy as np
import pytest

import tffs
from tests.estimator.small import FEATURES, fitted, machines
from tests.serving.server.running_server import RunningServer

NEW, _ = machines(seed=1, tasks=1)


@pytest.fixture(scope="module")
def selector():
    return fitted()


@pytest.fixture(scope="module")
def exported(selector, tmp_path_factory):
    folder = tmp_path_factory.mktemp("export")
    assert selector.export(str(folder)) == str(folder / "1")
    return folder


@pytest.fixture(scope="module")
def addresses(exported):
    with RunningServer(exported) as running:
        server = running.server
        yield {"rest": f"http://127.0.0.1:{server.rest_port}", "grpc": f"127.0.0.1:{server.grpc_port}"}


@pytest.fixture(params=["saved", "exported", "rest", "grpc"])
def place(request, selector, exported, addresses, tmp_path):
    if request.param == "saved":
        selector.save(str(tmp_path / "saved"))
        return str(tmp_path / "saved")
    return str(exported) if request.param == "exported" else addresses[request.param]


def test_a_loaded_selector_answers_as_the_fitted_one(place, selector):
    loaded = tffs.load(place)
    assert list(loaded.feature_names_in_) == FEATURES
    for one, other in ((loaded, selector), (loaded.adapt(NEW.head(4)), selector.adapt(NEW.head(4)))):
        assert list(one.order_) == list(other.order_)
        np.testing.assert_allclose(one.error_curve_, other.error_curve_, rtol=1e-4, atol=1e-6)
        values = other.transform(NEW)
        np.testing.assert_allclose(one.inverse_transform(values), other.inverse_transform(values), rtol=1e-3)
    unseen, whose = machines(seed=1, tasks=2)
    assert loaded.score(unseen, groups=whose) == pytest.approx(selector.score(unseen, groups=whose), rel=1e-3)
    assert loaded.set_params(n_features_to_select=3).get_support().sum() == 3
    assert loaded.assess(["age"]).verdict == selector.assess(["age"]).verdict


def test_a_saved_selector_keeps_its_parameters_its_task_and_its_figures(selector, tmp_path):
    adapted = selector.adapt(NEW.head(4), exclude=["heat"])
    adapted.save(str(tmp_path / "new"))
    again = tffs.load(str(tmp_path / "new"))
    assert list(again.order_) == list(adapted.order_)
    assert "heat" not in again.order_
    assert again.get_params() == {**adapted.get_params(), "exclude": ("heat",)}
    assert again.task_errors_.equals(adapted.task_errors_)


def test_a_rest_server_needs_no_tensorflow(addresses):
    code = (
        "import sys, tffs; selector = tffs.load(sys.argv[1]); print(list(selector.order_)); "
        "assert 'tensorflow' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, addresses["rest"]], check=True)


def test_a_selector_at_a_server_is_not_saved_but_loaded_again(addresses, tmp_path):
    with pytest.raises(tffs.UserError, match="nothing to save"):
        tffs.load(addresses["rest"]).save(str(tmp_path / "copy"))


def test_a_folder_with_other_files_is_not_written_over(selector, tmp_path):
    (tmp_path / "thesis.tex").write_text("all my work")
    with pytest.raises(tffs.UserError, match="holds other files"):
        selector.save(str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["thesis.tex"]


@pytest.mark.parametrize("harm", ["half", "format", "model"])
def test_a_damaged_folder_is_said_to_be_so(selector, tmp_path, harm):
    folder = tmp_path / "saved"
    selector.save(str(folder))
    text = (folder / "selector.json").read_text()
    if harm == "half":
        (folder / "selector.json").write_text(text[: len(text) // 2])
    elif harm == "format":
        (folder / "selector.json").write_text(json.dumps({**json.loads(text), "format": 99}))
    else:
        (folder / "model.keras").write_bytes(b"nothing")
    with pytest.raises(tffs.UserError, match="selector.json|model.keras"):
        tffs.load(str(folder))


def test_a_place_that_is_none_is_said_to_be_so(tmp_path):
    with pytest.raises(tffs.UserError, match="not a folder"):
        tffs.load(str(tmp_path / "nothing"))
    with pytest.raises(tffs.UserError, match="no server"):
        tffs.load(str(tmp_path), model_name="other")
