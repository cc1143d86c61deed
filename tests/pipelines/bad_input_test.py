"""Bad input stops with the component's name and a sentence, and harms neither what serves nor the metadata."""

import os
import shutil

import numpy as np
import pytest
import tfx.v1  # noqa: F401

from pipelines import local_runner
from pipelines.metadata_store import Store
from tests.distribute.loopback import tf_config
from tests.pipelines import tiny
from tests.pipelines.conftest import run
from tests.pipelines.spans import write_span
from tffs.file_lock import open_locked
from tffs.serving.contract import versions_in
from tffs.serving.exported_model import ExportedModel

import tensorflow_data_validation as tfdv  # isort: skip  (older ones load only after TFX)

HELD_OUT = f"--held_out_tasks={','.join(tiny.HELD_OUT)}"
QUICK = ("--steps=20", "--eval_every=10", "--max_relative_error=1000")


@pytest.fixture(scope="module")
def root(tmp_path_factory, tiny_table):
    """The root of a pipeline that has pushed a model, though held-out rows lack values."""
    folder = tmp_path_factory.mktemp("pipeline")
    rows = tiny.values()
    rows["t4"][5:8, tiny.ORDER.index("spread 1")] = np.nan
    (folder / "gaps.csv").write_text(tiny.table(rows), encoding="utf-8")
    flags = (*QUICK, f"--table={folder / 'gaps.csv'}", "--missing=median", f"--pipeline_root={folder / 'root'}")
    outcome = run(local_runner.main, *tiny_table, HELD_OUT, *flags)
    assert outcome.code == 0, outcome.err
    assert "Blessed and pushed: " in outcome.out
    return str(folder / "root")


@pytest.fixture
def fails(root, tiny_table):
    """Run a pipeline that must fail, and give the sentence."""

    def go(*flags, at=root, table=tiny_table):
        outcome = run(local_runner.main, *table, HELD_OUT, *QUICK, f"--pipeline_root={at}", *flags)
        assert outcome.code == 1
        assert outcome.out == ""
        assert "Traceback" not in outcome.err
        said = [line for line in outcome.err.splitlines() if line.startswith("pipelines.local_runner: ")]
        assert len(said) == 1
        assert outcome.err.endswith(f"{said[0]}\n")
        return said[0].removeprefix("pipelines.local_runner: ")

    yield go
    (version,) = versions_in(os.path.join(root, "serving"))
    support = tiny.values()["t5"][: tiny.SUPPORT]
    assert len(ExportedModel(os.path.join(root, "serving", str(version))).select(support)) == tiny.K
    assert Store(os.path.join(root, "metadata.db")).latest("tffs", "Pusher") is not None


def _text(example):
    feature = example.features.feature["a/b"]
    feature.Clear()
    feature.bytes_list.value.append(b"high")


def _text_once(example):
    if example.features.feature["D2"].float_list.value[0] == tiny.values()["t0"][3, 0]:
        _text(example)


def _values_in_disorder(example):
    first = example.features.feature["D2"].float_list.value[0]
    if first == tiny.values()["t0"][3, 0]:
        example.features.feature["a/b"].float_list.value.append(7.0)
        example.features.feature["f2"].float_list.value[0] = np.nan
    elif first == tiny.values()["t0"][4, 0]:
        example.features.feature["f2"].Clear()


def _without_task(example):
    del example.features.feature["task"]


def _without_some_values():
    rows = tiny.values()
    rows["t2"][5:8, 6] = np.nan
    return rows


RENAMED = tuple("groesse" if name == "größe" else name for name in tiny.ORDER)
SPANS = {
    "a renamed column": (
        {"names": RENAMED},
        "DataGate: the columns are not those of the model last blessed; 'größe' is missing; 'groesse' is new: "
        "correct the data, or choose another --pipeline_root",
    ),
    "a new type": (
        {"change": _text},
        "DataGate: column 'a/b' of the split 'source' holds text where floats are expected",
    ),
    "a new type in one row": (
        {"change": _text_once},
        "StatisticsGen: RuntimeError: INVALID_ARGUMENT: Feature had wrong type, expected float_list, found "
        'bytes_list for feature "a/b"',
    ),
    "two values, no number and no value": (
        {"change": _values_in_disorder},
        "DataGate: column 'a/b' of the split 'source' has 2 values in a row: one is expected; column 'f2' of "
        "the split 'source' lacks 2 of 160 values: fill them in, or give --missing=median",
    ),
    "tasks missing": (
        {"rows": {task: rows for task, rows in tiny.values().items() if task not in ("t1", "t4")}},
        "DataGate: the split 'held_out' lacks the tasks 't4', which are to be evaluated on; the tasks 't1', "
        "which the model last blessed was trained on, are missing: bring them back, or choose another "
        "--pipeline_root.",
    ),
    "no task names": (
        {"change": _without_task},
        "DataGate: rows of the split 'source' name no 'task': every row must",
    ),
}


@pytest.mark.parametrize("name", SPANS)
def test_a_new_span_that_is_wrong_stops_before_anything_is_trained(name, fails, tmp_path):
    arguments, sentence = SPANS[name]
    write_span(tmp_path, 1)
    write_span(tmp_path, 2, **arguments)
    assert fails(f"--input={tmp_path}").startswith(sentence)


def test_a_renamed_column_does_not_pass_the_schema_of_a_user(fails, root, tmp_path):
    write_span(tmp_path, 1, names=RENAMED)
    sentence = fails(f"--input={tmp_path}", f"--schema={_first_schema(root)}")
    assert sentence.startswith(
        "DataGate: column 'groesse' of the split 'source': New column (column in data but not in schema); "
    )
    assert "column 'größe' of the split 'source': Column dropped" in sentence


def test_an_empty_span_is_said_to_be_empty(fails, tmp_path):
    write_span(tmp_path, 1)
    span = write_span(tmp_path, 2)
    (span / "held_out" / "rows.tfrecord").write_bytes(b"")
    empty = f"ImportExampleGen: {span}/held_out must hold TFRecords of the split 'held_out', but it is empty: "
    assert fails(f"--input={tmp_path}").startswith(empty)
    (span / "held_out" / "rows.tfrecord").unlink()
    assert fails(f"--input={tmp_path}").startswith(empty)
    shutil.rmtree(span)
    shutil.rmtree(tmp_path / "span-1")
    assert fails(f"--input={tmp_path}").startswith(f"ImportExampleGen: {tmp_path} must hold folders span-1,")


@pytest.mark.parametrize("damage", ["corrupted", "truncated"])
def test_a_damaged_tfrecord_is_named_by_the_component_that_reads_it(damage, fails, tmp_path):
    file = write_span(tmp_path, 1) / "source" / "rows.tfrecord"
    whole = file.read_bytes()
    middle = len(whole) // 2
    file.write_bytes(
        whole[:middle] + bytes(40) + whole[middle + 40 :] if damage == "corrupted" else whole[: middle + 60]
    )
    assert fails(f"--input={tmp_path}").startswith(f"ImportExampleGen: {file} is no whole TFRecord (")


def raising_module(folder, kind, function):
    """Write a module file that raises, and give its flag."""
    module = folder / f"my_{kind}.py"
    module.write_text(f'def {function}:\n    raise ValueError("my bug")\n')
    return f"--{kind}_module={module}"


@pytest.mark.parametrize(
    ("kind", "component", "function", "flags"),
    [
        ("trainer", "Trainer", "run_fn(fn_args)", ()),
        ("tuner", "Tuner", "tuner_fn(fn_args)", ("--tune", "--tuner=random", "--trials=1")),
    ],
)
def test_a_module_file_that_raises_is_blamed_on_its_component(
    kind, component, function, flags, fails, tmp_path
):
    sentence = fails(raising_module(tmp_path, kind, function), *flags)
    assert sentence.startswith(f"{component}: ValueError: my bug (all of it: ")


def test_a_schema_of_a_user_is_used_and_read_again_when_it_was_edited(fails, root, tmp_path):
    schema = tmp_path / "my.pbtxt"
    shutil.copy(_first_schema(root), schema)
    module = raising_module(tmp_path, "preprocessing", "preprocessing_fn(inputs, custom_config)")
    sentence = fails(f"--schema={schema}", module)
    assert sentence.startswith("Transform: ValueError: my bug (all of it: ")  # DataGate let it through
    edited = tfdv.load_schema_text(str(schema))
    next(feature for feature in edited.feature if feature.name == "D2").float_domain.max = 1e-4
    tfdv.write_schema_text(edited, str(schema))
    sentence = fails(f"--schema={schema}")
    assert sentence.startswith("DataGate: column 'D2' of the split 'source': ")


def _first_schema(root):
    """Find the schema of the run that went well."""
    folder = os.path.join(root, "artifacts", "SchemaGen", "schema")
    return os.path.join(folder, min(os.listdir(folder), key=int), "schema.pbtxt")


def test_a_module_file_that_cannot_be_imported_is_blamed_on_its_component(fails, tmp_path):
    module = tmp_path / "my_broken_trainer.py"
    module.write_text("def run_fn(fn_args:\n")
    assert fails(f"--trainer_module={module}").startswith("Trainer: SyntaxError: ")


@pytest.mark.parametrize("damage", ["a folder", "no database"])
def test_metadata_that_cannot_be_written_is_said_before_anything_runs(damage, fails, root, tmp_path):
    copy = tmp_path / "root"
    shutil.copytree(root, copy)
    database = copy / "metadata.db"
    database.unlink()
    if damage == "a folder":
        database.mkdir()
    else:
        database.write_bytes(b"these are no metadata" * 1000)
    assert fails(at=copy).startswith(f"ML Metadata must be able to write {database}, but it cannot (")
    assert versions_in(copy / "serving") == versions_in(os.path.join(root, "serving"))


def test_a_root_that_is_a_file_is_refused(fails, tmp_path):
    (tmp_path / "root").write_text("")
    assert fails(at=tmp_path / "root").startswith(f"--pipeline_root={tmp_path / 'root'} must be a folder")


def test_a_second_run_at_the_same_time_is_refused(fails, root):
    with open_locked(os.path.join(root, ".lock")):
        assert fails().startswith(f"Another run is at work in {root}: wait for it, or choose another")


@pytest.mark.parametrize(
    ("index", "flags", "sentence"),
    [
        (0, (), "--episodes_per_step must be divisible by the number of workers, 2, but received 1: give 2"),
        (1, ("--episodes_per_step=2",), "The pipeline must be the first worker, but the task in TF_CONFIG is"),
    ],
)
def test_workers_that_cannot_work_are_told_before_anything_runs(index, flags, sentence, fails, monkeypatch):
    monkeypatch.setenv("TF_CONFIG", tf_config((1, 2), index))
    assert fails("--distribute=multi_worker", *flags).startswith(sentence)


def test_missing_values_in_a_table_are_refused_unless_they_are_dealt_with(fails, tiny_table, tmp_path):
    (tmp_path / "voices.csv").write_text(tiny.table(_without_some_values()), encoding="utf-8")
    sentence = fails(table=(*tiny_table, f"--table={tmp_path / 'voices.csv'}"))
    assert "3 values are missing in 1 column(s): 'größe' 3" in sentence


FLAGS = {
    "--num_selected=9": "--num_selected=9 is more than the 8 features that ",
    "--validation_task=t4": "--validation_task=t4 is not a task of this dataset",
    "--serving_dir=gs://bucket/serving": "--serving_dir must be a path on this machine, but received gs://",
    "--keep_versions=2": "--keep_versions is not used in a pipeline: leave it out.",
    "--held_out_tasks=t4,t9": "The tasks to hold out must be in the data, but 't9' is not; its tasks: 't0',",
    "--loss=cross_entropy": "A pipeline trains models that reconstruct, but received --loss=cross_entropy",
    "--mode=train": "A pipeline has no --mode, but received --mode=train: leave it out.",
    "--beam_pipeline_args=runner=x": "--beam_pipeline_args must be options of Beam, like",
    "--schema=/nowhere/schema.pbtxt": "--schema must be the path of a file, but received '/nowhere/",
    "--trainer_module=/nowhere/t.py": "--trainer_module must be the path of a file, but received '/nowhere/",
    "--held_out_tasks=none": "--held_out_tasks must be names of tasks to evaluate on, but received 'none'.",
    "--held_out_tasks= --target_task=none": "A pipeline evaluates on tasks that it holds out, but",
    "--pipeline_name=my/name": "--pipeline_name must be a name of letters, digits, _ and -, but",
    "--draws=0": "--draws must be a whole number from 1 to 2147483647, but received 0.",
    "--max_regression=-1": "--max_regression must be a number from 0.0 to 1e+30, but received -1.0.",
    "--no_such_flag=1": "Unknown command line flag 'no_such_flag'",
    "--held_out_tasks=t0,t1,t2,t3,t4,t5": "All 6 tasks are held out, so none is left to train on",
}


@pytest.mark.parametrize("flags", FLAGS)
def test_a_flag_that_is_wrong_is_answered_with_one_sentence(flags, fails):
    assert fails(*flags.split()).startswith(FLAGS[flags])
