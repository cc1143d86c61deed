"""tf.Examples for exports of 0.9.0 and older, whose graphs parse them with an op that can end the process."""

from collections.abc import Mapping

import numpy as np
import tensorflow as tf
from google.protobuf.message import DecodeError
from tensorflow.core.framework import graph_pb2

_PARSERS = {"ParseExample", "ParseExampleV2", "ParseSingleExample"}


def parses_by_itself(graph: graph_pb2.GraphDef) -> bool:
    """Tell whether a graph has TensorFlow's parser: see `example_parsing`."""
    functions = (function.node_def for function in graph.library.function)
    return any(node.op in _PARSERS for nodes in (graph.node, *functions) for node in nodes)


def without_unreadable(inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Replace bytes that are no Example by an empty Example, which is answered with the same error."""
    return {
        name: np.array([one if _is_example(one) else b"" for one in values], object)
        for name, values in inputs.items()
    }


def _is_example(written: bytes) -> bool:
    try:
        tf.train.Example.FromString(written)
    except DecodeError:
        return False
    return True
