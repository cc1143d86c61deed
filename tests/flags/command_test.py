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
    "select": ["--model=x", "--support=x.csv"],
    "serve": ["--model_base_path=x"],
    "experiment": ["--datasets=digits_r"],
}


VALUES = {"scaling": "none", "query_size": 5, "dataset": "digits_r"}  # where the default is no value


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


def test_a_number_of_features_for_a_model_that_has_its_own_is_refused():
    with pytest.raises(UserError, match="--num_selected is not used by --mode=select: leave it out"):
        parse(["tffs", "--mode=select", "--model=x", "--support=x.csv", "--num_selected=5"])


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
