"""One version of a model in memory, loaded as TF Serving loads it: a graph, a session, its signatures."""

import gc
import os
from collections.abc import Callable, Mapping

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import config_pb2
from tensorflow_serving.apis import prediction_log_pb2

from tffs.serving.contract import DEFAULT_SIGNATURE, SELECT_EXAMPLES, WARMUP
from tffs.serving.server.freed_memory import give_back
from tffs.serving.server.older_examples import parses_by_itself, without_unreadable
from tffs.serving.server.signature import Signature
from tffs.serving.server.tensor_protos import array_of

WARMUP_RECORDS = 1000  # as many as TF Serving takes


class LoadedVersion:
    """A SavedModel that answers.

    Loading raises whatever TensorFlow raises on a damaged folder.

    Args:
        path: the version folder.
        number: its version.

    Attributes:
        number: its version.
        path: the version folder.
        definitions: the SignatureDefs as the model has them.
        signatures: those that can be asked.
        in_use: requests that hold this version; it is not closed before there are none.
    """

    def __init__(self, path: str, number: int) -> None:
        self.number = number
        self.path = path
        self.in_use = 0
        # One thread is fastest for models of this size, and the lane runs one batch at a time.
        threads = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
        graph = tf.Graph()
        self._session = tf.compat.v1.Session(graph=graph, config=threads)
        try:
            with graph.as_default():
                meta = tf.compat.v1.saved_model.loader.load(self._session, [tf.saved_model.SERVING], path)
            self._guarded = {SELECT_EXAMPLES} if parses_by_itself(meta.graph_def) else set()
            self.definitions = dict(meta.signature_def)
            self.signatures: Mapping[str, Signature] = {
                name: Signature.from_definition(name, definition)
                for name, definition in self.definitions.items()
                if definition.inputs  # the initializer's has none
            }
            if DEFAULT_SIGNATURE not in self.signatures:
                raise ValueError(f"it has no signature '{DEFAULT_SIGNATURE}'")
            self._calls: dict[str, Callable[..., list[np.ndarray]]] = {
                name: self._callable(signature) for name, signature in self.signatures.items()
            }
            self._warm_up()
        except BaseException:
            self._session.close()
            raise

    def run(self, signature: Signature, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute the outputs of a signature, for inputs that fit it."""
        if signature.name in self._guarded:
            inputs = without_unreadable(inputs)
        values = self._calls[signature.name](*(inputs[name] for name in signature.inputs))
        return dict(zip(signature.outputs, values, strict=True))

    def close(self) -> None:
        """Give the memory back."""
        self._calls = {}
        self._session.close()
        del self._session
        gc.collect()  # a graph is full of cycles
        give_back()

    def _callable(self, signature: Signature) -> Callable[..., list[np.ndarray]]:
        """Prepare the run of a signature once.

        The session's public `make_callable` goes through `run` for more than one output, which takes as long
        again as the model itself.
        """
        options = config_pb2.CallableOptions(
            feed=[spec.tensor for spec in signature.inputs.values()], fetch=signature.outputs.values()
        )
        return self._session._make_callable_from_options(options)

    def _warm_up(self) -> None:
        """Replay the requests that the model brings along, so that no client waits for first-run work."""
        path = os.path.join(self.path, WARMUP)
        if not os.path.exists(path):
            return
        for record in tf.data.TFRecordDataset(path).take(WARMUP_RECORDS).as_numpy_iterator():
            request = prediction_log_pb2.PredictionLog.FromString(record).predict_log.request
            signature = self.signatures[request.model_spec.signature_name or DEFAULT_SIGNATURE]
            inputs = {
                name: array_of(request.inputs[name], spec, most_rows=2**31)
                for name, spec in signature.inputs.items()
            }
            self.run(signature, inputs)
