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
    with pytest.raises(UserError, match="cannot be written to .it is a symbolic link"), workdir.locked():
        pass
    assert (tmp_path / "precious").read_text() == "content"


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
