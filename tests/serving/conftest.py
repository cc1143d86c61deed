"""What the tests of client and server share: one small export."""

import pytest

from tffs.models import concrete_model
from tffs.serving.export import export_model

TINY_NAMES = ("Jitter(%)", "PPE", "a b", "größe", "x,y", "r0c0")


@pytest.fixture(scope="session")
def tiny_export(tmp_path_factory):
    """A version folder (M = 6, K = 3, N_S = 2); tests copy it, and never change it."""
    model = concrete_model(6, 3, selector_dim=5, embedding_units=4, decoder_units=(3,), seed=7)
    model.build()
    return export_model(model, TINY_NAMES, 2, str(tmp_path_factory.mktemp("tiny") / "export"))
