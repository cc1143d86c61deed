"""Two small models as version folders, which tests and the fuzzer ask."""

from tests.serving.posterior import posterior_model
from tffs.models import concrete_model
from tffs.serving.export import export_model

TINY_NAMES = ("Jitter(%)", "PPE", "a b", "größe", "x,y", "r0c0")


def export_tiny(exports):
    """Export a network (M = 6, K = 3, N_S = 2); gives the version's folder."""
    model = concrete_model(6, 3, selector_dim=5, embedding_units=4, decoder_units=(3,), seed=7)
    model.build()
    return export_model(model, TINY_NAMES, 2, str(exports))


def export_posterior(exports):
    """Export a posterior (M = 6, K = 3, N_S = 4); gives the version's folder."""
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
    return export_model(posterior_model(novelty=True), TINY_NAMES, 4, str(exports), training=training)
