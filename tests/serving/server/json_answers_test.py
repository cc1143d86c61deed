import json

import numpy as np

from tffs.serving.server.json_answers import predictions_json, short_decimals


def test_numbers_are_written_in_few_digits():
    values = np.array([0.2, 1.0, 100.25, 1e-7, 3e20, 1 / 3, -12345.678, 0.0], np.float32)
    written = [repr(number) for number in short_decimals(values).tolist()]
    assert written == ["0.2", "1.0", "100.25", "1e-07", "3e+20", "0.333333343", "-12345.6777", "0.0"]


def test_numbers_that_are_written_are_the_same_float32(rng):
    bits = rng.integers(0, 2**32, 20_000, dtype=np.uint32).view(np.float32)
    values = np.concatenate([bits, rng.normal(size=20_000).astype(np.float32)])
    read = np.array(json.loads(json.dumps(short_decimals(values).tolist())), np.float64).astype(np.float32)
    np.testing.assert_array_equal(read, values)


def test_bytes_are_written_in_base64_where_the_name_says_so():
    outputs = {"image_bytes": np.array([b"\xff\x00"], object), "names": np.array(["größe".encode()], object)}
    assert json.loads(predictions_json(outputs, row_format=True)) == {
        "predictions": [{"image_bytes": {"b64": "/wA="}, "names": "größe"}]
    }
    assert json.loads(predictions_json({"x": np.array([np.nan, -np.inf], np.float32)}, row_format=False)) == {
        "outputs": [NanLike(), -np.inf]
    }


class NanLike:
    """Equals NaN only."""

    def __eq__(self, other):
        return isinstance(other, float) and np.isnan(other)

    __hash__ = None
