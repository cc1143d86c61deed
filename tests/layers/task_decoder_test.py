import numpy as np

from tests.layers import oracles
from tffs.layers import TaskDecoder


def test_equation_4_number_by_number(rng):
    selected = rng.random((2, 5, 3), dtype=np.float32)
    support = rng.random((2, 4, 7), dtype=np.float32)
    layer = TaskDecoder(7, (6, 5), task_code_dim=2, embedding_units=8, seed=1)
    layer.build(selected.shape, support.shape)
    for dense in (*layer.dense, layer.task_code.embedding, layer.task_code.transform):
        dense.bias.assign(rng.normal(size=dense.units))
    code = layer.task_code
    expected = [
        oracles.decode(
            selected[task],
            support[task],
            code.embedding.kernel.numpy(),
            code.embedding.bias.numpy(),
            code.transform.kernel.numpy(),
            code.transform.bias.numpy(),
            [(dense.kernel.numpy(), dense.bias.numpy()) for dense in layer.dense],
        )
        for task in range(2)
    ]
    np.testing.assert_allclose(layer(selected, support), expected, rtol=1e-4)


def test_paper_sizes_are_the_defaults():
    layer = TaskDecoder(256)
    assert (layer.hidden_units, layer.task_code_dim, layer.embedding_units) == ((32, 32), 1, 64)


def test_reconstruction_depends_on_the_task(rng):
    selected = rng.random((1, 5, 3), dtype=np.float32)
    layer = TaskDecoder(7, seed=1)
    one = layer(selected, rng.random((1, 4, 7), dtype=np.float32))
    other = layer(selected, 5.0 + rng.random((1, 4, 7), dtype=np.float32))
    assert np.abs(np.asarray(one) - np.asarray(other)).max() > 1e-3
