"""What is opened as a table's file, and what is refused at once."""

import os
import socket

import pytest

from data_builders.table.opening import open_file
from data_builders.table.options import TableOptions
from data_builders.table.table import Table
from tests.data_builders.table.files import write
from tffs.data.support_file import read_support
from tffs.errors import UserError


def pipe(path):
    os.mkfifo(path)


def folder(path):
    path.mkdir()


def device(path):
    path.symlink_to("/dev/zero")


def unix_socket(path):
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(path))  # the whole path may be too long


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.parquet", "x.npz", "x.npy"])
@pytest.mark.parametrize(
    ("make", "kind"), [(pipe, "a pipe"), (folder, "a folder"), (device, "a device"), (unix_socket, "a socket")]
)
def test_what_is_no_file_is_refused_at_once(make, kind, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make(tmp_path / name)
    with pytest.raises(UserError, match=f"{name} must be a file, but it is {kind}: write the rows to a file"):
        read_support(name, ("a",), print)
    if name != "x.npy":
        with pytest.raises(UserError, match=f"{name} must be a file, (as its name says, )?but it is {kind}"):
            Table(TableOptions(name, "task"))
        write(tmp_path / "a.csv", "x,y\n1,2\n")
        with pytest.raises(UserError, match=f"{name} must be a file, but it is {kind}"):
            Table(TableOptions("."))


def test_a_link_to_a_file_is_a_file(tmp_path):
    write(tmp_path / "a.csv", "x,y\n1,2\n")
    (tmp_path / "link.csv").symlink_to("a.csv")
    assert open_file(str(tmp_path / "link.csv")).header == ("x", "y")


@pytest.mark.parametrize(
    "read",
    [
        lambda path: Table(TableOptions(path, "task")),
        lambda path: Table(TableOptions(os.path.dirname(path))),
        lambda path: read_support(path, ("x",), print),
    ],
    ids=["table", "file of a folder", "support"],
)
def test_a_name_that_is_not_utf_8_gets_one_sentence(read, tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write("task,x\nu,1\n")
    with pytest.raises(UserError, match="The name of .*caf.*csv must be UTF-8, but it is not: rename it"):
        read(path)


def test_the_sentence_about_such_a_name_can_be_printed(run_main, tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.csv")
    outcome = run_main("--mode=inspect", f"--table={path}", "--task_column=task")
    assert outcome.code == 1
    outcome.err.encode()
    assert "caf\\udce9.csv must be UTF-8" in outcome.err
