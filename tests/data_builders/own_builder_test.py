"""A user's own TFDS builder, named by its path or its import name."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from data_builders.reference import home, resolve, short_name
from tests.conftest import QUICK
from tests.data import loading
from tffs.config import DataPlace
from tffs.errors import UserError

BUILDER = '''
import numpy as np
import tensorflow_datasets as tfds


class {name}(tfds.core.GeneratorBasedBuilder):
    """Three tasks of thirty rows."""

    VERSION = tfds.core.Version("1.0.0")

    def _info(self):
        return tfds.core.DatasetInfo(
            builder=self,
            features=tfds.features.FeaturesDict({features}),
            metadata=tfds.core.MetadataDict({metadata}),
        )

    def _split_generators(self, dl_manager):
        return {{task: self._generate_examples(seed) for seed, task in enumerate(("one", "two", "three"))}}

    def _generate_examples(self, seed):
        rows = np.random.default_rng(seed).random((30, 3), np.float32)
        for number, row in enumerate(rows):
            yield number, {{"x": row + {shift}}}
'''
X = '{"x": tfds.features.Tensor(shape=(3,), dtype=np.float32)}'
NAMES = '{"feature_names": ["a", "b", "c"]}'


def write_builder(path, name="Builder", features=X, metadata=NAMES, shift=0):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(BUILDER.format(name=name, features=features, metadata=metadata, shift=shift))
    return path


def load(given, tmp_path):
    return loading.load(resolve(str(given)), DataPlace(str(tmp_path / "data"))).tasks


def test_a_builder_is_named_by_the_path_of_its_file_or_folder(tmp_path, monkeypatch):
    file = write_builder(tmp_path / "here" / "by_path_dataset_builder.py")
    monkeypatch.chdir(tmp_path)
    for given in (str(file), "here/by_path_dataset_builder.py", "here", "here/"):
        assert resolve(given) == str(file)
    assert short_name(str(file)) == "by_path"
    tasks = load("here", tmp_path)
    assert tasks.task_names == ("one", "two", "three")
    assert tasks.feature_names == ("a", "b", "c")
    assert tasks.matrix.shape == (90, 3)


def test_a_file_of_a_package_may_import_from_it(tmp_path):
    file = write_builder(tmp_path / "own_package" / "inner" / "inner_dataset_builder.py")
    (tmp_path / "own_package" / "__init__.py").touch()
    (tmp_path / "own_package" / "inner" / "__init__.py").write_text("OFFSET = 5\n")
    file.write_text("from own_package.inner import OFFSET\n" + file.read_text().replace("+ 0", "+ OFFSET"))
    assert load(file, tmp_path).matrix.min() >= 5


def test_a_builder_is_named_by_its_import_name(tmp_path, monkeypatch):
    write_builder(tmp_path / "imported_package" / "mine" / "mine_dataset_builder.py")
    write_builder(tmp_path / "imported_package" / "other.py", name="OtherRows", shift=5)
    for folder in ("imported_package", "imported_package/mine"):
        (tmp_path / folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert load("imported_package.mine", tmp_path).matrix.max() < 1
    assert load("imported_package.mine.mine_dataset_builder", tmp_path).matrix.max() < 1
    assert load("imported_package.other", tmp_path).matrix.min() >= 5
    assert short_name("imported_package.mine.mine_dataset_builder") == "mine"
    assert short_name("imported_package.other") == "other"


def test_builders_of_the_same_name_are_prepared_apart(tmp_path):
    paths = [
        write_builder(tmp_path / folder / "twin_dataset_builder.py", shift=5 * number)
        for number, folder in enumerate("ab")
    ]
    assert len({home(str(path), "data") for path in paths}) == 2
    assert load(paths[0], tmp_path).matrix.max() < 1
    with pytest.raises(UserError, match="has the name of another module, .*: give the file another name"):
        load(paths[1], tmp_path)  # one process can import one of them only


def test_a_run_with_an_own_builder_is_resumed_evaluated_and_exported_from_its_workdir(
    run_main, tmp_path, monkeypatch
):
    file = write_builder(tmp_path / "trained_dataset_builder.py")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TFFS_DATA_MIRROR", str(tmp_path / "mirror"))  # which has nothing for it
    few = [*QUICK, "--num_selected=2", "--support_size=4"]
    outcome = run_main(f"--dataset={file.name}", *few)
    assert outcome.code == 0, outcome.err
    assert os.path.isdir("runs/trained/export/1")
    assert run_main(f"--dataset={file.name}", *few).code == 0
    monkeypatch.chdir("/")
    asked = ("--mode=evaluate", f"--workdir={tmp_path}/runs/trained")
    outcome = run_main(*asked)  # which names no code to run
    assert outcome.code == 1
    assert f"runs such code only if you name it: add --dataset={file}." in outcome.err
    outcome = run_main(*asked, f"--dataset={file}")
    assert outcome.code == 0, outcome.err
    with open(f"{tmp_path}/runs/trained/result.json", encoding="utf-8") as result:
        assert json.load(result)["dataset"] == "trained"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("no/such_dataset_builder.py", "must be the path of a TFDS builder.*and it is not there"),
        (
            "empty",
            "must be one of amazon_reviews, .* own by its path or its import name, but 'empty' was given",
        ),
        ("./empty", "but './empty' was given, and there are 0 such files"),
        ("two", "but 'two' was given, and there are 2 such files"),
        ("digit_r", "must be one of amazon_reviews, .*but 'digit_r' was given"),
        ("no such.name", "must be one of amazon_reviews, .*but 'no such.name' was given"),
    ],
)
def test_what_names_no_builder_gets_one_sentence(given, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    for name in "ab":
        write_builder(tmp_path / "two" / f"{name}_dataset_builder.py")
    with pytest.raises(UserError, match=sentence):
        resolve(given)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("import no_such_module", r"cannot be used \(ModuleNotFoundError: No module named 'no_such_module'\)"),
        ("def broken(:", r"cannot be used \(SyntaxError: "),
        ("NOTHING = 1", r"cannot be used \(ValueError: .*a module with one class"),
        ("raise SystemError('no')", r"cannot be used \(SystemError: no\)"),
    ],
)
def test_a_module_that_cannot_be_used_gets_one_sentence(content, sentence, tmp_path):
    path = tmp_path / f"bad{abs(hash(content))}_dataset_builder.py"
    path.write_text(content)
    with pytest.raises(UserError, match=sentence):
        load(path, tmp_path)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"metadata": "{}"}, "must name its 3 features in its metadata, as 'feature_names'"),
        ({"features": X.replace("float32", "float64")}, "must have a feature 'x' of float32"),
        (
            {"features": X.replace("(3,)", "(1, 3)")},
            "must have a feature 'x'",
        ),
        ({"features": X.replace("}", ', "label": np.int32}')}, "must have labels 'label' of int64"),
    ],
    ids=["names", "dtype", "shape", "label"],
)
def test_a_builder_of_another_layout_gets_one_sentence_before_it_is_run(changes, sentence, tmp_path, request):
    path = write_builder(tmp_path / f"layout_{request.node.callspec.id}_dataset_builder.py", **changes)
    with pytest.raises(UserError, match=sentence):
        load(path, tmp_path)


def test_importing_the_package_imports_neither_tensorflow_nor_tfds():
    code = (
        "import sys, data_builders.reference; "
        "sys.exit(bool({'tensorflow', 'tensorflow_datasets', 'pyarrow'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_rows_are_those_that_the_builder_gives(tmp_path):
    tasks = load(write_builder(tmp_path / "same_rows_dataset_builder.py"), tmp_path)
    expected = np.random.default_rng(1).random((30, 3), np.float32)
    assert {tuple(row) for row in tasks.matrix[30:60].tolist()} == {tuple(row) for row in expected.tolist()}
