"""Every layer through the same checks: config, .keras file, half precision, a training step."""

import keras
import numpy as np
import pytest

from tffs.layers import (
    ConcreteSelect,
    DeepSets,
    FixedFeatures,
    Scaling,
    SharedSelector,
    TaskDecoder,
    TaskSelector,
)

TASKS, ROWS, SUPPORT, FEATURES, K = 3, 5, 2, 7, 4


def inputs_of(layer):
    rng = np.random.default_rng(1)
    query = rng.random((TASKS, ROWS, FEATURES), dtype=np.float32)
    support = rng.random((TASKS, SUPPORT, FEATURES), dtype=np.float32)
    if isinstance(layer, ConcreteSelect):
        return (query, rng.normal(size=(TASKS, K, FEATURES)).astype(np.float32)), {"tau": 0.7}
    if isinstance(layer, TaskDecoder):
        return (rng.random((TASKS, ROWS, K), dtype=np.float32), support), {}
    return (support,), {}


LAYERS = [
    (lambda **kw: ConcreteSelect(**kw), (TASKS, ROWS, K)),
    (lambda **kw: Scaling(impute=True, **kw), (TASKS, SUPPORT, FEATURES)),
    (lambda **kw: FixedFeatures((5, 0, 2, 5), **kw), (TASKS, K)),
    (lambda **kw: DeepSets(6, seed=1, **kw), (TASKS, 6)),
    (lambda **kw: DeepSets(6, 2, activation="tanh", seed=1, **kw), (TASKS, 2)),
    (lambda **kw: TaskSelector(K, 9, 6, 0.1, "he_normal", 1, "unique", **kw), (TASKS, K, FEATURES)),
    (lambda **kw: SharedSelector(K, seed=1, **kw), (TASKS, K, FEATURES)),
    (lambda **kw: SharedSelector(K, 9, 0.1, "he_normal", seed=1, **kw), (TASKS, K, FEATURES)),
    (lambda **kw: TaskDecoder(FEATURES, (5, 3), 2, 6, "tanh", seed=1, **kw), (TASKS, ROWS, FEATURES)),
    (lambda **kw: TaskDecoder(FEATURES, (5, 3), 0, 6, "tanh", seed=1, **kw), (TASKS, ROWS, FEATURES)),
]


@pytest.mark.parametrize(("make", "shape"), LAYERS)
def test_layer_gives_its_shape_and_survives_config_and_file(make, shape, tmp_path):
    layer = make()
    arguments, options = inputs_of(layer)
    expected = np.asarray(layer(*arguments, **options))
    assert expected.shape == shape

    twin = layer.__class__.from_config(layer.get_config())
    assert twin.get_config() == layer.get_config()
    np.testing.assert_array_equal(twin(*arguments, **options), expected)

    tensors = [keras.Input(array.shape[1:]) for array in arguments]
    model = keras.Model(tensors, layer(*tensors, **options))
    model.save(tmp_path / "layer.keras")
    loaded = keras.saving.load_model(tmp_path / "layer.keras")
    np.testing.assert_array_equal(loaded([np.asarray(a) for a in arguments]), expected)


@pytest.mark.parametrize(("make", "shape"), LAYERS)
def test_layer_runs_in_half_precision(make, shape):
    layer = make(dtype="mixed_bfloat16")
    arguments, options = inputs_of(layer)
    output = layer(*arguments, **options)
    assert output.shape == shape
    assert output.dtype == ("int32" if isinstance(layer, FixedFeatures) else "bfloat16")
    exact = make()(*arguments, **options)
    np.testing.assert_allclose(np.asarray(output, np.float32), exact, atol=0.05)


@pytest.mark.parametrize(("make", "shape"), LAYERS[3:])  # the first three have nothing to learn
def test_layer_learns(make, shape):
    layer = make()
    arguments, options = inputs_of(layer)
    tensors = [keras.Input(array.shape[1:]) for array in arguments]
    model = keras.Model(tensors, layer(*tensors, **options))
    model.compile("sgd", "mse")
    target = np.full(shape, 0.3, np.float32)
    before = model.evaluate(list(arguments), target, verbose=0)
    model.fit(list(arguments), target, epochs=20, verbose=0)
    assert model.evaluate(list(arguments), target, verbose=0) < before


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DeepSets(0), "embedding_units=0"),
        (lambda: DeepSets(4, -1), "output_units=-1"),
        (lambda: TaskSelector(0), "num_selected=0"),
        (lambda: TaskSelector(3, selector_dim=2.5), "selector_dim=2.5"),
        (lambda: TaskSelector(3, pi_stddev=0.0), "pi_stddev=0.0"),
        (lambda: DeepSets(4, seed=-1), "seed=-1"),
        (lambda: DeepSets(4, activation="rely"), "rely"),
        (lambda: DeepSets(4, kernel_initializer="glorot"), "glorot"),
        (lambda: TaskSelector(3, pi_stddev="0.1"), "pi_stddev='0.1'"),
        (lambda: TaskSelector(3, embedding_units=0), "embedding_units=0"),
        (lambda: TaskSelector(3, seed=1.5), "seed=1.5"),
        (lambda: TaskSelector(3, selection="uniqe"), "one of argmax, unique. Received: selection='uniqe'"),
        (lambda: TaskSelector(3, kernel_initializer="glorot"), "glorot"),
        (lambda: SharedSelector(0), "num_selected=0"),
        (lambda: SharedSelector(3, selector_dim=-2), "selector_dim=-2"),
        (lambda: SharedSelector(3, pi_stddev=-1), "pi_stddev=-1"),
        (lambda: SharedSelector(3, pi_stddev=float("inf")), "pi_stddev=inf"),
        (lambda: SharedSelector(3, selection="uniqe"), "selection='uniqe'"),
        (lambda: SharedSelector(3, seed="1"), "seed='1'"),
        (lambda: FixedFeatures(()), r"features=\(\)"),
        (lambda: FixedFeatures((1, -1)), r"features=\(1, -1\)"),
        (lambda: FixedFeatures((1.5,)), r"features=\(1.5,\)"),
        (lambda: FixedFeatures(3), "features=3"),
        (lambda: Scaling(impute="no"), "impute='no'"),
        (lambda: TaskDecoder(0), "num_features=0"),
        (lambda: TaskDecoder(5, 32), "hidden_units=32"),
        (lambda: TaskDecoder(5, (32, 0)), r"hidden_units=\(32, 0\)"),
        (lambda: TaskDecoder(5, task_code_dim=False), "task_code_dim=False"),
        (lambda: TaskDecoder(5, task_code_dim=-1), "task_code_dim=-1"),
        (lambda: TaskDecoder(5, embedding_units=0), "embedding_units=0"),
        (lambda: TaskDecoder(5, task_code_dim=0, embedding_units=0), "embedding_units=0"),
        (lambda: TaskDecoder(5, output_activation="sigmoidal"), "sigmoidal"),
        (lambda: TaskDecoder(5, seed=-3), "seed=-3"),
        (lambda: TaskDecoder(5, task_code_dim=True), "task_code_dim=True"),
    ],
)
def test_constructor_says_what_it_received(make, message):
    with pytest.raises(ValueError, match=message):
        make()
