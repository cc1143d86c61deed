"""What the tests of client and server share: one small export."""

import pytest

from tests.serving.posterior import posterior_model
from tffs.models import concrete_model
from tffs.serving.export import export_model

TINY_NAMES = ("Jitter(%)", "PPE", "a b", "größe", "x,y", "r0c0")


@pytest.fixture(scope="session")
def tiny_export(tmp_path_factory):
    """A version folder (M = 6, K = 3, N_S = 2); tests copy it, and never change it."""
    model = concrete_model(6, 3, selector_dim=5, embedding_units=4, decoder_units=(3,), seed=7)
    model.build()
    return export_model(model, TINY_NAMES, 2, str(tmp_path_factory.mktemp("tiny") / "export"))


@pytest.fixture(scope="session")
def posterior_export(tmp_path_factory):
    """A version folder of a posterior model (M = 6, K = 3, N_S = 4); tests copy it, and never change it."""
    model = posterior_model(novelty=True)
    exports = tmp_path_factory.mktemp("posterior") / "export"
    recipe = {"nu": None, "ridge": 0.001, "components": 2}
    chosen = {"recipe": recipe, "tried": [{**recipe, "error": 0.5}] * 7, "left_out": 40}
    training = {
        **{"dataset": "machines", "source_tasks": ["a", "b"], "validation_task": None, "target_task": None},
        **{
            "method": "posterior",
            "chosen": chosen,
            "steps": None,
            "seed": 0,
            "software": {"tffs": "0"},
            "figures": None,
        },
    }
    return export_model(model, TINY_NAMES, 4, str(exports), training=training)
