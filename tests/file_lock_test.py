import os
import subprocess
import sys

import pytest

from tffs.file_lock import open_locked

HOLDER = """
import sys
from tffs.file_lock import open_locked
with open_locked(sys.argv[1]):
    print("locked", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / ".lock")


def test_a_second_holder_is_refused_until_the_first_closes_it(path):
    with open_locked(path), pytest.raises(BlockingIOError):
        open_locked(path, wait=False)
    open_locked(path, wait=False).close()


def test_another_process_waits_for_the_first_or_its_death(path):
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "locked\n"
        with pytest.raises(BlockingIOError):
            open_locked(path, wait=False)
        holder.kill()
        open_locked(path).close()


def test_what_the_file_holds_stays(path):
    with open_locked(path) as file:
        file.write(b"7\n")
    with open_locked(path) as file:
        assert file.read() == b"7\n"


def test_a_new_file_has_the_permissions_of_any_other(path, tmp_path):
    open_locked(path).close()
    (tmp_path / "other").touch()
    assert os.stat(path).st_mode == os.stat(tmp_path / "other").st_mode


@pytest.mark.parametrize("target", ["precious", "nowhere"])
def test_a_symbolic_link_is_not_followed(path, target, tmp_path):
    (tmp_path / "precious").write_text("content")
    os.symlink(tmp_path / target, path)
    with pytest.raises(OSError, match="it is a symbolic link"):
        open_locked(path)
    assert (tmp_path / "precious").read_text() == "content"
    assert not (tmp_path / "nowhere").exists()


def test_a_named_pipe_is_refused_at_once(path):
    os.mkfifo(path)
    with pytest.raises(OSError, match="it is not a regular file"):
        open_locked(path)


def test_a_folder_is_refused(path):
    os.mkdir(path)
    with pytest.raises(IsADirectoryError):
        open_locked(path)
