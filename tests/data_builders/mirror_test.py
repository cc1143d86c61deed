"""Preparing from a mirror: the real files where they are, wrong files refused, nothing half-built."""

import os
import pathlib
import shutil
import signal
import time

import numpy as np
import pytest
import tensorflow_datasets as tfds

import data_builders
from data_builders import build
from data_builders.preparation import prepare
from tests.data import loading
from tests.data_builders.make_dummy_data import HERE
from tffs.config import DataPlace
from tffs.errors import UserError


def load(name, data_dir, mirror):
    return loading.load(name, DataPlace(str(data_dir), str(mirror))).tasks


def test_the_build_command_prepares_the_real_datasets_where_tffs_reads(mirror, tmp_path, capsys):
    names = "mnist_r,isolet,amazon_reviews"
    arguments = [f"--datasets={names}", f"--data_dir={tmp_path}", f"--data_mirror={mirror}"]
    assert build.main(["build", *arguments]) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert [line.split(":")[0] for line in lines] == names.split(",")
    assert "6000 rows in 6 tasks (rot0 1000, rot15 1000" in lines[0]
    assert "[2/3] isolet ..." in captured.err

    mnist = load("mnist_r", tmp_path, tmp_path / "nowhere")  # it is prepared: no mirror is needed
    assert mnist.task_names == ("rot0", "rot15", "rot30", "rot45", "rot60", "rot75")
    assert mnist.matrix.shape == (6000, 256)
    assert (mnist.matrix.min(), mnist.matrix.max()) == (0.0, 1.0)
    by_task = mnist.labels.reshape(6, 1000)
    assert (by_task == by_task[0]).all()  # row i is the same digit in every task
    assert mnist.feature_names[16 * 3 + 5] == "r3c5"

    isolet = load("isolet", tmp_path, mirror)
    np.testing.assert_array_equal(np.diff(isolet.offsets), [1560, 1560, 1560, 1558, 1559])
    assert isolet.matrix.shape[1] == 617
    assert (isolet.matrix.min(), isolet.matrix.max()) == (-1.0, 1.0)
    assert sorted(set(isolet.labels)) == list(range(26))

    amazon = load("amazon_reviews", tmp_path, mirror)
    np.testing.assert_array_equal(np.diff(amazon.offsets), [2000, 1999, 1998, 1999])
    np.testing.assert_allclose(amazon.matrix.sum(axis=1), 1.0, atol=1e-5)
    copies = [2000 - 44, 1999 - 46, 1998 - 36, 1999 - 24]
    rows = np.split(amazon.matrix, amazon.offsets[1:-1])
    assert [len(np.unique(task, axis=0)) for task in rows] == copies


def test_readers_of_tfds_see_the_documented_features(mirror, tmp_path):
    builder = prepare("mnist_r", str(tmp_path), str(mirror))
    (example,) = tfds.as_numpy(builder.as_dataset(split="rot15").take(1))
    assert set(example) == {"x", "label", "task", "id"}
    assert example["task"] == b"rot15"
    assert example["id"] == b"digit000"
    assert builder.info.citation
    assert "same\ndigit in all six tasks" in builder.info.description


@pytest.fixture
def dummy_mirror(tmp_path):
    """A mirror whose files have the right names and the wrong content."""
    for name in ("mnist_r", "isolet", "vlcs"):
        shutil.copytree(HERE / name / "dummy_data", tmp_path / "mirror" / name)
    return tmp_path / "mirror"


def test_a_wrong_file_is_refused_by_name_before_it_is_read(dummy_mirror, tmp_path):
    with pytest.raises(
        UserError, match=r"MNIST_6rot\.pkl\.gz is not the registered file: expected 3852536 bytes"
    ):
        prepare("mnist_r", str(tmp_path / "data"), str(dummy_mirror))
    assert not list((tmp_path / "data").glob("mnist_r/*"))


def test_a_missing_file_is_named_and_nothing_is_downloaded(dummy_mirror, tmp_path):
    (dummy_mirror / "isolet" / "Isolet1.mat").unlink()
    with pytest.raises(UserError, match=r"must hold isolet/Isolet1\.mat, but .* is not there"):
        prepare("isolet", str(tmp_path / "data"), str(dummy_mirror))


def test_the_environment_variable_is_a_mirror_too(dummy_mirror, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(data_builders.MIRROR_VARIABLE, str(dummy_mirror))
    assert build.main(["build", "--datasets=vlcs", f"--data_dir={tmp_path}/data"]) == 0
    assert "12 rows in 4 tasks (voc2007 3, labelme 3" in capsys.readouterr().out
    tasks = load("vlcs", tmp_path / "data", dummy_mirror)
    np.testing.assert_allclose(np.linalg.norm(tasks.matrix, axis=1), 1.0, rtol=1e-5)
    np.testing.assert_array_equal(tasks.labels, [1, 2, 3] * 4)  # from both layouts


def test_vlcs_without_its_files_says_what_to_bring(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv(data_builders.MIRROR_VARIABLE, raising=False)
    arguments = ["build", "--datasets=vlcs", f"--data_dir={tmp_path}"]
    assert build.main(arguments) == 1
    assert "vlcs cannot be downloaded by tffs" in capsys.readouterr().err
    folder = tmp_path / "downloads" / "manual" / "vlcs"
    folder.mkdir(parents=True)
    shutil.copy(HERE / "vlcs" / "dummy_data" / "sun09.mat", folder)
    assert build.main(arguments) == 1
    assert "lacks 'voc2007.mat', 'labelme.mat', 'caltech101.mat'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"not a MATLAB file at all", "must be a MATLAB file up to version 7.2"),
        ((HERE / "amazon_reviews" / "dummy_data" / "books_400.mat").read_bytes(), "rows of 4096 features"),
        ((HERE / "isolet" / "dummy_data" / "Isolet1.mat").read_bytes(), "must hold 'data'"),
    ],
)
def test_a_vlcs_file_of_another_layout_is_named(dummy_mirror, tmp_path, content, message):
    (dummy_mirror / "vlcs" / "sun09.mat").write_bytes(content)
    with pytest.raises(UserError, match=message) as caught:
        prepare("vlcs", str(tmp_path / "data"), str(dummy_mirror))
    assert "sun09.mat" in str(caught.value)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ((), "--datasets must name some of amazon_reviews, digits_r"),
        (("--datasets=mnist",), "but 'mnist' was given"),
        (("--datasets=table",), "but 'table' was given"),
        (("--datasets=digits_r", "isolet"), "but 'isolet' was given"),
        (("--nonsense",), "Unknown command line flag"),
    ],
)
def test_wrong_arguments_of_the_build_command_get_one_sentence(flags, message, capsys):
    assert build.main(["build", *flags]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert message in captured.err


def test_a_killed_build_leaves_nothing_half_built_and_two_at_once_do_not_collide(tmp_path, forks):
    def start():
        return forks.start("data_builders.build", "--datasets=digits_r", f"--data_dir={tmp_path}")

    prepared, building = tmp_path / "digits_r" / "1.0.0", tmp_path / "digits_r"
    killed = start()
    deadline = time.monotonic() + 120
    while not list(building.glob("incomplete.*")) and killed.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    assert not prepared.exists()
    pair = [start(), start()]
    for process in pair:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert "1797 rows in 6 tasks" in out
        assert "Traceback" not in err
    assert prepared.is_dir()
    assert not list(building.glob("incomplete.*"))


def test_every_builder_documents_itself():
    for name in data_builders.available():
        folder = pathlib.Path(data_builders.__file__).parent / name
        for document in ("README.md", "CITATIONS.bib", "TAGS.txt"):
            assert (folder / document).read_text(encoding="utf-8").strip(), (name, document)
        assert (folder / "checksums.tsv").is_file()
