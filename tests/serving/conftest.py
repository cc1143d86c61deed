"""What the tests of client and server share: small exports."""

import pytest

from tests.serving.exports import export_posterior, export_tiny


@pytest.fixture(scope="session")
def tiny_export(tmp_path_factory):
    """A version folder of a network; tests copy it, and never change it."""
    return export_tiny(tmp_path_factory.mktemp("tiny") / "export")


@pytest.fixture(scope="session")
def posterior_export(tmp_path_factory):
    """A version folder of a posterior; tests copy it, and never change it."""
    return export_posterior(tmp_path_factory.mktemp("posterior") / "export")
