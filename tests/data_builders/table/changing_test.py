"""A table that is written to or replaced while it is read is not published."""

import os
import shutil

import numpy as np
import pytest

from data_builders.table.options import TableOptions
from data_builders.table.table import Table
from data_builders.table.table_dataset_builder import prepare_table
from tests.data_builders.table.files import write, write_npz, write_parquet
from tffs.errors import UserError

TASKS = ["u", "v"] * 10


def csv(path, value):
    return write(path, "task,a\n" + "".join(f"{task},{value}\n" for task in TASKS))


def parquet(path, value):
    return write_parquet(path, task=TASKS, a=[value] * len(TASKS))


def npz(path, value):
    return write_npz(path, task=TASKS, x=np.full((len(TASKS), 1), value))


def in_place(path, write_it, value):
    write_it(path, value)


def by_renaming(path, write_it, value):
    other = path.with_name(f"new{path.name}")
    write_it(other, value)
    os.replace(other, path)


def removed(path, write_it, value):
    path.unlink()


@pytest.fixture(params=[(csv, "t.csv"), (csv, "t.csv.gz"), (parquet, "t.parquet"), (npz, "t.npz")])
def kind(request, tmp_path):
    write_it, name = request.param
    write_it(tmp_path / name, 1)
    return tmp_path / name, write_it


def options(path):
    return TableOptions(str(path), None if path.suffix == ".npz" else "task")


def prepare(table, dataset, tmp_path, show=lambda doing, share: None):
    prepare_table(table, dataset, str(tmp_path / "data"), show)


@pytest.mark.parametrize("change", [in_place, by_renaming, removed])
@pytest.mark.parametrize("when", ["reading", "writing"])
def test_a_table_that_changes_while_it_is_prepared_is_refused(kind, change, when, tmp_path):
    path, write_it = kind
    table = Table(options(path))
    changes = []

    def at(moment):
        if moment == when and not changes:
            changes.append(moment)
            change(path, write_it, 2)

    with pytest.raises(UserError, match=f"{path.name}: the table has changed while it was read; run the same"):
        prepare(table, table.dataset(), tmp_path, lambda doing, share: at(doing))
    assert changes
    assert not list(tmp_path.glob("data/table/*/*"))


def test_a_table_that_is_replaced_before_it_is_named_is_refused(kind, tmp_path):
    path, write_it = kind
    table = Table(options(path))
    by_renaming(path, write_it, 2)
    with pytest.raises(UserError, match="has changed while it was read"):
        prepare(table, table.dataset(), tmp_path)


def test_what_half_a_table_lacks_is_not_said(kind, tmp_path):
    path, write_it = kind
    write_it(path, float("inf"))  # which no run can use
    table = Table(options(path))

    with pytest.raises(UserError, match="has changed while it was read"):
        prepare(table, table.dataset(), tmp_path, lambda doing, share: in_place(path, write_it, 2))


def test_a_file_of_a_folder_that_changes_is_noticed(tmp_path):
    folder = tmp_path / "shops"
    folder.mkdir()
    for shop in "abc":
        write(folder / f"{shop}.csv", "x,y\n1,2\n3,4\n")
    table = Table(TableOptions(str(folder)))
    table.check_unchanged()
    shutil.copy(folder / "b.csv", tmp_path / "copy.csv")
    os.replace(tmp_path / "copy.csv", folder / "b.csv")
    with pytest.raises(UserError, match="shops: the table has changed"):
        table.check_unchanged()
