"""What every released version wrote stays readable, or is refused with one sentence that says what to do.

`golden/<version>/<method>` is a run of that version and what its export answered then; `make_golden.py` makes
them. A release adds its own.
"""

import base64
import functools
import json
import pathlib
import tarfile
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tffs
from tests.conformance.make_golden import GOLDEN
from tests.serving.serialized import LYING
from tffs.serving import contract
from tffs.serving.server.loaded_version import LoadedVersion
from tffs.workdir import Workdir

RUNS = sorted(str(path.relative_to(GOLDEN).with_suffix("")) for path in GOLDEN.glob("*/*.json"))
# What the changelog says of each kind of file.
EXPORTS_SINCE, MODELS_SINCE, MEASURED_SINCE = (0, 4), (0, 2), (0, 6)
TOLERANCE = {"rtol": 2e-4, "atol": 1e-6}  # of float32, summed in another order by another processor


class Golden:
    """A run of an older version, unpacked.

    Attributes:
        folder: the run's workdir.
        version: numbers of the version of tffs.
        answers: requests and answers by signature.
    """

    def __init__(self, name: str, folder: pathlib.Path) -> None:
        self.folder = folder
        self.version = tuple(map(int, name.partition("/")[0].split(".")))
        self.answers: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))
        with tarfile.open(GOLDEN / f"{name}.tar.xz") as archive:
            archive.extractall(folder, filter="data")

    @property
    def support(self) -> np.ndarray:
        """The support rows of the first task that was asked for, without any that do not count."""
        return np.array(self.answers["select"]["inputs"]["support"][0], np.float32)

    @functools.cached_property
    def selector(self) -> tffs.FewShotFeatureSelector:
        """What its folder is loaded as, for the task of `support`."""
        return tffs.load(str(self.folder)).adapt(self.support)

    @property
    def ranks(self) -> bool:
        """Whether it is a posterior."""
        return "rank" in self.answers


@pytest.fixture(scope="module", params=RUNS)
def golden(request, tmp_path_factory):
    return Golden(request.param, tmp_path_factory.mktemp("golden"))


def test_every_released_version_has_golden_runs():
    text = (pathlib.Path(tffs.__file__).parents[1] / "CHANGELOG.md").read_text("utf-8")
    released = {
        line.split()[1] for line in text.splitlines() if line.startswith("## 0") and "unrel" not in line
    }
    assert released == {name.partition("/")[0] for name in RUNS}


def test_a_server_answers_as_the_version_did(golden):
    version = LoadedVersion(str(golden.folder / "export" / "1"), 1)
    assert golden.answers.keys() == version.signatures.keys()
    for name, exchange in golden.answers.items():
        signature = version.signatures[name]
        inputs = {
            key: np.array(_bytes(values), signature.inputs[key].dtype.as_numpy_dtype)
            for key, values in exchange["inputs"].items()
        }
        outputs = version.run(signature, inputs)
        assert outputs.keys() == exchange["outputs"].keys()
        for key, expected in exchange["outputs"].items():
            _compare(outputs[key], expected)
    version.close()


def test_an_example_that_announces_more_floats_than_it_has_does_not_end_the_server(golden):
    if golden.version < EXPORTS_SINCE:
        pytest.skip("it takes no Examples")
    version = LoadedVersion(str(golden.folder / "export" / "1"), 1)
    inputs = {"examples": np.array([LYING, b""], object)}
    outputs = version.run(version.signatures[contract.SELECT_EXAMPLES], inputs)
    lying, empty = outputs[contract.ERROR]
    assert lying == empty != b""
    version.close()


def test_its_folder_is_loaded_or_refused_by_the_version_that_wrote_it(golden):
    if golden.version < EXPORTS_SINCE:
        with pytest.raises(tffs.UserError, match="was exported by tffs 0.3.0 or older.*: export it again"):
            golden.selector  # noqa: B018
        return
    chosen = golden.answers["select"]["outputs"]
    assert golden.selector.get_support(indices=True).tolist() == sorted(chosen["indices"][0])
    assert sorted(golden.selector.get_feature_names_out()) == sorted(chosen["names"][0])


def test_a_loaded_selector_infers_what_the_version_did(golden):
    if golden.version < EXPORTS_SINCE:
        pytest.skip("refused by the test above")
    inputs, outputs = (golden.answers["reconstruct"][part] for part in ("inputs", "outputs"))
    values = np.array(inputs["values"][0], np.float64)
    expected = np.array(outputs["reconstruction"][0])
    names = list(golden.selector.feature_names_in_)
    if golden.ranks:
        found = golden.selector.reconstruct(pd.DataFrame(values, columns=names), interval=0.9)
        for part, name in zip(found, ("reconstruction", "low", "high"), strict=True):
            _compare(part[names].to_numpy(), outputs[name][0])
        return
    chosen = golden.answers["select"]["outputs"]
    if golden.version < MEASURED_SINCE:  # what was measured is put back by tffs, and not by the graph
        expected[:, chosen["indices"][0]] = values
    found = golden.selector.reconstruct(pd.DataFrame(values, columns=chosen["names"][0]), interval=None)
    _compare(found[names].to_numpy(), expected)


def test_the_keras_model_selects_like_the_export_of_its_version(golden):
    if golden.version < MODELS_SINCE:
        with pytest.raises(tffs.UserError, match="not a model that a run of tffs saved"):
            tffs.load_model(str(golden.folder))
        return
    model = tffs.load_model(str(golden.folder))
    exchange = golden.answers["select"]
    support = np.array(exchange["inputs"]["support"], np.float32)
    np.testing.assert_array_equal(model.select(support), exchange["outputs"]["indices"])


def test_the_configuration_of_a_run_is_read(golden):
    if golden.version < MODELS_SINCE:
        with pytest.raises(tffs.UserError, match="config.json"):
            Workdir(str(golden.folder)).stored_config()
        return
    config = Workdir(str(golden.folder)).stored_config()
    assert config is not None
    assert config.method == ("posterior" if golden.ranks else "concrete")


def test_a_damaged_export_is_not_taken_for_an_old_one(tmp_path):
    golden = Golden(RUNS[-1], tmp_path)
    path = tmp_path / "export" / "1" / contract.DESCRIPTION
    path.write_text(path.read_text("utf-8")[:-20], encoding="utf-8")
    with pytest.raises(tffs.UserError, match="or it is damaged"):
        golden.selector  # noqa: B018


def _bytes(values: Any) -> Any:
    if isinstance(values, list):
        return [_bytes(value) for value in values]
    return base64.b64decode(values["b64"]) if isinstance(values, dict) else values


def _compare(array: np.ndarray, expected: Any) -> None:
    """Compare with what JSON held: null is NaN, and integers and texts are equal."""
    if array.dtype == object:
        assert [text.decode() for text in array.ravel()] == np.ravel(expected).tolist()
    elif array.dtype.kind == "f":
        np.testing.assert_allclose(array, np.array(expected, np.float64), **TOLERANCE)
    else:
        np.testing.assert_array_equal(array, expected)
