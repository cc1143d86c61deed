"""VLCS through its published flags, on made files of its shape: the real ones have to be brought by hand."""

import os
import re
import shutil

import numpy as np
import pytest
import scipy.io

from tffs.workdir import Workdir

FEATURES, ROWS = 4096, 15
FILES = ("VOC2007", "LabelMe", "Caltech101", "SUN09")
TASKS = tuple(name.lower() for name in FILES)
SHORT = ("--mode=train", "--steps=4", "--eval_every=2", "--jit=off", "--threads=1")


@pytest.fixture(scope="module")
def brought(tmp_path_factory):
    """A folder as a person brings it: features of length one, in both layouts, of collections that differ."""
    rng, folder = np.random.default_rng(0), tmp_path_factory.mktemp("brought") / "vlcs"
    folder.mkdir()
    common = rng.normal(size=(5, FEATURES))
    for number, name in enumerate(FILES):
        x = rng.normal(size=(ROWS, 5)) @ common + rng.normal(size=FEATURES) + rng.normal(size=(ROWS, FEATURES))
        x = np.maximum(x, 0.0)  # as after a rectified layer
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        labels = rng.permutation(np.arange(ROWS) % 5 + 1)[:, None]
        apart = {"fts": x, "labels": labels}
        arrays = apart if number % 2 else {"data": np.hstack([x, labels])}
        scipy.io.savemat(folder / f"{name}.mat", arrays, do_compression=True)
    return folder.parent


@pytest.fixture(scope="module")
def vlcs(brought, tmp_path_factory):
    """The flags of a run on these files, which are prepared once."""
    return (
        "--flagfile=vlcs.flags",
        f"--data_mirror={brought}",
        f"--data_dir={tmp_path_factory.mktemp('data')}",
    )


def test_the_papers_method_runs_by_the_published_flags(vlcs, run_main, tmp_path):
    workdir = Workdir(f"{tmp_path}/run")
    done = run_main(*vlcs, *SHORT, f"--workdir={workdir.path}")
    assert done.code == 0, done.err
    assert f"of {FEATURES} features" in done.err
    config = workdir.read_json("config.json")
    assert (config["embedding_units"], config["decoder_units"]) == (512, [256, 256])
    assert config["target_task"] in TASKS


def test_the_posterior_runs_by_the_published_flags(vlcs, run_main, tmp_path):
    workdir = Workdir(f"{tmp_path}/run")
    command = (*vlcs, "--method=posterior", "--residual=off", "--mode=train", "--threads=1")
    done = run_main(*command, f"--workdir={workdir.path}")
    assert done.code == 0, done.err
    config = workdir.read_json("config.json")
    assert (config["method"], config["target_task"] in TASKS) == ("posterior", True)
    assert os.path.getsize(workdir.file("model.keras")) > 8 * FEATURES


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        (None, "lacks 'sun09.mat'"),
        ({"data": np.ones((3, FEATURES))}, r"'data' must be \[rows, 4097\], .* but is \[3, 4096\]"),
        ({"fts": np.ones((3, 1000)), "labels": np.ones((3, 1))}, r"rows of 4096 features .* has \[3, 1000\]"),
        (
            {"fts": np.full((3, FEATURES), np.nan), "labels": np.ones((3, 1))},
            "sun09.mat must hold finite numbers",
        ),
    ],
)
def test_files_that_are_not_vlcs_are_one_sentence(arrays, said, brought, run_main, tmp_path):
    shutil.copytree(brought, tmp_path / "brought")
    wrong = tmp_path / "brought" / "vlcs" / "SUN09.mat"
    wrong.unlink()
    if arrays is not None:
        scipy.io.savemat(wrong.with_name("sun09.mat"), arrays)
    flags = (f"--data_mirror={tmp_path}/brought", f"--data_dir={tmp_path}/data", f"--workdir={tmp_path}/run")
    refused = run_main("--flagfile=vlcs.flags", *SHORT, *flags)
    assert refused.code == 1
    assert [line[:5] for line in refused.err.splitlines()] == ["Loadi", "tffs:"]
    assert re.search(said, refused.err), refused.err
