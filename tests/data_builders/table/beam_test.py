"""The Beam form of the generic builder prepares what the plain form prepares, byte by byte."""

import filecmp
import os
import pathlib
import signal
import subprocess
import sys
import uuid

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
import tensorflow_datasets as tfds

pytest.importorskip("apache_beam", reason="apache-beam is not installed here: pip install '.[beam]'")

from apache_beam.runners.portability import prism_runner

from data_builders.table import beam_survey, column_block, table_dataset_builder
from data_builders.table.beam_options import pipeline_options
from data_builders.table.opening import open_file
from data_builders.table.options import TableOptions
from data_builders.table.table import Table
from data_builders.table.table_dataset_builder import path_of, prepare_table
from tests.beam_engines import DIRECT, SECONDS, TWO_PROCESSES, until, worker_pool, workers
from tests.conftest import QUICK
from tests.data.loading import load
from tests.data_builders.table.files import write, write_empty_parquet, write_npz
from tffs.config import DataPlace
from tffs.errors import UserError

NAMES = ("shop [1]", "all", "a/b.c", "né 2", "10")


def csv_with_gaps(tmp_path):
    """Tasks with odd names, some of them empty; missing values and labels; ids; a constant."""
    lines = ["kind,place,id,x y,constant,only né"]
    for i in range(60):
        task = "" if i == 7 else NAMES[i * i % 5]
        label = "" if i == 11 else ("cat", '"dog, big"')[i % 2]
        value = "" if i % 13 == 5 else str(i * 0.25 - 3)
        lines.append(f"{label},{task},{1000 - i},{value},1,{'-0.0' if task == NAMES[4] else ''}")
    return TableOptions(write(tmp_path / "t.csv", "\n".join(lines) + "\n"), "place", label_column="kind")


def folder_of_csvs(tmp_path):
    """Columns in any order, an id that is different in each file only, files of other kinds."""
    folder = tmp_path / "shops"
    folder.mkdir()
    for shop in range(4):
        rows = "".join(f"{i},{shop * 10 + i},{i / (shop + 1)}\n" for i in range(3 + shop))
        write(folder / f"shop {shop}.csv{'.gz' * (shop % 2)}", "local,all,x\n" + rows)
    write(folder / "z.tsv", "x\tall\tlocal\n1e3\t-5\t8\n")
    write_npz(folder / "ä.npz", x=[[9.0, 100.0, 0.5]], feature_names=["local", "all", "x"])
    return TableOptions(str(folder))


def parquet_in_row_groups(tmp_path):
    """Tasks that go through the row groups, and first places in different ones."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(100, 3)).astype(np.float32)
    x[40, 1] = x[77, 0] = x[90, 1] = np.nan
    columns = {f"x{i}": pa.array(x[:, i], from_pandas=True) for i in range(3)}
    columns |= {"n": pa.array(rng.permutation(100)), "task": pa.array(rng.integers(0, 12, 100))}
    columns["y"] = pa.array(rng.choice(["p", "q", None], 100))
    path = tmp_path / "t.parquet"
    pa.parquet.write_table(pa.table(columns), path, row_group_size=9)
    return TableOptions(str(path), "task", label_column="y")


def npz(tmp_path):
    path = write_npz(
        tmp_path / "t.npz",
        x=np.random.default_rng(1).normal(size=(50, 4)),
        task=np.arange(50) % 3,
        task_names=["c", "a", "b"],
        y=np.arange(50) % 2,
    )
    return TableOptions(path)


TABLES = (csv_with_gaps, folder_of_csvs, parquet_in_row_groups, npz)


@pytest.fixture
def small(monkeypatch):
    """Many units and shards of a small table."""
    monkeypatch.setattr(column_block, "BLOCK_BYTES", 600)
    monkeypatch.setattr(table_dataset_builder, "SHARD_BYTES", 100)
    monkeypatch.setattr(beam_survey, "BUCKET_VALUES", 30)


@pytest.fixture
def prism_runs(monkeypatch):
    """What the direct runner gave to the runner that it would download, and go on without where it cannot."""
    runs = []

    def refuse(runner, pipeline, options):
        runs.append(pipeline)
        raise AssertionError("nothing is to be downloaded")

    monkeypatch.setattr(prism_runner.PrismRunner, "run_pipeline", refuse)
    return runs


def prepared(options, data_dir, beam_options=()):
    table = Table(options)
    name = table.dataset()
    prepare_table(table, name, str(data_dir), lambda doing, share: None, beam_options)
    return pathlib.Path(path_of(name, str(data_dir)))


def assert_same(plain, beam):
    files = sorted(os.listdir(plain))
    assert sorted(os.listdir(beam)) == files
    assert any("tfrecord" in name for name in files)
    assert filecmp.cmpfiles(plain, beam, files, shallow=False) == (files, [], [])


@pytest.mark.parametrize("make", TABLES)
@pytest.mark.usefixtures("small")
def test_what_beam_prepares_is_what_one_process_prepares_and_nothing_is_downloaded(make, prism_runs, tmp_path):
    options = make(tmp_path)
    plain = prepared(options, tmp_path / "plain")
    assert len(list(plain.glob("*tfrecord*"))) > 1
    assert_same(plain, prepared(options, tmp_path / "beam", DIRECT))
    assert prism_runs == []


@pytest.mark.usefixtures("small")
def test_ids_are_told_from_numbers_that_are_different_in_each_file_only(tmp_path):
    options = folder_of_csvs(tmp_path)
    assert len(Table(options).units()) == 6
    folder = prepared(options, tmp_path / "beam", DIRECT)
    metadata = tfds.builder_from_directory(str(folder)).info.metadata
    assert metadata["survey"]["like_id"] == ["all"]


@pytest.mark.usefixtures("small")
def test_two_worker_processes_prepare_the_same(tmp_path):
    options = parquet_in_row_groups(tmp_path)
    assert len(Table(options).units()) == 6
    assert_same(prepared(options, tmp_path / "plain"), prepared(options, tmp_path / "beam", TWO_PROCESSES))


@pytest.fixture
def external_pool(tmp_path):
    with worker_pool(tmp_path) as options:
        yield options


@pytest.mark.usefixtures("small")
def test_a_portable_runner_with_an_external_worker_pool_prepares_the_same(external_pool, tmp_path, monkeypatch):
    options = folder_of_csvs(tmp_path)
    monkeypatch.chdir(tmp_path)  # paths that mean something else to the workers
    options = TableOptions(os.path.relpath(options.path))
    plain = prepared(options, "plain")
    assert_same(plain, prepared(options, "beam", external_pool))


BAD = {
    "text": "task,a,b\nu,1,2\nv,oops,2\nv,,ouch\n",
    "gaps": "task,a,b\nu,1,\nv,3,2\n,4,2\n",
    "ragged": "task,a,b\nu,1,2\nv,3\nv,3,4\n",
    "one task": "task,a,b\nu,1,2\nu,3,2\n",
    "empty": "task,a,b\n",
    "infinite": "task,a,b\nu,1,2\nv,1e40,2\n",
    "open quote": 'task,a,b\nu,1,2\nv,"3,2\n',
    "thousands": "task;a;b\nu;1,5;2\nv;2,5;1.000\n",
    "long name": f"task,a,b\nu,1,2\n{'7' * 5000},3,2\n",
    "not UTF-8": b"task,a,b\nu,1,2\n\xff,3,2\n",
}


USABLE = (BAD["gaps"], BAD["one task"])  # by a run with another rule for missing values, or another method


@pytest.mark.parametrize("content", BAD.values(), ids=BAD)
def test_a_bad_table_gets_the_same_sentence_and_leaves_nothing_behind_that_no_run_can_use(
    content, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    write(pathlib.Path("t.csv"), content)
    assert "t.csv" in refusal("t.csv")
    assert nothing_prepared() == (content not in USABLE)


@pytest.mark.parametrize("groups", [0, 1])
def test_a_parquet_file_without_rows_is_refused_by_both_forms(groups, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_empty_parquet("t.parquet", groups)
    assert refusal("t.parquet") == "t.parquet: the table has no rows."
    assert nothing_prepared()


def refusal(path):
    """Give the sentence that both forms say about a table."""
    sentences = []
    for number, options in enumerate(((), DIRECT)):
        place = DataPlace(f"data/{number}", table=TableOptions(path, "task"), beam_options=options)
        with pytest.raises(UserError) as raised:
            load(None, place)
        sentences.append(str(raised.value))
    assert sentences[0] == sentences[1]
    return sentences[0]


def nothing_prepared():
    return not [name for _, _, names in os.walk("data") for name in names if "lock" not in name]


def test_a_damaged_file_of_a_folder_is_named(tmp_path):
    folder = pathlib.Path(folder_of_csvs(tmp_path).path)
    zipped = folder / "shop 3.csv.gz"
    whole = np.random.default_rng(0).normal(size=(5000, 3))
    write(zipped, "local,all,x\n" + "".join(f"{a},{b},{c}\n" for a, b, c in whole))
    os.truncate(zipped, zipped.stat().st_size // 2)
    sentences = []
    for options in ((), DIRECT):
        with pytest.raises(UserError, match="shop 3.csv.gz cannot be read as a CSV file") as raised:
            prepared(TableOptions(str(folder)), tmp_path / "data", options)
        sentences.append(str(raised.value))
    assert sentences[0] == sentences[1]


def test_a_file_that_a_worker_does_not_see_is_named(tmp_path, monkeypatch):
    table = Table(folder_of_csvs(tmp_path))
    name = table.dataset()

    def elsewhere(path):
        """Open a file as a worker on another machine, which lacks one."""
        return open_file(path + ".not_here" * path.endswith("shop 2.csv"))

    monkeypatch.setattr(beam_survey, "open_file", elsewhere)
    with pytest.raises(
        UserError, match="A worker cannot read .*shop 2.csv .*: with --beam_options every worker"
    ):
        prepare_table(table, name, str(tmp_path / "data"), lambda *doing: None, DIRECT)
    assert not list(tmp_path.glob("data/table/*/*"))


@pytest.mark.parametrize(
    "after",
    [
        "task,a,y\nu,1,p\nv,2,p\nv,3,p\n",
        "task,a,y\nu,1,p\nv,2,p\nw,3,p\n",
        "task,a,y\nu,1,p\nv,2,p\nv,3,q\n",
        "task,a,y\n",
        "task,a,y\nu,1,p\nv,9,p\n",
    ],
    ids=["row", "task", "class", "gone", "value"],
)
def test_a_table_that_changes_between_the_two_pipelines_is_refused(after, tmp_path):
    before = "task,a,y\nu,1,p\nv,2,p\n"
    path = write(tmp_path / "t.csv", before)
    table = Table(TableOptions(path, "task", label_column="y"))

    def show(doing, share):  # heard first when the survey is done
        if doing == "reading":
            write(tmp_path / "t.csv", after)

    with pytest.raises(
        UserError, match="^.*t.csv: the table has changed while it was read; run the same command"
    ):
        prepare_table(table, table.dataset(), str(tmp_path / "data"), show, DIRECT)
    assert not list(tmp_path.glob("data/table/*/*"))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("runner=Nope",), "must name a runner of Beam.*but received runner=Nope"),
        (("runner=no.such.Runner",), "runner=no.such.Runner, which cannot be imported .*: install"),
        (("direct_num_workers=two",), "argument --direct_num_workers: invalid int value: 'two'"),
        (("runner",), "argument --runner: expected one argument"),
        (("help",), "must be options of Beam with their values, but received --help"),
        (("flink_submit_uber_jar=true",), "argument --flink_submit_uber_jar: ignored explicit argument 'true'"),
        (("DirectRunner",), "names 'DirectRunner', which Beam does not know"),
        (("runner=DirectRunner", "drect_num_workers=2"), "names 'drect_num_workers', which Beam does not know"),
        (
            ("runner=PortableRunner", "job_endpoint=localhost:9", "job_server_timeout=1"),
            "Beam could not prepare the table \\(.+\\)",
        ),
    ],
)
def test_options_that_beam_refuses_are_said(given, sentence, tmp_path):
    with pytest.raises(UserError, match=sentence):
        prepared(npz(tmp_path), tmp_path / "data", given)
    assert not list(tmp_path.glob("data/table/*/*"))


def test_an_option_without_a_value_is_given_by_its_name():
    options = pipeline_options(("runner=DirectRunner", "flink_submit_uber_jar", "direct_num_workers=2"))
    assert options.get_all_options()["flink_submit_uber_jar"] is True
    assert options.get_all_options()["direct_num_workers"] == 2


def test_training_uses_what_beam_prepared(run_main, data_dir, tmp_path):
    lines = "".join(f"{'stu'[i % 3]},{i % 7},{(i * i) % 11},{i % 5}\n" for i in range(90))
    path = write(tmp_path / "beamed.csv", f"task,a,b,c\n{lines}")
    table = (f"--table={path}", "--task_column=task")
    outcome = run_main("--mode=prepare", *table, "--beam_options=runner=DirectRunner")
    assert outcome.code == 0, outcome.err
    assert "beamed: 3 tasks, 3 features, 90 rows" in outcome.out
    (folder,) = pathlib.Path(data_dir).glob("table/beamed-*/*")
    before = folder.stat().st_mtime_ns
    trained = run_main("--mode=train", *table, *QUICK, f"--workdir={tmp_path / 'run'}")
    assert trained.code == 0, trained.err
    assert folder.stat().st_mtime_ns == before
    assert list(pathlib.Path(data_dir).glob("table/beamed-*/*")) == [folder]


def test_a_stopped_preparation_ends_its_workers_and_leaves_nothing(tmp_path):
    mark = uuid.uuid4().hex
    options = csv_with_gaps(tmp_path)
    command = [sys.executable, "-m", "tffs.main", "--mode=prepare", f"--table={options.path}"]
    command += ["--task_column=place", f"--data_dir={tmp_path / 'data'}"]
    process = subprocess.Popen(
        [*command, f"--beam_options={','.join(TWO_PROCESSES)}"],
        env={**os.environ, "TFFS_TEST": mark},
        stderr=subprocess.PIPE,
        text=True,
    )
    until(lambda: len(workers(mark)) >= 2, [process])
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=SECONDS)
    assert process.returncode == 128 + signal.SIGTERM
    assert said.splitlines()[1:] == ["Stopped: the same command goes on from what is saved."]
    assert not list(tmp_path.glob("data/table/*/*"))
    until(lambda: not workers(mark))
