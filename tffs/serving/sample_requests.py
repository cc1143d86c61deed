"""Requests that a model of this kind gets: they warm a server up, and one of them is the golden request.

Their rows are drawn from the ranges of the source tasks: an export is copied to many places, and no patient's
or customer's row travels with it.
"""

import json
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow_serving.apis import predict_pb2, prediction_log_pb2

from tffs.serving import contract
from tffs.serving.description import Description
from tffs.serving.signatures import Signature

BATCHES = (1, 8, 64)
VALUE_ROWS = 4
MOST_COVARIANCES = 2**24  # entries of the tasks' covariances in one request of a model that has these

Inputs = dict[str, np.ndarray]


def sample_requests(signatures: Sequence[Signature], description: Description) -> list[tuple[str, Inputs]]:
    """Make requests for every signature, one task and several at once.

    Returns:
        Names of signatures, and the inputs by name.
    """
    requests: list[tuple[str, Inputs]] = []
    for tasks in BATCHES:
        if description.ranks and tasks * description.num_features**2 > MOST_COVARIANCES and tasks > 1:
            break
        samples = _samples(description, tasks)
        for signature in signatures:
            inputs = {
                spec.name: _fitting(samples[spec.name], spec) if spec.name in samples else _zeros(spec, tasks)
                for spec in signature.inputs
            }
            requests.append((signature.name, inputs))
    return requests


def write_warmup(path: str, requests: list[tuple[str, Inputs]]) -> None:
    """Write requests as TF Serving replays them when it loads a model."""
    with tf.io.TFRecordWriter(path) as writer:
        for signature, inputs in requests:
            request = predict_pb2.PredictRequest()
            request.model_spec.name = contract.MODEL_NAME
            request.model_spec.signature_name = signature
            for name, array in inputs.items():
                request.inputs[name].CopyFrom(tf.make_tensor_proto(array))
            log = prediction_log_pb2.PredictionLog(predict_log=prediction_log_pb2.PredictLog(request=request))
            writer.write(log.SerializeToString())


def write_golden(path: str, requests: list[tuple[str, Inputs]], ask: Callable[..., dict[str, Any]]) -> None:
    """Write the first request, and what the model answers, as the bodies of a REST call.

    Args:
        path: the version folder.
        requests: what `sample_requests` gave.
        ask: the signature of the first request, called with its inputs in their order.
    """
    signature, inputs = requests[0]
    outputs = {name: np.asarray(tensor) for name, tensor in ask(*inputs.values()).items()}
    tasks = len(next(iter(inputs.values())))
    bodies = {
        contract.GOLDEN_REQUEST: {
            "signature_name": signature,
            "instances": [
                {name: array[task].tolist() for name, array in inputs.items()} for task in range(tasks)
            ],
        },
        contract.GOLDEN_RESPONSE: {
            "predictions": [
                {name: _plain(array.tolist()[task]) for name, array in outputs.items()} for task in range(tasks)
            ],
        },
    }
    for name, body in bodies.items():
        with open(os.path.join(path, name), "w", encoding="utf-8") as file:
            json.dump(body, file, ensure_ascii=False)
            file.write("\n")


def _samples(description: Description, tasks: int) -> Inputs:
    """Make inputs that must be of a kind, by their names; zeros do for all others."""
    support = _rows(description, tasks)
    return {
        "support": support,
        "support_size": np.full(tasks, description.support_size, np.int32),
        "examples": np.array([_example(task) for task in support.reshape(tasks, -1)], object),
        "values": np.resize(support, (tasks, VALUE_ROWS, description.num_selected)),
        "budget": np.full(tasks, -1.0, np.float32),
    }


def _fitting(sample: np.ndarray, spec: tf.TensorSpec) -> np.ndarray:
    """Give a sample with the columns of an input; those that it lacks were not measured."""
    if spec.name != "values":
        return sample
    lacking = spec.shape[-1] - sample.shape[-1]
    return np.pad(sample, ((0, 0), (0, 0), (0, lacking)), constant_values=np.nan)


def _zeros(spec: tf.TensorSpec, tasks: int) -> np.ndarray:
    sizes = [VALUE_ROWS if size is None else size for size in spec.shape[1:]]
    return np.zeros([tasks, *sizes], spec.dtype.as_numpy_dtype)


def _rows(description: Description, tasks: int) -> np.ndarray:
    """Draw support rows between the least and the greatest values of the source tasks."""
    shape = (tasks, description.support_size, description.num_features)
    low = 0.0 if description.source_low is None else np.asarray(description.source_low)
    high = 1.0 if description.source_high is None else np.asarray(description.source_high)
    return (low + (high - low) * np.random.default_rng(0).random(shape)).astype(np.float32)


def _example(values: np.ndarray) -> bytes:
    feature = tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Example(features=tf.train.Features(feature={"support": feature})).SerializeToString()


def _plain(value: Any) -> Any:
    """Give bytes as text, inside lists too."""
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    return value.decode() if isinstance(value, bytes) else value
