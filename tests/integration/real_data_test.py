"""The real files, where they are: the README's example, the stand-in for VLCS, the published runs."""

import json

import pytest

from tffs.workdir import Workdir

VOICE = (
    "--task_column=subject#",
    "--ignore_columns=age,sex,test_time,motor_UPDRS,total_UPDRS",
)
SHORT = ("--steps=20", "--eval_every=10", "--jit=off", "--threads=1")


def test_parkinsons_goes_through_as_a_user_would_do_it(mirror, run_main, tmp_path):
    table = f"--table={mirror}/parkinsons/parkinsons_updrs.data"
    seen = run_main("--mode=inspect", table, *VOICE)
    assert seen.code == 0
    assert "5875 rows, 42 tasks, 16 features" in seen.out
    assert "Jitter(%)" in seen.out
    workdir = Workdir(f"{tmp_path}/run")
    given = ("--method=concrete", "--scaling=minmax", "--num_selected=5", "--target_task=42")
    command = (table, *VOICE, *SHORT, *given, f"--workdir={workdir.path}")
    done = run_main(*command)
    assert done.code == 0, done.err
    assert "--scaling=standard weighs features equally" in done.err
    result = workdir.read_json("result.json")
    assert result["target_task"] == "42"
    header = (mirror / "parkinsons" / "parkinsons_updrs.data").read_text(encoding="utf-8").splitlines()[0]
    assert set(result["selected"]) <= set(header.split(",")[6:])
    support = f"--support={workdir.file('support.csv')}"
    answer = json.loads(run_main("--mode=select", f"--model={workdir.path}", support, "--format=json").out)
    assert [chosen["name"] for chosen in answer["selected"]] == result["selected"]


def test_pacs_features_go_through_their_published_flags(mirror, run_main, tmp_path):
    workdir = Workdir(f"{tmp_path}/run")
    done = run_main(
        "--flagfile=pacs_features.flags",
        f"--data_mirror={mirror}",
        *SHORT,
        "--embedding_units=16",
        "--decoder_units=16",
        f"--workdir={workdir.path}",
    )
    assert done.code == 0, done.err
    result = workdir.read_json("result.json")
    assert result["target_task"] in ("art_painting", "cartoon", "photo", "sketch")
    assert result["ari"] is not None  # it has labels
    config = workdir.read_json("config.json")
    assert (config["scaling"], config["output_activation"]) == ("minmax", "sigmoid")


@pytest.mark.parametrize(
    ("name", "features", "activation", "validation", "target"),
    [
        ("mnist_r", 256, "sigmoid", "task", "rot75"),
        ("isolet", 617, "tanh", "task", None),
        ("amazon_reviews", 400, "sigmoid", "rows", "books"),
    ],
)
def test_published_runs_train_on_the_real_data(
    name, features, activation, validation, target, mirror, run_main, tmp_path, monkeypatch
):
    monkeypatch.setenv("TFFS_DATA_MIRROR", str(mirror))
    workdir = Workdir(f"{tmp_path}/run")
    done = run_main(f"--flagfile={name}.flags", "--mode=train", *SHORT, f"--workdir={workdir.path}")
    assert done.code == 0, done.err
    config = workdir.read_json("config.json")
    assert (config["output_activation"], config["validation"], config["scaling"]) == (
        activation,
        validation,
        "none",
    )
    assert (config["support_size"], config["query_size"]) == (2, 62)
    assert target in (None, config["target_task"])
    assert f"of {features} features" in done.err
