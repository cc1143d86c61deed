import numpy as np

from tffs.data.memory import shareable, shared_tensor


def test_a_shareable_array_is_not_copied():
    array = shareable((100, 3))
    array[:] = 1.0
    tensor = shared_tensor(array)
    array[7, 2] = 5.0
    assert tensor[7, 2] == 5.0
    np.testing.assert_array_equal(shared_tensor(array[:50]), array[:50])


def test_any_other_array_is_copied(rng):
    array = rng.random((10, 4), dtype=np.float32)[:, 1:3]
    tensor = shared_tensor(array)
    np.testing.assert_array_equal(tensor, array)
    assert shared_tensor(np.zeros((0, 3), np.float32)).shape == (0, 3)
