"""From flags to a pipeline's configuration."""

import os

import pytest

from pipelines.configs import LOCAL_BEAM, Bars, Modules, from_arguments, help_text
from tffs.errors import UserError


def _config(*flags):
    return from_arguments(["pipelines", *(flags or ("--dataset=digits_r",))])


def test_everything_is_below_the_root_unless_told_otherwise(tmp_path):
    config = _config("--dataset=digits_r", f"--pipeline_root={tmp_path}")
    places = (config.input, config.serving, config.artifacts, config.metadata)
    assert places == tuple(
        os.path.join(tmp_path, name) for name in ("input", "serving", "artifacts", "metadata.db")
    )
    assert config.writes_input
    assert config.bars == Bars()
    assert config.modules == Modules()
    assert not config.tunes
    assert config.schema is None


def test_flags_of_the_pipeline_and_of_the_run_go_together(tmp_path):
    (tmp_path / "t.py").write_text("")
    config = _config(
        "--dataset=digits_r",
        "--steps=30",
        "--max_relative_error=0.7",
        "--min_distinct=4",
        "--max_regression=0.1",
        "--draws=2",
        "--pipeline_name=mine",
        f"--trainer_module={tmp_path}/t.py",
        f"--input={tmp_path}/in",
        "--serving_dir=gs://bucket/serving",
    )
    assert config.run.training.steps == 30
    assert config.bars == Bars(0.7, 4.0, 0.1)
    assert (config.draws, config.name) == (2, "mine")
    assert config.modules == Modules(trainer=f"{tmp_path}/t.py")
    assert (config.input, config.writes_input) == (f"{tmp_path}/in", False)
    assert config.serving == "gs://bucket/serving"


def test_flag_files_may_hold_both_kinds(tmp_path):
    (tmp_path / "mine.flags").write_text(
        "--dataset=digits_r\n--steps=30\n--draws=3\n--held_out_tasks=rot0,rot15\n"
    )
    config = _config(f"--flagfile={tmp_path}/mine.flags", "--steps=40")
    assert (config.run.training.steps, config.draws) == (40, 3)
    assert config.held_out == ("rot0", "rot15")


def test_flag_files_may_hold_flags_for_other_programs_and_the_command_line_may_not(tmp_path):
    (tmp_path / "mine.flags").write_text("--dataset=digits_r\n--port=1\n--trials=3\n--workdir=runs/mine\n")
    assert _config(f"--flagfile={tmp_path}/mine.flags").run.data.dataset == "digits_r"
    for flag, sentence in (
        ("--port=1", "--port is not used in a pipeline: leave it out."),
        ("--workdir=runs/mine", "--workdir is not used in a pipeline: leave it out."),
        ("--trials=3", "--trials is not used without --tune: leave it out."),
    ):
        with pytest.raises(UserError, match=f"^{sentence}$"):
            _config("--dataset=digits_r", flag)
    with pytest.raises(UserError, match="--workers is not used in a pipeline"):
        _config("--dataset=digits_r", "--tune", "--workers=2")


def test_paths_are_those_of_the_folder_where_the_command_was_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert _config("--dataset=digits_r", "--pipeline_root=here").root == str(tmp_path / "here")


def test_the_run_holds_no_task_out_because_the_splits_do():
    assert _config().run.data.target_task == "none"
    assert _config().held_out == ()
    config = _config("--dataset=digits_r", "--target_task=rot30")
    assert config.run.data.target_task == "none"
    assert config.held_out == ("rot30",)


def test_the_scaling_is_settled_by_the_kind_of_data():
    assert _config().run.data.scaling == "none"
    assert _config("--table=mine.csv", "--task_column=t").run.data.scaling == "standard"
    assert _config("--dataset=digits_r", "--scaling=standard").run.data.scaling == "standard"


def test_records_that_are_brought_need_neither_a_dataset_nor_a_table(tmp_path):
    config = _config(f"--input={tmp_path}", "--num_selected=3")
    assert not config.writes_input
    assert config.run.data.dataset is None
    assert config.run.data.scaling == "standard"


def test_a_search_has_its_tuner_trials_and_space():
    config = _config("--dataset=digits_r", "--tune", "--tuner=bayesian", "--trials=7")
    assert (config.tune.tuner, config.tune.trials) == ("bayesian", 7)
    assert config.tunes
    assert {part.flag for part in config.space} >= {"learning_rate"}


def test_the_posterior_learns_from_all_source_tasks_unless_another_method_is_named():
    for place in ("--dataset=digits_r", "--table=mine.csv"):
        assert _config(place).run.method == "posterior"
        assert _config(place, "--method=concrete").run.method == "concrete"
    with pytest.raises(
        UserError, match="--validation_task=rot0 was given, but --method=posterior learns from all"
    ):
        _config("--dataset=digits_r", "--validation_task=rot0")


@pytest.mark.parametrize("flag", ["--tune", "--distribute=multi_worker"])
def test_what_only_the_papers_network_can_do_implies_it(flag):
    assert _config("--dataset=digits_r", flag).run.method == "concrete"
    sentence = f"{flag.split('=')[0]} trains the paper's network, but received --method=posterior: "
    with pytest.raises(UserError, match=sentence):
        _config("--dataset=digits_r", flag, "--method=posterior")


def test_beam_runs_here_unless_a_runner_is_chosen():
    assert _config().beam_pipeline_args == LOCAL_BEAM
    option = "--beam_pipeline_args=--direct_num_workers=2"
    assert _config("--dataset=digits_r", option).beam_pipeline_args == (*LOCAL_BEAM, "--direct_num_workers=2")
    options = ("--beam_pipeline_args=--runner=FlinkRunner", "--beam_pipeline_args=--parallelism=4")
    assert _config("--dataset=digits_r", *options).beam_pipeline_args == (
        "--runner=FlinkRunner",
        "--parallelism=4",
    )


def test_an_option_of_beam_may_have_commas():
    option = "--beam_pipeline_args=--experiments=one,two"
    assert _config("--dataset=digits_r", option).beam_pipeline_args[-1] == "--experiments=one,two"


def test_a_mistake_in_either_kind_of_flag_is_one_sentence():
    for flags, sentence in (
        (("--dataset=digits_r", "--draws=x"), "--draws must be a whole number from 1 to .*, but received 'x'"),
        (("--dataset=digits_r", "--pipeline_root=a*"), "--pipeline_root must be a path without any of"),
        (("--dataset=digits_r", "--steps=0"), "--steps"),
        (("--steps=3",), "--dataset or --table is missing"),
    ):
        with pytest.raises(UserError, match=sentence):
            _config(*flags)


def test_help_lists_every_flag_in_lines_that_fit():
    lines = help_text("pipelines.local_runner").splitlines()
    assert all(len(line) <= 110 for line in lines)
    assert not any("   " in line.strip() for line in lines)
    for name in ("--input", "--schema", "--held_out_tasks", "--beam_pipeline_args", "--trainer_module"):
        assert any(line.startswith(f"  {name}: ") for line in lines)
