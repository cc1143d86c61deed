import shutil

import numpy as np
import pytest

from tests.serving.exports import TINY_NAMES
from tests.serving.server.running_server import RunningServer
from tffs.models import concrete_model
from tffs.serving.export import export_model
from tffs.serving.server.limits import Limits
from tffs.serving.server.loaded_version import LoadedVersion

NAMES = TINY_NAMES
LIMITS = Limits(request_bytes=200_000, rest_bytes=200_000, request_rows=500, body_seconds=20.0)


@pytest.fixture(scope="session")
def exported(tiny_export):
    """The path of one real version, with 2 support rows of 6 features of which 3 are selected."""
    return tiny_export


@pytest.fixture(scope="session")
def other_exported(tmp_path_factory):
    """The path of another model of the same shape, which answers otherwise."""
    model = concrete_model(6, 3, selector_dim=5, embedding_units=4, decoder_units=(3,), seed=8)
    model.build()
    return export_model(model, NAMES, 2, str(tmp_path_factory.mktemp("other") / "export"))


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
    with RunningServer(base, LIMITS) as running:
        yield running


@pytest.fixture(scope="session")
def loaded(exported):
    """The model itself, to compare answers with."""
    version = LoadedVersion(exported, 1)
    yield version
    version.close()


@pytest.fixture(scope="session")
def other_loaded(other_exported):
    """The other model itself."""
    version = LoadedVersion(other_exported, 1)
    yield version
    version.close()


@pytest.fixture
def support(rng):
    return rng.random((1, 2, 6), dtype=np.float32)
