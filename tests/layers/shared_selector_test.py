import numpy as np

from tests.layers import oracles
from tffs.layers import SharedSelector
from tffs.models import concrete_model


def test_log_alpha_is_the_parameter_for_every_task(rng):
    layer = SharedSelector(3, seed=1)
    support = rng.random((4, 2, 5), dtype=np.float32)
    np.testing.assert_array_equal(layer(support), np.tile(layer.logits.numpy(), (4, 1, 1)))
    np.testing.assert_array_equal(layer(support), layer(1 - support))


def test_log_alpha_is_the_product_of_embedding_and_matrix(rng):
    layer = SharedSelector(3, 7, seed=1)
    support = rng.random((1, 2, 5), dtype=np.float32)
    layer.build(support.shape)
    layer.bias.assign(rng.random(5))
    expected = layer.pi.numpy() @ layer.pi_kernel.numpy() + layer.bias.numpy()
    np.testing.assert_allclose(layer(support)[0], expected, rtol=1e-5)


def test_a_direct_selector_without_a_task_code_is_a_concrete_autoencoder(rng):
    model = concrete_model(6, 2, decoder_units=(4,), task_code_dim=0, selector="direct", seed=3)
    model.build()
    episode = {name: rng.random((1, 5, 6), dtype=np.float32) for name in ("support", "query")}
    noise = rng.gumbel(size=(1, 2, 6)).astype(np.float32)
    u = episode["query"][0] @ oracles.concrete(model.selector.logits.numpy()[None], 0.5, noise)[0].T
    hidden = u
    for layer in model.decoder.dense:
        hidden = np.asarray(layer(hidden.astype(np.float32)))
    np.testing.assert_allclose(model(episode, tau=0.5, noise=noise)[0], hidden, rtol=1e-4)
    other = {**episode, "support": 1 - episode["support"]}  # the support has no say
    np.testing.assert_array_equal(model(other, tau=0.5, noise=noise), model(episode, tau=0.5, noise=noise))
    assert len(model.trainable_variables) == 1 + 2 * 2
