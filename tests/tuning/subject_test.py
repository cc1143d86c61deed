import pytest

from tffs import flags
from tffs.errors import UserError
from tffs.tuning.role import Role, role_of
from tffs.tuning.search_space import read_space
from tffs.tuning.subject import claim, search_differences, subject_of
from tffs.workdir import Workdir

GIVEN = ("--mode=tune", "--dataset=digits_r", "--steps=300")


def subject(*more):
    command = flags.parse(["tffs", *GIVEN, *more])
    space = read_space(command.tune.search_space, command.run)
    return subject_of(command.tune, space, command.run)


@pytest.mark.parametrize(
    ("more", "names"),
    [
        (["--tuner=random"], "--tuner=bayesian (now random)"),
        (["--steps=400"], "--steps=300 (now 400)"),
        (["--tune_folds=2"], "--tune_folds=1 (now 2)"),
        (["--seed=1", "--decoder_units=8"], "--seed=0 (now 1), --decoder_units=32,32 (now 8)"),
        (["--workers=3", "--trials=50", "--threads=2"], ""),
    ],
)
def test_another_search_is_refused_by_what_differs(more, names):
    found = search_differences(subject(), subject(*more))
    assert sorted(found.split(", ")) == sorted(names.split(", "))


def test_flags_that_nobody_gave_are_not_named_beside_one_that_differs():
    drawn = {**subject("--seed=1"), "run": {**subject("--seed=1")["run"], "target_task": "rot30"}}
    assert search_differences(subject(), drawn, {"seed"}) == "--seed=0 (now 1)"


def test_a_search_of_0_6_0_goes_on():
    now = subject("--tune_folds=2")
    run = {name: value for name, value in now["run"].items() if name not in ("method", "folds")}
    older = {**{name: value for name, value in now.items() if name != "tune_folds"}, "folds": 2, "run": run}
    assert search_differences(older, now) == ""
    assert search_differences(older, subject()) == "--tune_folds=2 (now 1)"


def test_hyperband_plans_by_the_number_of_trials():
    one, other = subject("--tuner=hyperband", "--trials=10"), subject("--tuner=hyperband", "--trials=20")
    assert search_differences(one, other) == "--trials=10 (now 20)"


def test_another_space_is_refused_by_the_tables_that_differ(tmp_path):
    (tmp_path / "a.toml").write_text("[learning_rate]\nlow=0.1\nhigh=1\n[noise]\nchoices=['on']")
    (tmp_path / "b.toml").write_text("[learning_rate]\nlow=0.2\nhigh=1")
    spaces = [subject(f"--search_space={tmp_path}/{name}.toml") for name in "ab"]
    workdir = Workdir(str(tmp_path / "run"))
    claim(workdir, spaces[0], ())
    claim(workdir, spaces[0], ())
    with pytest.raises(UserError) as caught:
        claim(workdir, spaces[1], ())
    assert "[learning_rate] of --search_space=low=0.1 high=1.0 scale=linear (now low=0.2" in str(caught.value)
    assert "[noise] of --search_space=choices=on (now none)" in str(caught.value)


def test_a_table_goes_by_its_content():
    one = subject()
    tables = [{**one, "run": {**one["run"], "dataset": f"table/{name}"}} for name in ("a-1", "b-1", "a-2")]
    assert search_differences(tables[0], tables[1]) == ""
    assert search_differences(tables[0], tables[2]).startswith("another --table, or one that has changed since")


def test_the_folder_of_a_training_is_not_that_of_a_search(finished):
    with pytest.raises(UserError, match="the folder of a training and not of a search"):
        claim(finished, subject(), ())


def test_the_environment_says_which_part_a_process_plays():
    address = {"KERASTUNER_ORACLE_IP": "10.0.0.1", "KERASTUNER_ORACLE_PORT": "8000"}
    assert role_of({"KERASTUNER_TUNER_ID": "tuner0"}) is None
    assert role_of({**address, "KERASTUNER_TUNER_ID": "chief"}).is_chief
    assert role_of({**address, "KERASTUNER_TUNER_ID": "tuner1"}) == Role("tuner1", "10.0.0.1:8000")
    with pytest.raises(UserError, match="needs KERASTUNER_TUNER_ID, which is empty or not set"):
        role_of(address)
    with pytest.raises(UserError, match="needs KERASTUNER_ORACLE_IP, which is empty or not set"):
        role_of({**address, "KERASTUNER_TUNER_ID": "a", "KERASTUNER_ORACLE_IP": ""})
    for port in ("http", "0", "65536", "-1"):
        with pytest.raises(
            UserError, match=f"must be a port such as 8000, from 1 to 65535, but received '{port}'"
        ):
            role_of({**address, "KERASTUNER_TUNER_ID": "a", "KERASTUNER_ORACLE_PORT": port})
