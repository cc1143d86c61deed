import json
import os
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

from tffs.errors import UserError
from tffs.estimator.fit_table import fit_table, run_table, table_command
from tffs.flags import parse
from tffs.serving.exported_model import ExportedModel
from tffs.workdir import Workdir

TASKS, FEATURES = 6, 5


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A table of tasks in which x1 to x4 follow from x0."""
    rng = np.random.default_rng(0)
    tasks = np.repeat(np.arange(TASKS), 20)
    x0 = rng.normal(size=len(tasks))
    frame = pd.DataFrame({f"x{i}": (i + 1) * x0 + 0.1 * rng.normal(size=len(tasks)) for i in range(FEATURES)})
    frame.insert(0, "machine", [f"m{task}" for task in tasks])
    frame["kind"] = "a"
    path = tmp_path_factory.mktemp("table") / "machines.csv"
    frame.to_csv(path, index=False)
    return str(path)


@pytest.fixture
def given(table, data_dir):
    """Make the command of some parameters."""

    def command(**parameters):
        return table_command(
            table, "machine", parameters.pop("workdir", None), {"data_dir": data_dir, **parameters}
        )

    return command


def test_parameters_make_the_command_of_their_flags(table, given, data_dir):
    flags = (
        *("--num_selected=2", "--seed=3", "--scaling=minmax", "--missing=median", "--folds=3"),
        *("--ignore_columns=kind", "--method=posterior", "--residual=off", "--workdir=w"),
    )
    assert given(
        n_features_to_select=np.int64(2),
        random_state=3,
        scaling="minmax",
        missing="median",
        folds=3,
        ignore_columns=pd.Index(["kind"]),
        method="posterior",
        method_params={"residual": "off"},
        checkpoint_dir="w",
    ) == parse(["tffs", f"--table={table}", "--task_column=machine", f"--data_dir={data_dir}", *flags])


def test_the_folder_of_a_run_is_named_after_the_table(given):
    assert given(ignore_columns=["kind"]).workdir == "runs/machines"


@pytest.mark.parametrize(("wanted", "number"), [(3, 3), (0.5, 2), (0.01, 1), ("auto", 5), (None, 5)])
def test_a_share_is_of_the_features_and_the_default_is_at_most_all_of_them(given, wanted, number):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        command = given(n_features_to_select=wanted, ignore_columns=["kind"])
    assert command.run.model.num_selected == number


def test_more_features_than_there_are_is_all_with_a_warning(given):
    with pytest.warns(UserWarning, match="n_features_to_select=9 is greater than n_features=5"):
        assert given(n_features_to_select=9, ignore_columns=["kind"]).run.model.num_selected == 5


def test_fewer_than_two_folds_measure_nothing(given):
    assert given(folds=0, ignore_columns=["kind"]).run.data.target_task == "none"


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"num_selected": 3}, "fit_table has no parameter 'num_selected': it is called n_features_to_select."),
        ({"steps": 9}, "fit_table has no parameter 'steps': put it into method_params."),
        (
            {"n_features": 3},
            r"fit_table has no parameter 'n_features': it has path, task_column, workdir, .*\.",
        ),
        ({"threads": 3}, r"fit_table has no parameter 'threads': it has .*"),
        ({"method_params": {"depth": 3}}, "method_params has 'depth', which is none of .*"),
        ({"method_params": 3}, "method_params must be a dict of names and values, but received 3."),
        ({"random_state": -1}, "random_state must be a whole number from 0 to .*, but received -1."),
        ({"scaling": "robust"}, "scaling must be one of minmax, standard, none, but received 'robust'."),
        ({"ignore_columns": "kind"}, "ignore_columns must be a list of texts, but received 'kind'."),
        ({"method": "greedy"}, "method must be one of .*, but received 'greedy'."),
        ({"n_features_to_select": "few"}, "n_features_to_select must be .* Received: 'few'."),
        (
            {"method_params": {"pi_stddev": 1.0}},
            r"method_params\['pi_stddev'\] is not used by method='posterior': leave it out, or give .*",
        ),
        ({"workdir": "a", "checkpoint_dir": "b"}, "workdir and checkpoint_dir were both given, .*"),
        ({"feature_weights": [1.0]}, "feature_weights are not taken by fit_table: .*"),
    ],
)
def test_a_wrong_parameter_is_named_in_a_sentence(table, parameters, sentence):
    with pytest.raises(UserError, match=f"^{sentence}$"):
        run_table(table, "machine", **parameters)


def test_a_table_without_its_task_column_is_told_so_in_python(table):
    with pytest.raises(UserError, match=r"^path='.*machines.csv' needs task_column: the column that says"):
        run_table(table)


PROGRAM = """
import json, signal, sys
from tffs.estimator.fit_table import run_table
handler = signal.getsignal(signal.SIGTERM)
run_table(**json.loads(sys.argv[1]))
assert signal.getsignal(signal.SIGTERM) is handler
"""


@pytest.fixture(scope="module")
def python_run(table, data_dir, tmp_path_factory):
    """What a whole run from Python is called with, and what its process ended with."""
    workdir = str(tmp_path_factory.mktemp("runs") / "python")
    parameters = {
        **{"path": table, "task_column": "machine", "workdir": workdir, "data_dir": data_dir},
        **{"n_features_to_select": 2, "ignore_columns": ["kind"], "method_params": {"residual": "off"}},
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(parameters)], capture_output=True, text=True, check=False
    )
    return parameters, done


def test_a_table_is_run_as_the_command_line_does_and_in_silence(python_run, table, run_main, tmp_path):
    parameters, done = python_run
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    flags = (f"--table={table}", "--task_column=machine", "--num_selected=2", "--ignore_columns=kind")
    assert run_main("--mode=train", *flags, "--residual=off", f"--workdir={tmp_path}").code == 0
    assert run_main("--mode=evaluate", f"--workdir={tmp_path}").code == 0
    assert _result(parameters["workdir"]) == _result(tmp_path)
    assert len(ExportedModel(Workdir(parameters["workdir"]).exports).select(None)) == 2


def test_a_run_is_not_done_twice_and_another_is_refused(python_run, capsys):
    parameters, _ = python_run
    other = r"made with n_features_to_select=2 \(now 3\): choose another workdir, or give the parameters of"
    with pytest.raises(UserError, match=other):
        run_table(**{**parameters, "n_features_to_select": 3})
    capsys.readouterr()
    run_table(**parameters, verbose=1)
    assert "python is trained already; nothing to train." in capsys.readouterr().err


def test_the_selector_of_a_table_has_the_parameters(python_run):
    parameters, _ = python_run
    selector = fit_table(**parameters, exclude=["x0"])
    assert selector.get_params()["n_features_to_select"] == 2
    assert selector.get_params()["random_state"] == 0
    assert "x0" not in list(selector.get_feature_names_out())
    assert len(selector.task_errors_) > 1


def _result(folder):
    """Read the figures of a run, without the times."""
    with open(os.path.join(folder, "result.json"), encoding="utf-8") as file:
        result = json.load(file)
    return {name: value for name, value in result.items() if "seconds" not in name}
