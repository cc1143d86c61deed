"""Exports in real processes: a full disk, a kill in the middle, old versions."""

import os
import shutil
import time

import pytest

from tffs.serving.contract import versions_in
from tffs.workdir import TEMPORARY, Workdir


@pytest.fixture
def workdir(finished, tmp_path):
    """A copy of a finished run with one version."""
    shutil.copytree(finished.path, tmp_path / "run")
    return Workdir(str(tmp_path / "run"))


def flags(workdir, data_dir):
    return "--mode=export", f"--workdir={workdir.path}", f"--data_dir={data_dir}"


def debris(workdir):
    return [name for name in os.listdir(workdir.path) if name.startswith(TEMPORARY)]


def test_a_full_disk_during_export_gets_one_sentence_and_publishes_nothing(workdir, data_dir, forks):
    process = forks.start("tffs.main", *flags(workdir, data_dir), largest_file=20_000)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out) == (1, ""), err
    assert "Traceback" not in err
    assert "could not be exported to" in err.splitlines()[-1]
    assert "versions that were there are untouched" in err.splitlines()[-1]
    assert versions_in(workdir.exports) == [1]
    assert debris(workdir) == []


def test_a_kill_in_the_middle_of_an_export_leaves_nothing_that_a_server_sees(
    workdir, data_dir, run_main, forks
):
    process = forks.start("tffs.main", *flags(workdir, data_dir))
    while not debris(workdir) and process.poll() is None:
        time.sleep(0.005)  # until it writes
    process.kill()
    process.communicate()
    assert versions_in(workdir.exports) == [1]
    again = run_main(*flags(workdir, data_dir), "--keep_versions=1")
    assert again.code == 0, again.err
    (version,) = versions_in(workdir.exports)
    assert version > 1
    assert again.out == f"Exported: {workdir.exports}/{version}\n"
    assert debris(workdir) == []
