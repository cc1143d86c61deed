"""Bodies of predict requests that are almost right."""

import base64
import json
import random
from collections.abc import Mapping
from typing import Any

import numpy as np

from fuzzing.almost.inputs import draw_inputs, drawn_signature
from tffs.serving.server.signature import Signature

_SCALARS: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        2**24 + 1,
        2**53 + 1,
        2**63,
        -(2**70),
        10**400,
        1.5,
        -0.0,
        1e308,
        3.5e38,
        1e-320,
    ),
    *(
        float("nan"),
        float("inf"),
        "",
        "x",
        "\ud800",
        "\x00",
        "1.5",
        "NaN",
        {},
        [],
        {"b64": "AAAA"},
        {"b64": "?"},
    ),
    *({"b64": 1}, {"b64": "AA", "x": 1}, [[]], {"": 0}, {"support": []}),
)
_TEXTS = (
    "NaN",
    "Infinity",
    "-Infinity",
    "1e999",
    "-0",
    "01",
    "1.",
    "1" * 5000,
    "0.1e-9999",
    '"\\ud800"',
    '"\\u0000"',
    "nul",
    "/**/1",
    "\ufeff1",
)


def request_body(source: random.Random, signatures: Mapping[str, Signature]) -> bytes:
    """Draw the body of a predict request for one of the signatures."""
    signature = drawn_signature(source, signatures)
    arrays = {name: _lists(array) for name, array in draw_inputs(source, signature).items()}
    document: dict[str, Any] = {"signature_name": signature.name} if source.random() < 0.9 else {}
    form = source.random()
    if form < 0.35:
        document["inputs"] = arrays
    elif form < 0.8:
        count = min(map(len, arrays.values()))
        document["instances"] = [{name: values[row] for name, values in arrays.items()} for row in range(count)]
    elif form < 0.95:
        document[source.choice(("inputs", "instances"))] = next(iter(arrays.values()))
    else:
        document |= {"instances": [], "inputs": arrays}
    if source.random() < 0.3:
        document = changed_tree(source, document)
    text = json.dumps(document, ensure_ascii=source.random() < 0.8)
    return _as_bytes(source, text)


def changed_tree(source: random.Random, tree: Any) -> Any:
    """Put something else in the place of one value, at any depth."""
    if isinstance(tree, dict) and tree and source.random() < 0.95:
        name = source.choice(list(tree))
        return {key: changed_tree(source, value) if key == name else value for key, value in tree.items()}
    if isinstance(tree, list) and tree and source.random() < 0.95:
        at = source.randrange(len(tree))
        if source.random() < 0.05:
            return tree[:at] + tree[at + 1 :]
        return [changed_tree(source, value) if place == at else value for place, value in enumerate(tree)]
    return source.choice(_SCALARS)


def changed_body(source: random.Random, body: bytes) -> bytes | None:
    """Change one value of a body that is JSON; None for one that is not."""
    try:
        return json.dumps(changed_tree(source, json.loads(body))).encode()
    except (ValueError, RecursionError):
        return None


def _as_bytes(source: random.Random, text: str) -> bytes:
    trick = source.random()
    if trick < 0.03:
        text = text.replace(source.choice("0123456789"), source.choice(_TEXTS), 1)
    elif trick < 0.05:
        text = text.replace("{", '{"inputs": 1, ' if source.random() < 0.5 else '{"x\\n": 1, "x\\n": 2, ', 1)
    elif trick < 0.06:
        deep = source.choice((10, 100, 900, 3000))
        text = text.replace("[", "[" * deep, 1).replace("]", "]" * deep, 1)
    elif trick < 0.07:
        text = "[" * 900 + "]" * 900
    encoding = (
        "utf-8" if source.random() < 0.97 else source.choice(("utf-16", "utf-8-sig", "latin-1", "utf-32-be"))
    )
    return text.encode(encoding, errors="surrogatepass" if encoding != "latin-1" else "replace")


def _lists(array: np.ndarray) -> Any:
    if array.dtype == object:
        flat = [{"b64": base64.b64encode(item).decode()} for item in array.ravel()]
        return np.array([*flat, None], object)[:-1].reshape(array.shape).tolist()
    return array.tolist()
