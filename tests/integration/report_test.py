"""Every run ends with a report, and a new task gets one."""

import os
import pathlib
import re
import shutil

import numpy as np
import pytest

from tests.data_builders.table.files import write
from tests.integration.left_out_test import QUICK, rows_of, text_of
from tffs.workdir import Workdir


@pytest.fixture(scope="module")
def workdir(run_main, tmp_path_factory):
    rng = np.random.default_rng(3)
    folder = tmp_path_factory.mktemp("reported")
    table = write(
        folder / "machines.csv", text_of({f"m{number}": rows_of(rng, 30, number) for number in range(5)})
    )
    flags = (f"--table={table}", "--task_column=machine", *QUICK, f"--workdir={folder / 'run'}")
    outcome = run_main(*flags, "--residual=off")
    assert outcome.code == 0, outcome.err
    assert "report.html" in outcome.out
    return Workdir(str(folder / "run"))


@pytest.fixture(scope="module")
def support(workdir, tmp_path_factory):
    path = tmp_path_factory.mktemp("support") / "new.csv"
    text = text_of({"new": rows_of(np.random.default_rng(5), 3, 2.0)})
    path.write_text("\n".join(line.partition(",")[2] for line in text.splitlines()) + "\n", encoding="utf-8")
    return path


def text(path):
    return pathlib.Path(path).read_text("utf-8")


def without_pictures(page):
    return re.sub("<svg.*?</svg>", "", page, flags=re.DOTALL)  # whose lines differ by rounding


def test_a_run_ends_with_a_report_that_says_how_to_repeat_it(workdir):
    page = text(workdir.file("report.html"))
    assert "The model was checked on 5 tasks" in page
    assert "--table=machines.csv" in page
    assert "--task_column=machine" in page
    assert os.path.dirname(workdir.path) not in page  # whose folders are nobody's business


def test_a_report_is_written_again_from_the_folder_alone(workdir, run_main, tmp_path):
    copy = Workdir(str(tmp_path / "copy"))
    shutil.copytree(workdir.path, copy.path)
    before = text(copy.file("report.html"))
    os.remove(copy.file("report.html"))
    outcome = run_main("--mode=report", f"--workdir={copy.path}")
    assert outcome.code == 0, outcome.err
    assert outcome.out.strip() == copy.file("report.html")
    assert without_pictures(text(copy.file("report.html"))) == without_pictures(before)


def test_a_new_task_gets_a_report(workdir, support, run_main, tmp_path):
    page = tmp_path / "new.html"
    asked = ("--mode=select", f"--model={workdir.path}", f"--support={support}", f"--report={page}")
    outcome = run_main(*asked, "--num_selected=3", "--exclude=rpm")
    assert outcome.code == 0, outcome.err
    assert f"The report is in {page}." in outcome.err
    assert "Not to be measured, and only inferred: rpm." in text(page)
    assert "The model was checked on 5 tasks" in text(page)
    rows = tmp_path / "rows.html"
    assert run_main(*asked[:-1], f"--report={rows}", "--report_rows").code == 0
    assert "The rows</h3>" in text(rows)
    assert "The rows</h3>" not in text(page)


def test_an_export_without_its_run_has_a_report_without_what_was_measured(workdir, support, run_main, tmp_path):
    shutil.copytree(workdir.exports, tmp_path / "moved")
    page = tmp_path / "new.html"
    outcome = run_main(
        "--mode=select", f"--model={tmp_path / 'moved'}", f"--support={support}", f"--report={page}"
    )
    assert outcome.code == 0, outcome.err
    assert "No task was left out" in text(page)


def test_the_papers_network_has_a_report(finished):
    page = text(finished.file("report.html"))
    assert "answers for no other number" in page
    assert "The validated loss over the steps of the training." in page
    assert "of the error was left." in page


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--mode=report",), "--mode=report needs --workdir"),
        (("--mode=report", "--workdir=NOWHERE"), "holds no run"),
        (("--mode=select", "--model=WORKDIR", "--report_rows"), "--report is missing"),
        (("--mode=select", "--model=WORKDIR", "--report=NOWHERE/page.html"), "could not be written"),
    ],
)
def test_mistakes_get_one_sentence(workdir, run_main, tmp_path, arguments, sentence):
    places = {"NOWHERE": str(tmp_path / "nowhere"), "WORKDIR": workdir.path}
    for name, place in places.items():
        arguments = tuple(argument.replace(name, place) for argument in arguments)
    outcome = run_main(*arguments)
    assert outcome.code == 1
    assert sentence in outcome.err
    assert os.listdir(tmp_path) == []


def test_figures_by_count_of_another_run_are_refused(workdir, run_main, tmp_path):
    copy = Workdir(str(tmp_path / "copy"))
    shutil.copytree(workdir.path, copy.path)
    stored = copy.read_json("by_count.json")
    copy.write_json("by_count.json", {**stored, "counts": stored["counts"][:-1]})
    outcome = run_main("--mode=report", f"--workdir={copy.path}")
    assert outcome.code == 1
    assert "by_count.json is not what tffs writes (it does not fit result.json): delete it" in outcome.err
    os.remove(copy.file("by_count.json"))
    assert run_main("--mode=report", f"--workdir={copy.path}").code == 0


def test_a_budget_that_buys_nothing_has_nothing_to_report(workdir, support, run_main, tmp_path):
    costs = tmp_path / "costs.csv"
    costs.write_text('feature,cost\nheat,9\n"load, avg",9\nrpm,9\nnoise,9\nstill,9\n', encoding="utf-8")
    asked = ("--mode=select", f"--model={workdir.path}", f"--support={support}", f"--costs={costs}")
    outcome = run_main(*asked, "--budget=1", f"--report={tmp_path / 'page.html'}")
    assert outcome.code == 1
    assert "The budget of 1 buys no feature" in outcome.err
    assert not (tmp_path / "page.html").exists()


def test_a_run_that_was_not_measured_has_nothing_to_report(workdir, run_main, tmp_path):
    copy = Workdir(str(tmp_path / "copy"))
    shutil.copytree(workdir.path, copy.path)
    os.remove(copy.file("result.json"))
    outcome = run_main("--mode=report", f"--workdir={copy.path}")
    assert outcome.code == 1
    assert "measure the run with --mode=evaluate first" in outcome.err
