import shutil

import numpy as np
import pytest

from tests.serving.server.running_server import RunningServer
from tffs.models import FewShotSelector
from tffs.serving.export import export_model
from tffs.serving.server.limits import Limits
from tffs.serving.server.loaded_version import LoadedVersion

NAMES = ("Jitter(%)", "PPE", "a b", "größe", "x,y", "r0c0")


@pytest.fixture(scope="session")
def exported(tmp_path_factory):
    """The path of one real version, with 2 support rows of 6 features of which 3 are selected."""
    model = FewShotSelector(6, 3, selector_dim=5, embedding_units=4, decoder_units=(3,), seed=7)
    model.build()
    return export_model(model, NAMES, 2, str(tmp_path_factory.mktemp("served") / "export"))


@pytest.fixture
def exports(exported, tmp_path):
    """A folder of versions for one test alone."""
    shutil.copytree(exported, tmp_path / "export" / "1")
    return str(tmp_path / "export")


@pytest.fixture(scope="session")
def served(exported, tmp_path_factory):
    """A server that tests share and must not change; its limits are small."""
    base = tmp_path_factory.mktemp("shared") / "export"
    shutil.copytree(exported, base / "1")
    with RunningServer(base, Limits(request_bytes=200_000, request_rows=500, body_seconds=20.0)) as running:
        yield running


@pytest.fixture(scope="session")
def loaded(exported):
    """The model itself, to compare answers with."""
    version = LoadedVersion(exported, 1)
    yield version
    version.close()


@pytest.fixture
def support(rng):
    return rng.random((1, 2, 6), dtype=np.float32)
