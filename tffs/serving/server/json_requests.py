"""The JSON body of a predict request to arrays, by TF Serving's rules."""

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tffs.serving import contract
from tffs.serving.server.limits import Limits
from tffs.serving.server.refusal import Refusal, invalid, shown
from tffs.serving.server.signature import Signature, TensorSpec

EXACT_INTEGER = 2**24 - 1  # the largest that TF Serving takes for a float, beyond which digits are lost
FLOAT_MAX = float(np.finfo(np.float32).max)


def parse_body(body: bytes, limits: Limits) -> dict[str, Any]:
    """Parse the body, which must be one JSON object without a key given twice.

    The parser lets no other thread run, and makes an object of every two bytes if they are chosen to that
    end: what would take it long is refused by counting bytes.
    """
    if body.count(b",") > limits.rest_values:
        raise invalid(f"The body holds more than {limits.rest_values} values: send several requests.")
    if body.count(b"[") + body.count(b"{") > limits.rest_lists:
        raise invalid(f"The body holds more than {limits.rest_lists} lists and objects: send several requests.")
    try:
        document = json.loads(body, object_pairs_hook=_object)
    except RecursionError:
        raise invalid("JSON Parse error: the body is nested too deeply.") from None
    except UnicodeDecodeError:
        raise invalid("JSON Parse error: the body is not UTF-8.") from None
    except json.JSONDecodeError as error:
        raise invalid(f"JSON Parse error: {error.msg} at offset: {error.pos}") from None
    except ValueError:  # an integer of thousands of digits
        raise invalid("JSON Parse error: the body holds a number that is too long.") from None
    if not isinstance(document, dict):
        raise invalid('JSON Value is not object: send {"instances": [...]} or {"inputs": ...}.')
    if not isinstance(document.get("signature_name", ""), str):
        raise invalid("'signature_name' key must be a string value.")
    if "instances" in document and "inputs" in document:
        raise invalid("Not formatted correctly expecting only one of 'inputs' or 'instances' keys to exist")
    if "instances" not in document and "inputs" not in document:
        raise invalid("Missing 'inputs' or 'instances' key")
    return document


def read_inputs(document: Mapping[str, Any], signature: Signature, most_rows: int) -> dict[str, np.ndarray]:
    """Read a request's inputs.

    Args:
        document: what `parse_body` gave.
        signature: the one it asks for.
        most_rows: see `Limits.request_rows`.

    Returns:
        An array for each input; each fits the signature.
    """
    row_format = "instances" in document
    values = _columns(document["instances"], signature) if row_format else _named(document["inputs"], signature)
    arrays = {}
    for name, spec in signature.inputs.items():
        arrays[name] = _array(values[name], spec)
        spec.check_shape(arrays[name].shape, most_rows)
    return arrays


def _columns(instances: Any, signature: Signature) -> Mapping[str, Any]:
    """Turn a list of instances into a list of values for each input."""
    if not isinstance(instances, list):
        raise invalid("Expecting 'instances' to be an list/array")
    if not instances:
        raise invalid("No values in 'instances' array: send at least one task.")
    names = signature.inputs.keys()
    if not _is_object(instances[0]):
        if len(names) > 1:
            raise invalid(
                "instances is a plain list, but expecting list of objects as multiple input tensors required: "
                + ",".join(sorted(names))
            )
        if any(_is_object(instance) for instance in instances):
            raise invalid("Expecting value/list but got object in 'instances' list")
        return dict.fromkeys(names, instances)
    for number, instance in enumerate(instances):
        if not _is_object(instance):
            raise invalid(f"Expecting object but got list at item {number} of input list")
        if instance.keys() != names:
            raise invalid(
                f"Failed to process element: {number} of 'instances' list. JSON object keys must be equal to: "
                + ",".join(sorted(names))
            )
    return {name: [instance[name] for instance in instances] for name in names}


def _named(inputs: Any, signature: Signature) -> Mapping[str, Any]:
    """Find the value of each input; a single one may come without its name."""
    names = signature.inputs.keys()
    if not _is_object(inputs):
        if len(names) > 1:
            raise invalid(
                "inputs is a plain value/list, but expecting an object as multiple input tensors required: "
                + ",".join(sorted(names))
            )
        return dict.fromkeys(names, inputs)
    for name in names:
        if name not in inputs:
            raise invalid(f"Missing named input: {name} in 'inputs' object.")
    return inputs


def _array(value: Any, spec: TensorSpec) -> np.ndarray:
    """Make an array of nested lists, without any of NumPy's conversions between kinds of values."""
    raw = np.array(value, dtype=object)
    columns = spec.shape[-1]
    if spec.name == contract.SUPPORT and raw.ndim == 2 and not raw.size and columns is not None:
        raw = raw.reshape(len(raw), 0, columns)  # no row says how many columns there are
    items = raw.ravel().tolist()
    kinds = set(map(type, items))
    if list in kinds:
        raise invalid(f"Input '{spec.name}' takes lists of equal lengths and depths, but they differ.")
    if spec.dtype == tf.string:
        if not kinds <= {str, dict}:
            raise _wrong_kind(spec, kinds - {str, dict})
        return np.array([_encoded(item, spec) for item in items], object).reshape(raw.shape)
    if spec.dtype.is_integer:
        if not kinds <= {int}:
            raise _wrong_kind(spec, kinds - {int})
        if not all(spec.dtype.min <= item <= spec.dtype.max for item in items):
            raise invalid(
                f"Input '{spec.name}' takes {spec.dtype.name}, but received a number beyond its range."
            )
        return raw.astype(spec.dtype.as_numpy_dtype)
    if spec.dtype == tf.bool:
        if not kinds <= {bool}:
            raise _wrong_kind(spec, kinds - {bool})
        return raw.astype(bool)
    if type(None) in kinds:  # JSON proper has no NaN
        raw = np.where(raw == None, np.nan, raw)  # noqa: E711
        kinds.remove(type(None))
    if not kinds <= {int, float}:
        raise _wrong_kind(spec, kinds - {int, float})
    return _floats(raw, spec, int in kinds)


def _floats(raw: np.ndarray, spec: TensorSpec, has_integers: bool) -> np.ndarray:
    try:
        numbers = raw.astype(np.float64)
    except OverflowError:
        raise _lossy(spec) from None
    sizes = np.abs(numbers[np.isfinite(numbers)])
    largest = sizes.max(initial=0.0)
    if largest > FLOAT_MAX:
        raise _lossy(spec)
    if has_integers and largest > EXACT_INTEGER:
        for item in raw.ravel().tolist():
            # What does not fit into 64 bits is a decimal number to TF Serving's parser.
            if type(item) is int and EXACT_INTEGER < abs(item) < 2**63:
                raise _lossy(spec)
    return numbers.astype(np.float32)


def _encoded(item: str | dict, spec: TensorSpec) -> bytes:
    try:
        if isinstance(item, str):
            return item.encode()
        if item.keys() == {"b64"} and isinstance(item["b64"], str):
            return base64.b64decode(item["b64"], validate=True)
    except (UnicodeEncodeError, binascii.Error, ValueError):
        pass
    raise invalid(f'Input \'{spec.name}\' takes strings, as text or as {{"b64": "..."}} in base64.')


def _wrong_kind(spec: TensorSpec, kinds: Sequence[type] | set[type]) -> Refusal:
    words = {str: "String", bool: "Bool", type(None): "Null", dict: "Object", float: "Decimal", int: "Number"}
    received = ", ".join(sorted(words[kind] for kind in kinds))
    return invalid(
        f"Input '{spec.name}': JSON Value Type: {received} is not of expected type: {spec.dtype.name}"
    )


def _lossy(spec: TensorSpec) -> Refusal:
    return invalid(
        f"Input '{spec.name}': Cannot convert JSON value to {spec.dtype.name} without loss of precision."
    )


def _is_object(value: Any) -> bool:
    """Tell an object of named inputs from a binary string, which is an object too."""
    return isinstance(value, dict) and not (value.keys() == {"b64"} and isinstance(value["b64"], str))


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise invalid(f"JSON Parse error: the key '{shown(twice)}' is given twice in one object.")
    return document
