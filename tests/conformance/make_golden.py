"""Make the golden runs of a version: what it writes, and what its models answer.

    python -m tests.conformance.make_golden [--tree=CHECKOUT]

trains a small model of each method with the code of `--tree` (this one if not given) and writes, below
`tests/conformance/golden/<version>/`, `<method>.tar.xz` with the run's folder (without checkpoints, pictures
and reports), and `<method>.json` with a request for every signature of its export and the answer to it. The
answers are those of the SavedModel, asked by TensorFlow alone. `golden_test.py` says which later versions still
give them.
"""

import argparse
import ast
import base64
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np

ROOT = pathlib.Path(__file__).parents[2]
GOLDEN = pathlib.Path(__file__).parent / "golden"
KEPT = ("config.json", "training.json", "result.json", "by_count.json", "model.keras", "export")
FEATURES = ("temperature", "a b", "größe", "x,y", "PPE", "Jitter(%)", "load", "weight")
SITES = ("north", "east", "south", "west", "top", "bottom", "left")
ROWS = 36
# `concrete` is the only method before 0.7.0, whose flags come from here.
NETWORK = (
    *("--selector_dim=8", "--embedding_units=6", "--decoder_units=6", "--eval_every=40", "--jit=on"),
    "--selection=unique",
)
METHODS = {
    "concrete": ("--target_task=left", "--validation_task=top", *NETWORK),
    "posterior": ("--residual=on",),
}
TABLE = ("--task_column=site", "--missing=median", "--scaling=standard", "--num_selected=3")
DIGITS = ("--dataset=digits_r", "--target_task=rot45", "--validation_task=rot15", "--num_selected=6")


def main(arguments: list[str]) -> None:
    """Make the golden runs of the version in a checkout."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tree", type=pathlib.Path, default=ROOT, help="a checkout of the version")
    tree = parser.parse_args(arguments).tree.resolve()
    version = _version(tree)
    numbers = tuple(map(int, version.split(".")))
    folder = GOLDEN / version
    folder.mkdir(parents=True, exist_ok=True)
    for method, flags in METHODS.items():
        if method == "posterior" and numbers < (0, 7):
            continue
        named = () if numbers < (0, 7) else (f"--method={method}",)
        with tempfile.TemporaryDirectory() as scratch:
            _run(tree, scratch, (*named, *flags), digits=numbers < (0, 2))
            _pack(os.path.join(scratch, "run"), folder / f"{method}.tar.xz")
            answers = _answers(os.path.join(scratch, "run", "export", "1"))
        with open(folder / f"{method}.json", "w", encoding="utf-8") as file:
            json.dump(answers, file, ensure_ascii=False)
            file.write("\n")
        print(f"{folder / method}: {', '.join(answers)}")


def _version(tree: pathlib.Path) -> str:
    """Read the version without importing that code."""
    for statement in ast.parse((tree / "tffs" / "__init__.py").read_text("utf-8")).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__version__":
            return ast.literal_eval(statement.value)
    raise SystemExit(f"{tree} has no version of tffs: give the root of a checkout.")


def _run(tree: pathlib.Path, scratch: str, flags: tuple[str, ...], digits: bool) -> None:
    """Train and export with the code of a checkout; only 0.1.0 takes no table."""
    _write_table(os.path.join(scratch, "made.csv"))
    data = (*DIGITS, *NETWORK) if digits else ("--table=made.csv", *TABLE, *flags)
    command = [sys.executable, "-m", "tffs.main", *data, "--support_size=4", "--steps=120", "--threads=1"]
    places = ["--workdir=run", "--data_dir=data"]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    done = subprocess.run([*command, *places], cwd=scratch, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{tree} did not train: {done.stderr.strip()[-2000:]}")


def _write_table(path: str) -> None:
    """Write tasks with covariances of their own, in units of their own, with some missing cells."""
    rng = np.random.default_rng(0)
    shared = rng.standard_normal((2, len(FEATURES)))
    units = 10.0 ** np.arange(-2, len(FEATURES) - 2)
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["site", *FEATURES])
        for number, site in enumerate(SITES):
            loadings = shared + 0.4 * rng.standard_normal(shared.shape)
            for factors in rng.standard_normal((ROWS, 2)):
                row = factors @ loadings + 0.3 * rng.standard_normal(len(FEATURES)) + 0.2 * number
                cells = ["" if rng.random() < 0.02 else f"{value:.5g}" for value in units * row]
                writer.writerow([site, *cells])


def _pack(run: str, archive: pathlib.Path) -> None:
    """Keep the files of a run that later versions read."""
    with tarfile.open(archive, "w:xz", preset=9) as packed:
        for name in KEPT:
            if os.path.exists(os.path.join(run, name)):
                packed.add(os.path.join(run, name), name, filter=_anonymous)


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Leave out who wrote a file, and locks."""
    if os.path.basename(member.name).startswith("."):
        return None
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member


def _answers(version: str) -> dict[str, Any]:
    """Ask every signature of a version folder."""
    import tensorflow as tf

    loaded = tf.saved_model.load(version)
    _, rows, features = loaded.signatures["serving_default"].structured_input_signature[1]["support"].shape
    answers = {}
    for name, signature in loaded.signatures.items():
        specs = signature.structured_input_signature[1]
        shapes = {key: tuple(spec.shape[1:]) for key, spec in specs.items()}
        inputs = dict(_inputs(shapes, rows, features))
        tensors = {key: tf.constant(array, specs[key].dtype) for key, array in inputs.items()}
        outputs = {key: tensor.numpy() for key, tensor in signature(**tensors).items()}
        answers[name] = {
            "inputs": {key: _plain(array.tolist()) for key, array in inputs.items()},
            "outputs": {key: _plain(array.tolist()) for key, array in outputs.items()},
        }
    return answers


def _inputs(
    shapes: dict[str, tuple[int | None, ...]], rows: int | None, features: int
) -> Iterator[tuple[str, np.ndarray]]:
    """Make inputs for two tasks, by their names and shapes; the second one knows one row where it may.

    Args:
        shapes: of the inputs, without the tasks.
        rows: N_S, None for a model that takes any number.
        features: M.
    """
    rng = np.random.default_rng(1)
    units = 10.0 ** np.arange(-2, features - 2) if features == len(FEATURES) else np.ones(features)
    support = (units * rng.standard_normal((2, rows or 4, features))).astype(np.float32)
    made = {
        "support": support,
        "support_size": np.array([4, 4 if rows else 1], np.int32),
        "examples": np.array([_example(task) for task in support], object),
        "include": np.arange(features) == np.array([[2], [5]]),
        "exclude": np.arange(features) == np.array([[3], [6]]),
        "costs": (1 + np.arange(2 * features).reshape(2, -1) % 3).astype(np.float32),
        "budget": np.array([-1, 7], np.float32),
        "request": np.zeros(2, np.int32),
    }
    for name, shape in shapes.items():
        yield name, _values(rng, support, shape[-1]) if name == "values" else made[name]


def _values(rng: np.random.Generator, support: np.ndarray, columns: int | None) -> np.ndarray:
    """Make measured rows: of K features, or of all with NaN for what was not measured."""
    values = support[:, :3] * 0.75
    if columns != support.shape[2]:
        return values[..., :columns]
    return np.where(rng.random(values.shape) < 0.5, np.nan, values).astype(np.float32)


def _example(rows: np.ndarray) -> bytes:
    import tensorflow as tf

    values = tf.train.Feature(float_list=tf.train.FloatList(value=rows.ravel()))
    return tf.train.Example(features=tf.train.Features(feature={"support": values})).SerializeToString()


def _plain(value: Any) -> Any:
    """Give lists as JSON holds them: null for NaN, base64 for bytes that are no text."""
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return {"b64": base64.b64encode(value).decode()}
    return None if isinstance(value, float) and math.isnan(value) else value


if __name__ == "__main__":
    main(sys.argv[1:])
