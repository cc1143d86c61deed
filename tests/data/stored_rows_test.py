import os

import numpy as np
import pytest
import tensorflow as tf

from data_builders.table import table_dataset_builder
from data_builders.table.options import TableOptions
from tests.data import loading
from tests.data_builders.table.files import write_npz
from tffs.config import DataPlace
from tffs.data import stored_rows
from tffs.data.episodes import EpisodeGenerator
from tffs.data.stored_rows import StoredRows
from tffs.data.tasks import TaskRows
from tffs.errors import UserError
from tffs.training.chunks import Chunks

ROWS, WIDTH = 60, 3


@pytest.fixture
def table(tmp_path, rng, monkeypatch):
    """The flags of a table that is prepared in several files."""
    monkeypatch.setattr(table_dataset_builder, "SHARD_BYTES", 4 * WIDTH * 9)
    x = rng.normal(size=(ROWS, WIDTH))
    x[::7, 1] = np.nan
    path = write_npz(tmp_path / "t.npz", x=x, task=np.repeat(np.arange(4), ROWS // 4))
    return TableOptions(str(path))


@pytest.fixture
def load(tmp_path, table):
    def load_as(cache, missing="median"):
        place = DataPlace(str(tmp_path / "data"), table=table, cache=cache)
        return loading.load(None, place, missing).tasks

    return load_as


@pytest.fixture
def files(load, tmp_path):
    load("stream")
    return sorted(path for path in (tmp_path / "data").rglob("*tfrecord*") if path.is_file())


@pytest.mark.parametrize("missing", ["median", "drop_rows"])
@pytest.mark.parametrize(("gap", "read_bytes"), [(0, 1), (100, 50), (4096, 2**20)])
def test_stored_rows_are_those_in_memory_in_whatever_order(load, rng, monkeypatch, missing, gap, read_bytes):
    monkeypatch.setattr(stored_rows, "GAP_BYTES", gap)
    monkeypatch.setattr("tffs.data.records.READ_BYTES", read_bytes)
    held, stored = load("memory", missing), load("stream", missing)
    assert isinstance(stored.matrix, StoredRows)
    assert stored.matrix.shape == held.matrix.shape
    assert len(stored.matrix) == (ROWS if missing == "median" else ROWS - 9)
    np.testing.assert_array_equal(stored.offsets, held.offsets)
    count = len(held.matrix)
    for rows in (
        np.arange(count),
        np.arange(count)[::-1],
        np.arange(0, count, 2),
        rng.integers(0, count, size=(5, 2, 4)),
        np.array([7, 7, 7]),
        np.zeros(0, np.int64),
    ):
        read = stored.matrix[rows]
        np.testing.assert_array_equal(read, held.matrix[rows])
        assert read.dtype == np.float32


def test_neighbours_are_read_together(load, monkeypatch):
    stored = load("stream").matrix
    calls = []
    pread = os.pread
    monkeypatch.setattr(os, "pread", lambda *given: calls.append(given) or pread(*given))
    stored[np.arange(0, ROWS, 2)]
    assert len(calls) == len(stored.records.paths) > 3


@pytest.mark.parametrize("cache", ["memory", "stream"])
def test_a_damaged_record_is_found_at_once_and_its_file_named(load, files, cache):
    content = bytearray(files[2].read_bytes())
    content[len(content) // 2] ^= 1
    files[2].write_bytes(content)
    with pytest.raises(
        UserError, match=rf"cannot be read \(DataLossError in {files[2].name}\): delete that folder"
    ):
        load(cache)


@pytest.mark.parametrize("cache", ["memory", "stream"])
@pytest.mark.parametrize("bytes_left", [0, 30])
def test_a_cut_file_is_named(load, files, cache, bytes_left):
    os.truncate(files[1], bytes_left)
    with pytest.raises(UserError, match=rf"cannot be read \(\w+ in {files[1].name}\): delete that folder"):
        load(cache)


def test_a_file_that_changes_after_it_was_indexed_is_refused(load, files):
    stored = load("stream").matrix
    with open(files[3], "r+b") as file:
        file.write(b"another length")
    with pytest.raises(UserError, match=f"{files[3]} was changed while rows were read from it"):
        stored[np.arange(ROWS)]


def test_a_file_that_is_gone_is_named(load, files):
    stored = load("stream").matrix
    os.remove(files[0])
    with pytest.raises(UserError, match=rf"FileNotFoundError in {files[0].name}"):
        stored[np.array([0])]


def test_training_ends_with_the_same_sentence(load, files):
    tasks = load("stream")
    rows = TaskRows.from_lists(tasks.task_names, list(tasks.rows_by_task().values()))
    chunks = Chunks(EpisodeGenerator(tasks.matrix, rows, 2, 3, seed=0, stream=1), 1, 0, seed=0)
    assert next(chunks.drawn(0)).query.shape[2:] == (3, WIDTH)
    os.utime(files[0], (0, 0))
    with pytest.raises(UserError, match=f"{files[0]} was changed while rows were read from it"):
        next(chunks.drawn(0))


def test_episodes_of_stored_rows_are_those_of_rows_in_memory(load):
    drawn = []
    for cache in ("memory", "stream"):
        tasks = load(cache)
        rows = TaskRows.from_lists(tasks.task_names, list(tasks.rows_by_task().values()))
        labels = np.arange(ROWS)
        episodes = EpisodeGenerator(tasks.matrix, rows, 2, 3, seed=5, stream=1, labels=labels)
        drawn.append([*episodes.labelled_episodes(tf.constant(7, tf.int64), 20)])
        drawn[-1] += next(iter(episodes.dataset(4, first=7)))
    for held, stored in zip(*drawn, strict=True):
        np.testing.assert_array_equal(held, stored)
