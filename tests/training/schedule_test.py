import numpy as np
import tensorflow as tf

from tffs.training.schedule import temperature


def test_temperature_falls_geometrically_from_first_to_final():
    steps = np.array([0, 1, 250, 500, 1000])
    taus = [float(temperature(tf.constant(step, tf.int64), 1000, 10.0, 0.01)) for step in steps]
    np.testing.assert_allclose(taus, 10.0 * (0.01 / 10.0) ** (steps / 1000), rtol=1e-5)
    assert taus[0] == 10.0
    np.testing.assert_allclose(taus[-1], 0.01, rtol=1e-5)


def test_equal_temperatures_stay():
    assert float(temperature(7, 10, 1.0, 1.0)) == 1.0
