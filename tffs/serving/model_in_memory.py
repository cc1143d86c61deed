"""Ask a model that was just fitted or loaded, without a SavedModel in between."""

import functools
import os
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tffs.models import RawUnitsSelector
from tffs.serving.description import Description
from tffs.serving.front_door import FrontDoor, Result
from tffs.serving.model_version import Arrays, ModelVersion, with_text
from tffs.serving.restored_model import restored_model
from tffs.serving.signatures import Signature, Signatures
from tffs.startup import quiet_tracing

FEW_FEATURES = 64  # whose graphs are unrolled: they take seconds to trace
WORTH_TRACING = 16  # questions to a signature of few features; tracing takes longer than it saves before


class ModelInMemory(FrontDoor):
    """A Keras model, asked by the signatures that its export would have; it may be shared by threads.

    Args:
        model: in raw units.
        description: what it says of itself.
        note: see `FrontDoor`.

    Attributes:
        model: in raw units.
        description: what it says of itself.
    """

    def __init__(
        self, model: RawUnitsSelector, description: Description, note: Callable[[str], None] | None = None
    ) -> None:
        super().__init__(note)
        self.model = model
        self.description = description
        self._worth_tracing = WORTH_TRACING if description.num_features <= FEW_FEATURES else 1
        self._asked: Counter[str] = Counter()
        self._compiled: dict[str, Callable[..., Any]] = {}
        self._lock = threading.Lock()

    def _answer(self, question: Callable[[ModelVersion], Result]) -> Result:
        return question(ModelVersion(self.description.version, self.description, self._run))

    def close(self) -> None:
        """Close nothing: the model is in memory and goes with this object."""

    @functools.cached_property
    def _signatures(self) -> dict[str, Signature]:
        """What it is asked, by name; a fit that nobody asks goes without."""
        return {one.name: one for one in Signatures(self.model, self.description).all()}

    def _run(self, signature: str, inputs: Arrays) -> Arrays:
        with self._lock:  # two threads would trace it twice
            one = self._signatures[signature]
            self._asked[signature] += 1
            if self._asked[signature] == self._worth_tracing:
                self._compiled[signature] = tf.function(one.answer, input_signature=one.inputs, autograph=False)
            answer = self._compiled.get(signature, one.answer)
        with quiet_tracing():
            outputs = answer(*(tf.constant(inputs[spec.name], spec.dtype) for spec in one.inputs))
        return {name: with_text(tensor.numpy()) for name, tensor in outputs.items()}

    def __reduce__(self) -> Any:
        """Give what another process needs: the model as its file, and its description."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.keras")
            self.model.save(path)
            with open(path, "rb") as file:
                return restored_model, (file.read(), self.description.to_json())
