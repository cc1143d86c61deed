"""The same training on a GPU, where there is one."""

import pytest
import tensorflow as tf

from tests.training import parts

GPUS = tf.config.list_physical_devices("GPU")


@pytest.mark.skipif(not GPUS, reason="no GPU on this machine")
@pytest.mark.parametrize("jit", ["on", "off"])
def test_training_runs_on_the_gpu_without_a_flag(jit, tmp_path):
    trainer, model = parts.make_trainer(tmp_path, jit=jit)
    summary = trainer.fit()
    assert "GPU" in model.trainable_variables[0].value.device
    assert summary.validation_loss > 0
