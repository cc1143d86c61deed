"""What a fit learns from a prepared table is the same, whether Beam computes its sums or this process."""

import dataclasses
import json
import os
import pathlib
import re
import resource
import tracemalloc

import numpy as np
import pytest

pytest.importorskip("apache_beam", reason="apache-beam is not installed here: pip install '.[beam]'")

import tffs
from data_builders.table import table_dataset_builder
from tests.beam_engines import DIRECT, TWO_PROCESSES, worker_pool
from tests.data_builders.table.files import write_npz
from tffs.data import beam_index, beam_jobs, beam_runner, beam_sums, medians, records
from tffs.data.beam_jobs import SumShard, write_piece
from tffs.data.datasets import open_dataset
from tffs.data.source_statistics import SourceStatistics
from tffs.data.stored_rows import StoredRows
from tffs.data.sums import BY_TASK, Wanted, summed
from tffs.errors import UserError
from tffs.flags.command import command_of
from tffs.methods.catalogue import Posterior
from tffs.planning.setting import settle
from tffs.posterior import mixture
from tffs.posterior import source as source_module
from tffs.posterior.fitting import fit_posterior
from tffs.posterior.prior import priors_of
from tffs.posterior.source import Source
from tffs.training.session import Session

TASKS, WIDTH = 7, 6
LINEAR = Posterior(components=(), residual=False)
MIXED = Posterior(components=(8,), residual=False)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Many files and blocks of a small table, and few steps."""
    monkeypatch.setattr(table_dataset_builder, "SHARD_BYTES", 4 * WIDTH * 90)
    monkeypatch.setattr(records, "READ_BYTES", 4 * WIDTH * 40)
    monkeypatch.setattr(mixture, "MOST_STEPS", 1)
    monkeypatch.setattr(medians, "TABLE_BYTES", 8 * WIDTH * 2**11)


@pytest.fixture
def table(tmp_path, rng):
    """Clusters, tasks of any size and order, missing values and labels, a constant, a feature far from 0."""
    task = np.repeat(np.arange(TASKS), 61 + 5 * np.arange(TASKS))
    centres = 3.0 * rng.normal(size=(5, WIDTH))
    x = centres[rng.integers(5, size=len(task))] + rng.normal(size=(TASKS, WIDTH))[task]
    x += rng.normal(size=x.shape) @ rng.normal(size=(WIDTH, WIDTH))
    x[:, 4] = 7.25
    x[:, 5] += 1e6
    x[rng.random(x.shape) < 0.01] = np.nan
    order = rng.permutation(len(task))
    y = rng.integers(3, size=len(task))
    return write_npz(tmp_path / "t.npz", x=x[order], task=task[order], y=y)


def command(tmp_path, table, beam_options=(), **flags):
    values = {"table": table, "num_selected": 2, "missing": "median", "seed": 3, **flags}
    return command_of({**values, "data_dir": str(tmp_path / "data"), "beam_options": tuple(beam_options)})


def settled(asked, show=lambda doing, share: None, stop=lambda: False):
    return settle(asked.run, asked.place, lambda sentence: None, show, stop)


def assert_same_fit(here, elsewhere):
    assert elsewhere.facts["recipe"] == here.facts["recipe"]
    assert [one["error"] for one in elsewhere.facts["tried"]] == pytest.approx(
        [one["error"] for one in here.facts["tried"]], rel=1e-6
    )
    for one, other in zip(here.model.weights, elsewhere.model.weights, strict=True):
        largest = np.abs(np.asarray(one)).max(initial=1e-30)
        np.testing.assert_allclose(
            np.asarray(other) / largest, np.asarray(one) / largest, rtol=0.0, atol=1e-6, err_msg=one.path
        )


class Watched(np.ndarray):
    """Rows in memory that note what is to be summed over them."""

    @classmethod
    def of(cls, matrix):
        made = matrix.view(cls)
        made.wanted, made.plain, made.passes = [], np.asarray(matrix), made
        return made

    def sums(self, wanted):
        self.wanted += wanted
        return summed(self.plain, wanted)


def everything_wanted(setting, monkeypatch):
    """Give what statistics, a fit with a mixture and one of many features want to be summed."""
    matrix, train = Watched.of(setting.tasks.matrix), setting.split.train
    SourceStatistics.of(matrix, np.sort(train.rows), medians=True)
    source = Source.of(matrix, train, np.arange(len(train.names)) % 3)
    fit_posterior(source, (), "standard", 2, seed=0, components=(8,))
    monkeypatch.setattr(source_module, "DENSE_FEATURES", WIDTH - 1)
    priors_of([source, source.without(1)], 0.9)
    kinds = {type(one.what).__name__ for one in matrix.wanted}
    assert len(kinds) == 8, sorted(kinds)[4:]
    return matrix.wanted


@pytest.fixture(params=["direct", "two processes", "external pool"])
def engine(request, tmp_path):
    if request.param == "external pool":
        with worker_pool(tmp_path) as options:
            yield options
    else:
        yield DIRECT if request.param == "direct" else TWO_PROCESSES


def test_all_sums_of_a_fit_come_out_the_same_in_one_pass(engine, tmp_path, table, monkeypatch):
    here = settled(command(tmp_path, table, missing="drop_rows"))
    wanted = everything_wanted(here, monkeypatch)
    expected = summed(here.tasks.matrix, wanted)
    matrix = settled(command(tmp_path, table, DIRECT, missing="drop_rows")).tasks.matrix
    assert len(matrix.records.paths) > 3
    runner = matrix.passes.runner
    runner._options = table_dataset_builder.beam_pipeline_options(engine)
    made = len(list(pathlib.Path(runner.folder).iterdir()))
    found = matrix.passes.sums(wanted)
    assert len(list(pathlib.Path(runner.folder).iterdir())) == made + 1
    for one, sums, own in zip(wanted, expected, found, strict=True):
        assert own.keys() == sums.keys()
        assert (BY_TASK in own) == one.by_task
        for name, array in sums.items():
            scale = np.abs(array[np.isfinite(array)]).max(initial=1.0)
            np.testing.assert_allclose(own[name] / scale, array / scale, rtol=0.0, atol=1e-12, err_msg=name)


@pytest.mark.parametrize(("dense", "missing"), [(True, "median"), (False, "drop_rows")])
def test_a_fit_with_beam_is_the_fit_without(dense, missing, tmp_path, table, monkeypatch):
    monkeypatch.setattr(beam_jobs, "PIECE", 100)
    if not dense:
        monkeypatch.setattr(source_module, "DENSE_FEATURES", WIDTH - 1)
    fits = []
    for engine in ((), DIRECT):
        setting = settled(command(tmp_path, table, engine, missing=missing))
        assert isinstance(setting.tasks.matrix, StoredRows) == bool(engine)
        fits.append(MIXED.fit(setting, Session()))
    assert fits[0].model.prior.rank == (None if dense else fits[1].model.prior.rank)
    assert_same_fit(*fits)


@pytest.mark.parametrize("engine", ["external pool"], indirect=True)
def test_a_fit_with_workers_in_other_processes_is_the_fit_without(engine, tmp_path, table):
    # With two processes all sums of a fit are computed above, and each pass takes seconds.
    fits = [
        LINEAR.fit(settled(command(tmp_path, table, options, missing="drop_rows")), Session())
        for options in ((), engine)
    ]
    assert_same_fit(*fits)


def test_no_more_passes_are_made_than_are_announced_and_none_is_made_twice(tmp_path, table, monkeypatch):
    asked = command(tmp_path, table, DIRECT)

    def fit():
        told = []
        setting = settled(asked, lambda doing, share: told.append(doing))
        fitted = MIXED.fit(setting, Session(share=lambda doing, share: None))
        return fitted, [doing for doing in told if "pass" in doing][::2]

    first, passes = fit()
    for doing, about in (("reading the table", 7), ("fitting", 5)):
        made = [one for one in passes if one.startswith(f"{doing}: ")]
        # A number that was too low is raised as passes are made, so the first one counts.
        assert made[0] == f"{doing}: pass 1 of about {about} over the rows"
        assert len(made) <= about
    monkeypatch.setattr(beam_runner, "run_pipeline", lambda *_: pytest.fail("a pass was made again"))
    assert_same_fit(first, fit()[0])


def test_sums_that_take_much_memory_are_computed_in_several_passes(tmp_path, table, monkeypatch):
    here = settled(command(tmp_path, table, missing="drop_rows"))
    matrix = settled(command(tmp_path, table, DIRECT, missing="drop_rows")).tasks.matrix
    wanted = everything_wanted(here, monkeypatch)[-4:]
    folder = pathlib.Path(matrix.passes.runner.folder)
    together = matrix.passes.sums(wanted)
    before = len(list(folder.iterdir()))
    monkeypatch.setattr(beam_sums, "WORKER_BYTES", 1)
    apart = matrix.passes.sums(wanted)
    assert len(list(folder.iterdir())) == before + len(wanted)
    for one, other in zip(together, apart, strict=True):
        for name, array in one.items():
            np.testing.assert_allclose(other[name], array, rtol=1e-12)


def test_a_stopped_pass_leaves_nothing_and_what_was_made_before_stays(tmp_path, table):
    passes = []

    def show(doing, share):
        passes.append(doing)

    with pytest.raises(KeyboardInterrupt):
        settled(command(tmp_path, table, DIRECT), show, stop=lambda: "pass 2" in passes[-1])
    (made,) = (tmp_path / "data").glob("table/*/sums/*")
    assert sorted(file.name for file in made.iterdir())[0] == "0.npz"


@pytest.mark.parametrize("when", ["before the first command", "between two commands"])
def test_a_damaged_file_is_named(when, tmp_path, table):
    asked = command(tmp_path, table, DIRECT, missing="drop_rows")
    if when == "before the first command":
        open_dataset(None, asked.place)
    else:
        settled(asked)  # its passes are kept, and must not stand in for the damaged file
    damaged = sorted((tmp_path / "data").rglob("*tfrecord*"))[2]
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    with pytest.raises(UserError, match=f"cannot be read .*{damaged.name}.*: delete that folder"):
        settled(asked)


def test_passes_over_files_that_have_changed_since_are_made_anew(tmp_path, table):
    asked, passes = command(tmp_path, table, DIRECT, missing="drop_rows"), []
    for _ in range(2):
        runner = settled(asked).tasks.matrix.passes.runner
        passes.append(len(list(pathlib.Path(runner.folder).iterdir())))
        os.utime(runner.shards[1].path, (0, 0))
    assert passes[1] == 2 * passes[0]


def test_a_file_that_changes_during_a_pass_is_named_and_the_pass_is_not_kept(tmp_path, table):
    asked = command(tmp_path, table, DIRECT)
    open_dataset(None, asked.place)
    changed = sorted((tmp_path / "data").rglob("*tfrecord*"))[2]

    def show(doing, share):
        if "pass 2" in doing:
            os.utime(changed, (0, 0))

    with pytest.raises(UserError, match=f"{changed} was changed while rows were read from it"):
        settled(asked, show)
    assert len(list((tmp_path / "data").glob("table/*/sums/*"))) == 1


def test_a_file_that_a_worker_does_not_see_is_named(tmp_path, table):
    asked = command(tmp_path, table, DIRECT)
    open_dataset(None, asked.place)
    unseen = sorted((tmp_path / "data").rglob("*tfrecord*"))[2]

    def show(doing, share):
        if "pass 1" in doing:  # this process has seen the file
            unseen.unlink(missing_ok=True)

    said = f"^A worker cannot read .*{unseen.name} .No such file or directory.: with --beam_options"
    with pytest.raises(UserError, match=said):
        settled(asked, show)


@pytest.fixture
def by_task(tmp_path, table):
    """A pass, and what it sums: the rows of each task, in many files."""
    setting = settled(command(tmp_path, table, DIRECT, missing="drop_rows"))
    what = source_module._OfGroup(np.zeros(WIDTH), True)
    wanted = [Wanted(what, setting.split.train, np.arange(TASKS - 1), by_task=True)]
    return setting.tasks.matrix.passes, wanted


@pytest.mark.parametrize("write", ["sums of tasks", "a small piece", "a large piece"])
def test_a_disk_that_takes_no_more_is_not_told_as_a_file_that_cannot_be_read(write, by_task, tmp_path):
    passes, wanted = by_task
    folder, sentence = str(tmp_path), tmp_path / "error"
    passes.jobs(wanted).write(folder)
    sum_shard = SumShard(passes.runner.prepared, str(sentence), folder, folder)
    shard = passes.runner.shards[0]
    piece = (0, "sums", 0), ("add", np.zeros(100 if write == "a small piece" else 10_000))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (600, before[1]))  # enough for the sentence
    try:
        with pytest.raises(UserError):
            _ = (
                list(sum_shard.process(shard))
                if write == "sums of tasks"
                else write_piece(piece, folder, sentence)
            )
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    said = "^A worker cannot write .*/0-(tasks-0.npz|sums-0.npy) .File too large.: make room"
    assert re.match(said, sentence.read_text())


@pytest.mark.parametrize("lost", ["a piece", "the end of a piece", "all tasks", "part of a task"])
def test_what_workers_did_not_leave_is_not_taken_for_zeros(lost, by_task, monkeypatch):
    # DaskRunner of Beam 2.77 reports success and leaves nothing.
    passes, wanted = by_task
    write_by_task = beam_jobs._Sum.write_by_task

    def end_is_lost(merged, out, error):
        write_piece(merged, out, error)
        os.truncate(beam_jobs.piece_path(out, merged[0]), 100)

    def some_are_lost(self, out, shard):
        if lost == "part of a task" and shard != 1:
            write_by_task(self, out, shard)

    with monkeypatch.context() as context:
        if lost == "a piece":
            context.setattr(beam_sums, "write_piece", lambda merged, out, error: None)
        elif lost == "the end of a piece":
            context.setattr(beam_sums, "write_piece", end_is_lost)
        else:
            context.setattr(beam_jobs._Sum, "write_by_task", some_are_lost)
        with pytest.raises(UserError, match=r"^Beam said .* is not whole .*: its workers must write"):
            passes.sums(wanted)
    (again,) = passes.sums(wanted)
    assert np.count_nonzero(again[BY_TASK].any(axis=1)) == TASKS - 1


def test_an_index_that_workers_did_not_leave_is_missed_and_made_again(tmp_path, table, monkeypatch):
    with monkeypatch.context() as context:
        context.setattr(beam_index._IndexShard, "of_shard", lambda self, shard: iter(()))
        with pytest.raises(UserError, match="^Beam said .* is not whole"):
            settled(command(tmp_path, table, DIRECT))
    assert len(settled(command(tmp_path, table, DIRECT)).split.train.names) == TASKS


def test_parts_of_tasks_are_no_sums_for_workers(tmp_path, table):
    setting = settled(command(tmp_path, table, DIRECT, missing="drop_rows"))
    with pytest.raises(ValueError, match="all rows of a task"):
        SourceStatistics.of(setting.tasks.matrix, np.sort(setting.split.train.rows)[1:], medians=False)


def held_by_a_worker(folder, rows, rng):
    """Give how many bytes a worker holds at most while it sums over one file of so many rows, and hands on."""
    folder.mkdir()
    x, task = rng.normal(size=(rows, 20)), np.arange(rows) % 5
    path = write_npz(folder / "t.npz", x=x + task[:, None], task=task)
    setting = settled(command(folder, path, DIRECT))
    matrix, train = setting.tasks.matrix, setting.split.train
    source = Source.of(matrix, train, np.arange(5) % 2)
    watched = Watched.of(np.asarray(matrix[np.arange(rows)]))
    fit_posterior(Source.of(watched, train, np.arange(5) % 2), (), "standard", 2, seed=0, components=(8,))
    jobs = matrix.passes.jobs([dataclasses.replace(one, tasks=source.tasks) for one in watched.wanted])
    jobs.write(str(folder))
    (shard,) = matrix.passes.runner.shards
    worker = SumShard(matrix.passes.runner.prepared, str(folder / "error"), str(folder), str(folder))
    list(worker.of_shard(shard))  # what TensorFlow and NumPy keep of a first time
    tracemalloc.start()
    handed_on = sum(piece.nbytes for _, (_, piece) in worker.of_shard(shard))
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return held, handed_on


def test_what_a_worker_holds_does_not_grow_with_the_rows(tmp_path, rng, monkeypatch):
    monkeypatch.setattr(table_dataset_builder, "SHARD_BYTES", 2**30)
    monkeypatch.setattr(records, "READ_BYTES", 4 * 20 * 100)
    held, handed_on = held_by_a_worker(tmp_path / "1", 1000, rng)
    held_of_more, handed_on_of_more = held_by_a_worker(tmp_path / "8", 8000, rng)
    assert handed_on_of_more == handed_on
    assert held_of_more < 1.1 * held
    assert held < 4 * 8000 * 20  # less than these rows take


def test_what_is_said_of_tables_needs_a_method_that_sums(run_main, table):
    outcome = run_main("--mode=train", f"--table={table}", f"--beam_options={DIRECT[0]}", "--cache=memory")
    assert outcome.code == 1
    assert "--cache=memory holds all rows in this process, but with --beam_options" in outcome.err


def numbers(value):
    """Give all numbers in what JSON holds, in order."""
    if isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        return [number for part in parts for number in numbers(part)]
    return [value] if isinstance(value, int | float) else []


def test_a_run_from_python_with_beam_has_the_result_of_the_command_without(
    run_main, table, tmp_path, monkeypatch
):
    monkeypatch.setattr(mixture, "MOST_NUMBERS", 0)  # no component is tried
    given = {"missing": "median", "workdir": str(tmp_path / "beam"), "data_dir": str(tmp_path / "data")}
    tffs.fit_table(
        table, beam_options=DIRECT, n_features_to_select=2, folds=2, method_params={"residual": "off"}, **given
    )
    plain = (f"--table={table}", "--num_selected=2", "--missing=median", "--folds=2", "--residual=off")
    outcome = run_main(*plain, f"--workdir={tmp_path / 'plain'}")
    assert outcome.code == 0, outcome.err
    results = [json.loads((tmp_path / run / "result.json").read_text()) for run in ("plain", "beam")]
    assert results[1]["selected"] == results[0]["selected"]
    for name in ("msre", "left_out", "curve", "tasks", "features", "yardsticks"):
        assert numbers(results[1][name]) == pytest.approx(numbers(results[0][name]), rel=1e-6, abs=1e-9)
