import pytest

from tffs.errors import UserError
from tffs.flags import parse
from tffs.flags.flagfiles import published

DATASET = ["tffs", "--dataset=digits_r"]


@pytest.mark.parametrize(
    ("given", "method"),
    [
        ([], "posterior"),
        (["--mode=train"], "posterior"),
        (["--loss=cross_entropy"], "concrete"),
        (["--mode=tune"], "concrete"),
        (["--distribute=multi_worker"], "concrete"),
        (["--method=concrete"], "concrete"),
        (["--method=posterior", "--loss=reconstruction"], "posterior"),
    ],
)
def test_a_run_that_names_no_method_has_the_one_that_can_do_it(given, method):
    assert parse([*DATASET, *given]).run.method == method


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("--loss=cross_entropy", "--loss=cross_entropy predicts labels, which --method=posterior does not do"),
        ("--mode=tune", "--mode=tune tunes the hyperparameters of a network, which --method=posterior does"),
        ("--distribute=multi_worker", "--distribute=multi_worker trains a network on several workers, which"),
    ],
)
def test_a_named_method_that_cannot_do_it_is_refused(given, sentence):
    with pytest.raises(UserError, match=sentence):
        parse([*DATASET, "--method=posterior", given])


def test_a_table_whose_rows_all_are_learned_from_takes_no_validation():
    table = ["tffs", "--table=t.csv", "--task_column=t", "--validation=task"]
    with pytest.raises(UserError, match="--validation=task was given, but --method=posterior learns from all"):
        parse(table)
    assert parse([*table, "--method=concrete"]).run.data.validation == "task"


def test_the_papers_flag_files_name_the_papers_method():
    single = [name for name in published() if not name.startswith(("experiment_", "digits_r"))]
    assert len(single) == 6
    for name in single:
        command = parse(["tffs", f"--flagfile={name}"])
        assert command.run.method == "concrete"
        assert "method" in command.given, name
    assert "method" not in parse(["tffs", "--flagfile=digits_r.flags"]).given


def test_the_methods_of_a_grid_are_its_own():
    runs = parse(["tffs", "--mode=experiment", "--datasets=digits_r,mnist_r"]).experiment.runs
    assert {run.method for run, _ in runs.values()} == {"concrete"}
    with pytest.raises(UserError, match="--method is decided for every cell of an experiment: use --methods"):
        parse(["tffs", "--mode=experiment", "--dataset=digits_r", "--method=concrete"])


NETWORK = {
    "selection": "unique",
    "embedding_units": 8,
    "selector_dim": 8,
    "pi_stddev": 0.1,
    "decoder_units": 8,
    "task_code_dim": 2,
    "output_activation": "tanh",
    "initial_temperature": 5,
    "final_temperature": 0.1,
    "noise": "off",
}


@pytest.mark.parametrize("name", NETWORK)
@pytest.mark.parametrize("mode", ["run", "train"])
def test_an_option_of_the_network_is_refused_where_another_method_is_fitted(name, mode):
    flag = f"--{name}={NETWORK[name]}"
    with pytest.raises(UserError) as refused:
        parse([*DATASET, f"--mode={mode}", flag])
    assert str(refused.value) == (
        f"--{name} is not used by --method=posterior: leave it out, or give --method=concrete."
    )
    assert parse([*DATASET, f"--mode={mode}", "--method=concrete", flag]).run.method == "concrete"


@pytest.mark.parametrize("name", ["steps", "learning_rate", "validation", "support_size"])
def test_what_both_methods_use_is_taken_by_both(name):
    value = {"learning_rate": "0.01", "validation": "rows"}.get(name, "7")
    for method in ("posterior", "concrete"):
        assert name in parse([*DATASET, f"--method={method}", f"--{name}={value}"]).given


def test_options_of_the_network_are_of_use_where_it_is_compared():
    command = parse([*DATASET, "--compare=concrete,variance", "--selector_dim=8"])
    assert (command.run.method, command.compare) == ("posterior", ("concrete", "variance"))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["--compare=concrete,best"], "--compare must be some of .*, but received 'concrete,best'"),
        (["--compare=variance", "--target_task=none"], "but --target_task=none leaves none out"),
        (["--compare=ls_t", "--loss=cross_entropy"], "--compare=ls_t predicts no labels"),
        (["--compare=variance", "--mode=train"], "--compare is not used by --mode=train"),
    ],
)
def test_methods_that_cannot_be_compared_are_refused(given, sentence):
    with pytest.raises(UserError, match=sentence):
        parse([*DATASET, *given])


TABLE = ["tffs", "--table=mine.csv", "--task_column=t"]


@pytest.mark.parametrize(
    ("command", "target", "validation"),
    [
        (TABLE, "folds", "rows"),
        ([*TABLE, "--target_task=none"], "none", "rows"),
        ([*TABLE, "--target_task=a"], "a", "task"),
        ([*TABLE, "--method=concrete"], None, "task"),
        ([*TABLE, "--mode=tune"], None, "task"),
        ([*TABLE, "--mode=experiment"], None, "task"),
        ([*TABLE, "--loss=cross_entropy", "--label_column=l"], None, "task"),
        (DATASET, None, "task"),
        ([*DATASET, "--target_task=folds"], "folds", "rows"),
    ],
)
def test_a_table_is_measured_in_folds_unless_a_target_is_named_or_the_network_is_trained(
    command, target, validation
):
    data = parse(command).run.data
    assert (data.target_task, data.validation, data.folds) == (target, validation, 5)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ([*TABLE, "--folds=3", "--target_task=a"], "but --target_task=a decides what is left out"),
        ([*TABLE, "--folds=3", "--target_task=none"], "but --target_task=none decides what is left out"),
        ([*DATASET, "--folds=3"], "but the target that is drawn for a dataset decides"),
        ([*TABLE, "--folds=3", "--method=concrete"], "--folds is not used by --method=concrete: leave it out"),
        ([*DATASET, "--folds=3", "--mode=tune"], "--folds is not used by --mode=tune: .* --tune_folds"),
        ([*TABLE, "--folds=1"], "--folds must be a whole number from 2 to 1000, but received 1"),
        (
            [*TABLE, "--target_task=folds", "--method=concrete"],
            "--target_task=folds leaves every task out once",
        ),
    ],
)
def test_folds_that_nothing_is_done_with_are_refused(command, sentence):
    with pytest.raises(UserError, match=sentence):
        parse(command)
    assert parse([*TABLE, "--folds=3"]).run.data.folds == 3


def test_a_flag_file_may_hold_options_of_other_methods(tmp_path):
    (tmp_path / "my.flags").write_text("--dataset=digits_r\n--selector_dim=8\n")
    assert parse(["tffs", f"--flagfile={tmp_path}/my.flags"]).run.method == "posterior"


def test_a_trained_run_is_named_by_flags_of_its_own_method():
    assert parse(["tffs", "--mode=evaluate", "--workdir=x", "--selector_dim=8"]).mode == "evaluate"
