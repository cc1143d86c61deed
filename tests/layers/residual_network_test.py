import keras
import numpy as np
import pytest

from tffs.layers import ResidualNetwork
from tffs.layers.residual_network import FARTHEST

FEATURES, UNITS = 4, (5, 3)


def network(dropout=0.2):
    layer = ResidualNetwork(FEATURES, UNITS, dropout, seed=1)
    layer.build()
    layer.learn([0.1, 0.2, 0.3, 0.4], [1.0, 2.0, 0.5, 0.0])
    rng = np.random.default_rng(0)
    layer.last.kernel.assign(rng.normal(size=(UNITS[-1], FEATURES)))
    layer.last.bias.assign(rng.normal(size=FEATURES))
    return layer


def inputs():
    rng = np.random.default_rng(1)
    inferred = rng.normal(size=(2, 3, FEATURES)).astype(np.float32)
    inferred[0, 0, 0] = 1e6  # farther away than anything that was learned from
    mean = rng.normal(size=(2, FEATURES)).astype(np.float32)
    measured = np.array([[[True, False, False, False]], [[False, False, True, False]]])
    return inferred, mean, measured


def oracle(layer, inferred, mean, measured, kept=None):
    scale = np.asarray(layer.scale)
    unit = np.where(scale > 0, scale, 1.0)
    here = np.broadcast_to(measured, inferred.shape)
    away = np.broadcast_to((mean[:, None] - np.asarray(layer.source_mean)) / unit, inferred.shape)
    hidden = np.concatenate([(inferred - mean[:, None]) / unit, here, away], axis=-1)
    hidden = hidden.clip(-FARTHEST, FARTHEST)
    start = 0
    for dense in layer.hidden:
        hidden = np.maximum(hidden @ np.asarray(dense.kernel) + np.asarray(dense.bias), 0.0)
        if kept is not None:
            hidden = hidden * kept[..., start : start + dense.units] / (1.0 - layer.dropout)
        start += dense.units
    added = scale * (hidden @ np.asarray(layer.last.kernel) + np.asarray(layer.last.bias))
    return np.where(here, 0.0, added)


def test_it_adds_what_the_formula_says():
    layer = network()
    np.testing.assert_allclose(layer(*inputs()), oracle(layer, *inputs()), rtol=1e-5, atol=1e-6)


def test_dropout_leaves_out_the_units_it_is_told():
    layer = network()
    kept = np.random.default_rng(2).random((2, 3, sum(UNITS))) >= 0.5
    np.testing.assert_allclose(layer(*inputs(), kept), oracle(layer, *inputs(), kept), rtol=1e-5, atol=1e-6)


def test_measured_and_constant_features_are_left_as_they_are():
    added = np.asarray(network()(*inputs()))
    assert (added[0, :, 0] == 0).all()
    assert (added[1, :, 2] == 0).all()
    assert (added[..., 3] == 0).all()
    assert (added[0, :, 1] != 0).all()


def test_it_starts_from_the_closed_form():
    layer = ResidualNetwork(FEATURES, UNITS, seed=1)
    layer.build()
    assert (np.asarray(layer(*inputs())) == 0).all()


def test_it_survives_config_and_file(tmp_path):
    layer = network()
    twin = ResidualNetwork.from_config(layer.get_config())
    assert twin.get_config() == layer.get_config()
    tensors = [
        keras.Input((None, FEATURES)),
        keras.Input((FEATURES,)),
        keras.Input((1, FEATURES), dtype="bool"),
    ]
    keras.Model(tensors, layer(*tensors)).save(tmp_path / "layer.keras")
    loaded = keras.saving.load_model(tmp_path / "layer.keras")
    np.testing.assert_array_equal(loaded(list(inputs())), layer(*inputs()))


@pytest.mark.parametrize("arguments", [(0,), (3, (0,)), (3, (4,), 1.0), (3, (4,), -0.1)])
def test_it_refuses_what_makes_no_network(arguments):
    with pytest.raises(ValueError, match="Received"):
        ResidualNetwork(*arguments)
