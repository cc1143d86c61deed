"""The answer that a model itself gives to the inputs of a request, read in a way of our own."""

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from tffs.serving.server.loaded_version import LoadedVersion
from tffs.serving.server.signature import Signature, TensorSpec


def inputs_of_document(document: Mapping[str, Any], signature: Signature) -> dict[str, np.ndarray]:
    """Read the inputs of a REST request that was answered."""
    names = signature.inputs.keys()
    if "inputs" in document:
        values = document["inputs"]
        named = values if isinstance(values, dict) and "b64" not in values else dict.fromkeys(names, values)
    else:
        rows = document["instances"]
        named = {
            name: [row[name] if isinstance(row, dict) and name in row else row for row in rows]
            for name in names
        }
    return {name: _array(named[name], spec) for name, spec in signature.inputs.items()}


def answer_of_document(answer: Mapping[str, Any], signature: Signature) -> Mapping[str, Any]:
    """Read the outputs of a REST answer by their names."""
    (came,) = answer.values()
    if len(signature.outputs) == 1:
        return dict.fromkeys(signature.outputs, came)
    return {key: [row[key] for row in came] for key in came[0]} if "predictions" in answer else came


def check_answer(
    version: LoadedVersion, signature: Signature, inputs: Mapping[str, np.ndarray], came: Mapping[str, Any]
) -> None:
    """Raise AssertionError unless an answer is the model's own."""
    expected = version.run(signature, inputs)
    assert came.keys() == expected.keys(), (came.keys(), expected.keys())
    for name, array in expected.items():
        got = np.array(came[name])
        assert got.shape == array.shape, (name, got.shape, array.shape)
        if array.dtype == np.float32:
            np.testing.assert_allclose(got.astype(np.float32), array, rtol=1e-4, atol=1e-6)
        elif array.dtype == object:
            texts = [item if isinstance(item, bytes) else item.encode() for item in got.ravel().tolist()]
            assert texts == array.ravel().tolist(), (name, texts)
        else:
            np.testing.assert_array_equal(got, array)
    assert not any(expected.get("error", ())), expected["error"]


def _array(values: Any, spec: TensorSpec) -> np.ndarray:
    if spec.dtype == tf.string:
        return np.array(
            [item.encode() if isinstance(item, str) else base64.b64decode(item["b64"]) for item in values],
            object,
        )
    array = np.array(values, spec.dtype.as_numpy_dtype)
    if array.ndim < len(spec.shape) and not array.size and spec.shape[-1] is not None:
        return array.reshape(len(array), 0, spec.shape[-1])  # no row says how many columns there are
    return array
