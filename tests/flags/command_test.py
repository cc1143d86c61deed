import dataclasses

import pytest

from tffs.config import Command
from tffs.config.modes import MODES
from tffs.errors import UserError
from tffs.flags import parse
from tffs.flags.definitions import define, every_flag, value_of
from tffs.options import options, sections


def test_every_option_of_the_configuration_is_a_flag_with_its_default():
    values = define()
    for section, _ in sections(Command):
        for option in options(section).values():
            assert value_of(option, values) == option.default


def test_every_flag_is_used_by_a_mode_that_exists():
    for name, (option, modes) in every_flag().items():
        assert modes, name
        assert set(modes) <= set(MODES), name
        assert option.group or name == "mode"


# A valid command of each mode.
COMMANDS = {
    "run": ["--dataset=digits_r"],
    "train": ["--dataset=digits_r"],
    "tune": ["--dataset=digits_r"],
    "prepare": ["--dataset=digits_r"],
    "inspect": ["--table=x.csv"],
    "evaluate": ["--workdir=x"],
    "export": ["--workdir=x"],
    "report": ["--workdir=x"],
    "select": ["--model=x", "--support=x.csv"],
    "reconstruct": ["--model=x", "--values=x.csv"],
    "assess": ["--model=x", "--features=a,b"],
    "serve": ["--model_base_path=x"],
    "experiment": ["--datasets=digits_r"],
}


# Where the default is no value.
VALUES = {
    "method": "concrete",
    "scaling": "none",
    "query_size": 5,
    "dataset": "digits_r",
    "compare": "random",
    "budget": 5,
}


def test_there_is_a_command_for_every_mode():
    assert set(COMMANDS) == set(MODES)


@pytest.mark.parametrize("mode", MODES)
def test_a_flag_on_the_command_line_that_the_mode_does_not_use_is_refused(mode):
    command = ["tffs", f"--mode={mode}", *COMMANDS[mode]]
    assert parse(command).mode == mode
    unused = [name for name, (_, modes) in every_flag().items() if mode not in modes]
    assert unused
    for name in unused:
        value = VALUES.get(name, define()[name].value)
        with pytest.raises(UserError) as refused:
            parse([*command, f"--{name}={','.join(value) if isinstance(value, list) else value}"])
        expected = f"--{name} is not used by --mode={mode}: leave it out."
        of_table = f"--{name} says something about a table, but --table is missing"
        assert str(refused.value).startswith((expected, of_table)), name


@pytest.mark.parametrize(
    ("given", "asked"), [([], None), (["--num_selected=5"], 5), (["--num_selected=auto"], "auto")]
)
def test_a_question_asks_for_any_number_of_features_or_for_the_models_own(given, asked):
    assert parse(["tffs", "--mode=select", "--model=x", *given]).question.num_selected == asked


def test_a_number_of_features_that_is_none_is_refused_in_words_that_fit_the_mode():
    for value in ("0", "many"):
        with pytest.raises(
            UserError, match="--num_selected must be a whole number from 1 to 2147483647, or auto"
        ):
            parse(["tffs", "--mode=select", "--model=x", f"--num_selected={value}"])
    with pytest.raises(UserError, match="--num_selected must be a whole number from 1 to 2147483647, but"):
        parse(["tffs", "--dataset=digits_r", "--num_selected=auto"])


def test_names_with_commas_are_quoted():
    command = parse(["tffs", "--mode=select", "--model=x", '--include=a b,"x,y"', "--exclude=Jitter(%)"])
    assert (command.question.include, command.question.exclude) == (("a b", "x,y"), ("Jitter(%)",))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["--mode=select"], "--mode=select needs --model"),
        (["--mode=select", "--model=x", "--budget=3"], "--budget needs --costs"),
        (
            ["--mode=select", "--model=x", "--costs=c.csv", "--budget=-1"],
            "--budget must be a number from 0.0 to",
        ),
        (["--mode=reconstruct", "--model=x"], "--mode=reconstruct needs --values"),
        (
            ["--mode=reconstruct", "--model=x", "--values=v.csv", "--interval=1"],
            "--interval must be a number above 0",
        ),
        (["--mode=assess", "--model=x"], "--mode=assess needs --features"),
        (["--mode=assess", "--model=x", "--features=a", "--server=h:1"], "--model and --server were given"),
    ],
)
def test_a_question_says_what_it_needs(given, expected):
    with pytest.raises(UserError, match=expected):
        parse(["tffs", *given])


@pytest.mark.parametrize(
    ("flag", "expected"),
    [
        (
            "--support_size=two",
            "--support_size must be a whole number from 1 to 2147483647, but received 'two'.",
        ),
        ("--steps=1e3", "--steps must be a whole number from 1 to 2147483647, but received '1e3'."),
        ("--learning_rate=fast", "--learning_rate must be a number from 1e-30 to 1e+30, but received 'fast'."),
    ],
)
def test_a_value_of_another_kind_is_refused_like_one_out_of_range(flag, expected):
    with pytest.raises(UserError) as refused:
        parse(["tffs", "--dataset=digits_r", flag])
    assert str(refused.value) == expected


def test_a_flag_file_may_hold_flags_for_other_modes(tmp_path):
    (tmp_path / "my.flags").write_text("--num_selected=5\n--trials=3\n")
    command = parse(
        ["tffs", "--mode=select", "--model=x", "--support=x.csv", f"--flagfile={tmp_path}/my.flags"]
    )
    assert command.mode == "select"


def test_an_experiment_takes_its_run_from_the_flags_of_one_table():
    command = parse(["tffs", "--mode=experiment", "--table=a/mine.csv", "--task_column=t", "--steps=7"])
    (name, (run, place)), *others = command.experiment.runs.items()
    assert (name, run.training.steps, place.table.task_column, others) == ("mine", 7, "t", [])
    with pytest.raises(UserError, match="--datasets and --dataset or --table were both given"):
        parse(["tffs", "--mode=experiment", "--datasets=digits_r", "--dataset=digits_r"])


def test_flags_beside_a_grid_hold_for_every_dataset():
    runs = parse(["tffs", "--mode=experiment", "--datasets=digits_r,mnist_r", "--steps=7"]).experiment.runs
    assert {name: run.training.steps for name, (run, _) in runs.items()} == {"digits_r": 7, "mnist_r": 7}


def test_a_command_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        parse(["tffs", "--dataset=digits_r"]).mode = "train"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["--workdir=w"], "--model and --workdir were given, and each says which model is meant: keep one."),
        (["--dataset=digits_r"], "--dataset is not used by --mode=select"),
        (["--server=http://h:1"], "--model and --server were given"),
        (["--model_name=x"], "--model_name is what a server calls a model, but --server is missing"),
    ],
)
def test_one_flag_says_which_model_selects(given, expected):
    with pytest.raises(UserError, match=expected):
        parse(["tffs", "--mode=select", "--model=x", "--support=x.csv", *given])
