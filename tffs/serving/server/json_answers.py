"""The outputs of a predict request to JSON, by TF Serving's rules."""

import base64
import json
from typing import Any

import numpy as np

from tffs.serving.server.batching import Outputs

SHORT_DIGITS, FULL_DIGITS = 6, 9  # of a float32: those that TF Serving writes if they are enough, and all
EXACT_POWERS = 22  # powers of ten up to here are exact in double precision


def predictions_json(outputs: Outputs, row_format: bool) -> bytes:
    """Write the answer to `instances` (row format) or to `inputs`; a single output comes without its name."""
    columns = {name: _values(name, array) for name, array in outputs.items()}
    answer: Any
    if len(columns) == 1:
        (answer,) = columns.values()
    elif row_format:
        answer = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    else:
        answer = columns
    return json.dumps({"predictions" if row_format else "outputs": answer}, indent=None).encode()


def _values(name: str, array: np.ndarray) -> Any:
    if array.dtype == object:
        as_bytes = name.endswith("_bytes")  # TF Serving's mark for strings that are no text
        texts = [_base64(item) if as_bytes else item.decode(errors="replace") for item in array.flat]
        return np.array(texts, object).reshape(array.shape).tolist()
    if array.dtype == np.float32:
        return short_decimals(array).tolist()
    return array.tolist()


def short_decimals(array: np.ndarray) -> np.ndarray:
    """Give doubles that print in few digits and are the same float32: 0.2 and not 0.20000000298023224."""
    with np.errstate(all="ignore"):  # zeros, NaN and infinity stay as they are
        exact = array.astype(np.float64)
        exponents = np.floor(np.log10(np.abs(exact)))
        result = exact
        for digits in (FULL_DIGITS, SHORT_DIGITS):
            places = digits - 1 - exponents
            scale = 10.0 ** np.abs(places)
            up = np.round(exact * scale) / scale
            down = np.round(exact / scale) * scale
            rounded = np.where(places >= 0, up, down)
            same = (rounded.astype(np.float32) == array) & (np.abs(places) <= EXACT_POWERS)
            result = np.where(same, rounded, result)
    return result


def _base64(item: bytes) -> dict[str, str]:
    return {"b64": base64.b64encode(item).decode()}
