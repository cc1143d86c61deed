import os

import pytest

from tffs.errors import UserError
from tffs.workdir import Workdir


@pytest.fixture
def workdir(tmp_path):
    return Workdir(str(tmp_path / "run"))


def test_a_lock_that_is_a_link_is_refused_and_its_target_left_alone(workdir, tmp_path):
    (tmp_path / "precious").write_text("content")
    os.mkdir(workdir.path)
    os.symlink(tmp_path / "precious", workdir.file(".lock"))
    with pytest.raises(UserError, match=r"/.lock is a symbolic link, .*: delete it"), workdir.locked():
        pass
    assert (tmp_path / "precious").read_text() == "content"


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_a_lock_that_is_no_file_is_named(workdir, make):
    os.mkdir(workdir.path)
    make(workdir.file(".lock"))
    with pytest.raises(UserError, match=r"/.lock is no regular file, .*: delete it"), workdir.locked():
        pass


def test_a_workdir_that_is_a_file_is_said_to_be_one(workdir):
    open(workdir.path, "w").close()
    with pytest.raises(UserError, match="is a file: give a folder"), workdir.locked():
        pass


def test_json_that_is_nested_too_deeply_is_named(workdir):
    os.mkdir(workdir.path)
    with open(workdir.file("result.json"), "w", encoding="utf-8") as file:
        file.write("[" * 100_000)
    with pytest.raises(UserError, match="result.json is not what tffs writes .it is nested too deeply"):
        workdir.read_json("result.json")


@pytest.mark.parametrize("name", ["checkpoints/ckpt-60.index", "training.json", "model.keras", "result.json"])
def test_files_of_a_run_without_its_config_belong_to_no_new_run(workdir, name):
    os.makedirs(os.path.dirname(workdir.file(name)))
    open(workdir.file(name), "w").close()
    with pytest.raises(
        UserError, match="files of a run without its config.json: put that file back, or choose"
    ):
        workdir.stored_config()


def test_a_damaged_config_is_not_to_be_deleted_and_what_it_describes_may_be(workdir):
    assert "put back a copy of it, or choose another" in str(workdir.not_ours("config.json", "empty"))
    assert "delete it if it was damaged" in str(workdir.not_ours("result.json", "empty"))


def test_a_second_process_is_refused(workdir):
    with (
        workdir.locked(),
        pytest.raises(UserError, match="Another process is working in"),
        workdir.locked(),
    ):
        pass


def test_leftovers_are_removed_and_links_among_them_not_followed(workdir, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "precious").touch()
    os.makedirs(workdir.file(".tffs-tmp-export-x/1"))
    os.symlink(tmp_path / "elsewhere", workdir.file(".tffs-tmp-1-model.keras"))
    os.symlink(tmp_path / "nowhere", workdir.file(".tffs-tmp-2-model.keras"))
    with workdir.locked():
        assert os.listdir(workdir.path) == [".lock"]
    assert (tmp_path / "elsewhere" / "precious").exists()
