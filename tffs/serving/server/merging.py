"""Which requests can be computed together, and their inputs put behind each other.

Requests of one signature differ in how many support rows they bring. Where an input says how many of these
count, what follows has no influence, so shorter ones are padded to the longest: clients that know 1, 3 and 4
rows of their tasks do not wait for each other.
"""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from tffs.serving.contract import SUPPORT, SUPPORT_SIZE

FEW_ROWS = 16  # requests of so many support rows or fewer are merged; of more, those within a power of two

Inputs = Mapping[str, np.ndarray]


def merging_key(inputs: Inputs) -> Hashable:
    """Give what requests to one signature have in common that can be merged."""
    shapes = {name: array.shape[1:] for name, array in inputs.items()}
    if SUPPORT_SIZE in inputs and SUPPORT in inputs:
        rows, *rest = shapes[SUPPORT]
        # A size that is wrong must stay so: padding could make a size of 5 right for 3 rows.
        if (inputs[SUPPORT_SIZE] <= rows).all():
            most = max(FEW_ROWS, 1 << max(rows - 1, 0).bit_length())
            shapes[SUPPORT] = ("at most", most, *rest)
    return tuple(sorted(shapes.items()))


def merged(requests: Sequence[Inputs]) -> dict[str, np.ndarray]:
    """Put the inputs of requests of the same key behind each other."""
    return {name: _together([request[name] for request in requests], name) for name in requests[0]}


def _together(arrays: Sequence[np.ndarray], name: str) -> np.ndarray:
    if name == SUPPORT and len({array.shape[1] for array in arrays}) > 1:
        longest = max(array.shape[1] for array in arrays)
        arrays = [
            np.pad(array, [(0, 0), (0, longest - array.shape[1])] + [(0, 0)] * (array.ndim - 2))
            for array in arrays
        ]
    return np.concatenate(arrays)
