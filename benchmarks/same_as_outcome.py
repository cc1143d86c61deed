"""Read what a command of same_as.py left, part by part, and compare two of them value by value."""

import csv
import hashlib
import io
import json
import os
import zipfile
from collections import Counter
from typing import Any, NamedTuple

import h5py
import numpy as np
import tensorflow as tf

# What may differ between two runs of the same program.
TIMED = {
    *("train_seconds", "steps_per_second", "compile_seconds", "validation_seconds", "seconds"),
    *("select_seconds", "commit", "versions"),
}
NO_STATE = (
    "_CHECKPOINTABLE_OBJECT_GRAPH",
    "save_counter",
    "figures/",
)  # figures are clocks, and repeated in result.json
# Layers may move and get other names: there the same arrays have to be found under any name.
RENAMABLE = ("model.keras", "checkpoint")
CELL = ("dataset", "method", "support_size", "num_selected", "split")
Values = dict[str, Any]


class Verdict(NamedTuple):
    """What came of comparing one part.

    Attributes:
        part: what was compared.
        values: how many values the older tree has.
        wrong: a line for every value that differs or is missing in the new tree.
        added: what only the new tree has.
    """

    part: str
    values: int
    wrong: list[str]
    added: list[str]


def read(kind: str, folder: str) -> dict[str, Values]:
    """Read all that is compared of one case: the values of each part by name."""
    if kind == "experiment":
        lines = _json_lines(f"{folder}/same_as.jsonl")
        return {"lines": _named({",".join(str(line[key]) for key in CELL): line for line in lines})}
    if kind == "tune":
        return {"trials": _named({row["trial"]: row for row in _json_lines(f"{folder}/trials.jsonl")})}
    with open(f"{folder}/result.json", encoding="utf-8") as file:
        result = json.load(file)
    parts = {
        "result.json": _named(result),
        "model.keras": _keras_arrays(f"{folder}/model.keras"),
        "checkpoint": _checkpoint_arrays(f"{folder}/checkpoints"),
    }
    support = _support(folder)
    if support is not None:
        parts["support.csv"] = {"rows": support}
    return {**parts, **_answers(f"{folder}/export/1", support)}


def compare(older: dict[str, Values], newer: dict[str, Values]) -> list[Verdict]:
    """Compare every part that the older tree has."""
    return [_compare(part, values, newer.get(part, {})) for part, values in older.items()]


def _compare(part: str, older: Values, newer: Values) -> Verdict:
    if part in RENAMABLE and older.keys() != newer.keys():
        older, newer = _by_content(older), _by_content(newer)
    wrong = [f"{name} is missing" for name in older if name not in newer]
    wrong += [
        f"{name}: {_shown(value)}, now {_shown(newer[name])}"
        for name, value in older.items()
        if name in newer and not _same(value, newer[name])
    ]
    return Verdict(part, len(older), wrong, [name for name in newer if name not in older])


def _same(one: Any, other: Any) -> bool:
    """Tell whether two values are equal bit for bit; JSON's floats are written so that none is lost."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return _digest(one) == _digest(other)
    return json.dumps(one) == json.dumps(other)


def _digest(array: np.ndarray) -> str:
    content = repr(array.tolist()).encode() if array.dtype == object else array.tobytes()
    return f"{array.dtype}{list(array.shape)} {hashlib.sha256(content).hexdigest()[:12]}"


def _shown(value: Any) -> str:
    return _digest(value) if isinstance(value, np.ndarray) else json.dumps(value)


def _by_content(arrays: Values) -> Values:
    found: Counter[str] = Counter()
    keyed = {}
    for array in arrays.values():
        digest = _digest(array)
        found[digest] += 1
        keyed[f"{digest} ({found[digest]})"] = array
    return keyed


def _named(value: Any, path: str = "") -> Values:
    """Flatten objects to their leaves, named by their path, without clocks."""
    if not isinstance(value, dict):
        return {path: value}
    flat: Values = {}
    for key, inner in value.items():
        if key not in TIMED:
            flat |= _named(inner, f"{path}/{key}" if path else key)
    return flat


def _json_lines(path: str) -> list[dict[str, Any]]:
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _keras_arrays(path: str) -> Values:
    arrays: Values = {}

    def keep(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            arrays[name] = np.asarray(item)

    with zipfile.ZipFile(path) as archive, h5py.File(io.BytesIO(archive.read("model.weights.h5"))) as file:
        file.visititems(keep)
    return arrays


def _checkpoint_arrays(folder: str) -> Values:
    reader = tf.train.load_checkpoint(folder)
    names = [name for name in reader.get_variable_to_shape_map() if not name.startswith(NO_STATE)]
    return {
        name.removesuffix("/.ATTRIBUTES/VARIABLE_VALUE"): np.asarray(reader.get_tensor(name)) for name in names
    }


def _support(folder: str) -> np.ndarray | None:
    if not os.path.exists(f"{folder}/support.csv"):
        return None
    with open(f"{folder}/support.csv", encoding="utf-8", newline="") as file:
        return np.array(list(csv.reader(file))[1:]).astype(np.float32)


def _answers(export: str, support: np.ndarray | None) -> dict[str, Values]:
    """Ask an exported model the same questions in every tree: eight tasks around the support rows."""
    signatures = tf.saved_model.load(export).signatures
    _, rows, features = signatures["select"].structured_input_signature[1]["support"].shape
    rng = np.random.default_rng(0)
    base = rng.random((rows, features)) if support is None else support
    tasks = (base * rng.uniform(0.5, 1.5, (8, rows, features))).astype(np.float32)
    padded = np.concatenate([tasks, rng.random((8, 3, features), np.float32)], axis=1)
    chosen = _ask(signatures["select"], support=tasks)
    answers = {
        "select": chosen,
        "select_masked": _ask(
            signatures["select_masked"], support=padded, support_size=np.full(8, rows, np.int32)
        ),
    }
    values = np.take_along_axis(tasks, chosen["indices"][:, None, :], axis=2)
    if "classify" in signatures:
        return {**answers, "classify": _ask(signatures["classify"], support=tasks, values=values)}
    rebuilt = _ask(signatures["reconstruct"], support=tasks, values=values)
    for task, indices in enumerate(chosen["indices"]):
        rebuilt["reconstruction"][task][:, indices] = 0.0  # measured: later versions give them as they are
    return {**answers, "reconstruct (unmeasured)": rebuilt}


def _ask(signature: Any, **inputs: np.ndarray) -> dict[str, np.ndarray]:
    given = {name: tf.constant(array) for name, array in inputs.items()}
    answer = {name: np.array(tensor.numpy()) for name, tensor in signature(**given).items()}
    if any(answer["error"]):
        raise RuntimeError(f"The exported model refused a request: {answer['error'].tolist()}")
    return answer
