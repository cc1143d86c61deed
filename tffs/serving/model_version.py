"""One version of an exported model, wherever it runs: on the disk of this machine or at a server."""

import dataclasses
from collections.abc import Callable, Collection, Mapping

import numpy as np

from tffs.errors import UserError
from tffs.serving import contract
from tffs.serving.description import Description

Arrays = Mapping[str, np.ndarray]

# Of one request: more rows go in several, each within what a server takes.
MOST_ROWS = 4096
MOST_VALUES = 2**19


def rows_at_once(values_a_row: int) -> int:
    """Give how many rows may go in one request, from how many values each has in it or in its answer."""
    return max(1, min(MOST_ROWS, MOST_VALUES // values_a_row))


class AnotherModel(UserError):
    """A version is not the model that it was when it was described."""


def same_version(versions: Collection[int]) -> int:
    """Give the version that made all answers; a server may have changed it in between."""
    if len(set(versions)) > 1:
        raise UserError("The server changed to another version of the model meanwhile: ask again.")
    return next(iter(versions))


def with_text(array: np.ndarray) -> np.ndarray:
    """Give strings, which TensorFlow has as bytes, as str."""
    return array if array.dtype != object else np.char.decode(array.astype(bytes), "utf-8")


@dataclasses.dataclass(frozen=True)
class ModelVersion:
    """One version of a model, for the time of one call.

    Attributes:
        number: what it is called where it runs.
        description: what it says of itself.
        run: gives the outputs of a signature for its inputs, all with the tasks first and strings as str.
    """

    number: int
    description: Description
    run: Callable[[str, Arrays], Arrays]

    def ask(self, signature: str, inputs: Arrays, shapes: Mapping[str, tuple[int, ...]]) -> Arrays:
        """Ask for one task.

        Args:
            signature: its name.
            inputs: of the task.
            shapes: the wanted outputs and their shapes.

        Returns:
            The wanted outputs; the task's error is raised.
        """
        outputs = self.run(signature, {name: np.asarray(values)[None] for name, values in inputs.items()})
        for name, shape in {contract.ERROR: (), **shapes}.items():
            if name not in outputs or outputs[name].shape != (1, *shape):
                raise UserError(
                    f"Version {self.number} of the model answered '{signature}' without '{name}' of shape "
                    f"{[1, *shape]}: it is not what it describes; export it again."
                )
        if sentence := str(outputs[contract.ERROR][0]):
            raise UserError(sentence)
        return {name: outputs[name][0] for name in shapes}
