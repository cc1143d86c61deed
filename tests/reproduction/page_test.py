import pathlib
import re
import subprocess
import sys

import pytest

from reproduction import names
from reproduction.page import main, sections
from reproduction.provenance import commands, core_time, provenance, short
from tests.reproduction.made_lines import failed, frame, grid, line, picture, rows_of, run, write

ROOT = pathlib.Path(__file__).parents[2]


def known_figures(folder):
    """Write a small grid of known figures."""
    lines = [
        line(
            "mnist_r",
            method,
            split,
            msre=msre + 0.1 * split,
            ari=40.0 - msre,
            seconds=100.0 + split,
            distinct=10,
        )
        for method, msre in (("ours", 4.0), ("cae_s", 5.0), ("cae_t", 15.0), ("cae_st", 8.0))
        for split in range(5)
    ]
    write(folder, "main", [*lines, failed("isolet", "ours", error="ValueError: too few")])
    write(folder, "main.runs", [run()])
    write(folder, "main.pictures", [picture("ours")])
    return folder


def made(folder):
    """Run the command on a folder; give the exit code and the page."""
    page = folder.parent / "RESULTS.md"
    code = main([f"--results_dir={folder}", f"--page={page}"])
    return code, page.read_text(encoding="utf-8") if page.exists() else None


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    code, text = made(known_figures(tmp_path_factory.mktemp("page") / "results"))
    assert code == 0
    return text


def test_one_command_makes_the_page_and_its_figures(page):
    table = page.partition("### MSRE\n")[2].split("\n\n")[1]
    assert [rows_of(table)[0][column] for column in ("data", "Ours", "CAE-S")] == [
        *("MNIST-r", "**4.200(0.158)**", "5.200(0.158)")
    ]
    assert "![ARI against K](results/figures/ari.png)" in page


def test_every_table_says_where_it_comes_from(page):
    tables = page.partition("## Tables")[2].partition("## What was run")[0]
    assert tables.count("### ") == tables.count(
        "\nFrom `main.jsonl` ([commands](#how-it-was-made)), commit 0123456: "
    )
    assert "50,000 steps, 34.0 core-minutes of training." in tables


def test_what_was_run_and_what_is_missing_is_said(page):
    assert "| MNIST-r |       4 |      5 |   2 |  10 |           20 | 34.0 core-minutes |" in page
    assert (
        "Not run, of the paper's datasets: Isolet, Amazon and VLCS. For VLCS everything is there except" in page
    )
    assert "- **Done**: 20 of 11,880 cells (0 %) of `experiment_main.flags`" not in page  # CAE-T is not in it
    assert "- **Done**: 10 of 11,880 cells (0 %) of `experiment_main.flags`" in page
    assert "ValueError: too few" in page.partition("Failed, and in no table: 1")[2]


def test_differences_come_from_the_data(page):
    section = page.partition("## Where it differs from the paper")[2]
    assert "| MSRE: Ours below CAE-S   | MNIST-r | as in the paper" in section
    assert "4.200 / 5.200 (-19.2 %)" in section
    assert "about as many different features as in the paper (within 5 % of K) in 1 of 1 cases." in section


def test_findings_get_their_figures(tmp_path, page):
    folder = known_figures(tmp_path / "results")
    text = 'A *hand-written* finding: π | {{ two("ours", "cae_s", "mnist_r").apart }}\n'
    (folder / "FINDINGS.md").write_text(text, encoding="utf-8")
    section = "## What was tried\n\nA *hand-written* finding: π | 19.2 % below\n\n"
    with_findings = made(folder)[1]
    assert section in with_findings
    assert with_findings.replace(section, "") == page


def test_findings_that_ask_for_what_there_is_not_are_one_sentence(tmp_path, capsys):
    folder = known_figures(tmp_path / "results")
    (folder / "FINDINGS.md").write_text('{{ mean("ours", "isolet") }}', encoding="utf-8")
    assert made(folder) == (1, None)
    said = capsys.readouterr().err
    assert "FINDINGS.md asks for a figure that there is not: ours has no cell with msre of isolet" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("named", [False, True])
def test_a_new_method_appears_with_at_most_a_line_in_the_names(named, monkeypatch):
    if named:
        monkeypatch.setitem(names.METHODS, "newest", names.Method("Newest", names.BEYOND, "#000000"))
    title = "Newest" if named else "newest"
    lines = frame(
        grid("mnist_r", "msre", {"ours": 4.0, "cae_s": 5.0, "newest": 3.0}, stability=1.0),
        grid("isolet", "msre_unmeasured", {"ours": 4.0, "newest": 3.0}, relative_error=0.04),
    )
    found = {one.title: rows_of(one.table) for one in sections(lines)}
    beyond = [(row["data"], row["metric"], row["Ours"], row[title]) for row in found["Beyond the paper"]]
    assert beyond == [
        ("MNIST-r", "MSRE", "6.000(1.581)", "**5.000(1.581)**"),
        ("Isolet", "MSRE, unmeasured features", "6.000(1.581)", "**5.000(1.581)**"),
        ("Isolet", "relative error", "**0.040(0.000)**", "**0.040(0.000)**"),
    ]
    (against,) = (row for row in found["Pairs in MSRE"] if row["pair"] == f"{title} against Ours")
    assert against["gap"] == "+16.7 %"
    assert found["Stability"][0][title] == "1.00(0.00)"
    assert title not in found["MSRE"][0]


def test_a_folder_without_results_is_one_sentence(tmp_path, capsys):
    assert made(tmp_path / "missing") == (1, None)
    assert capsys.readouterr().err.count("\n") == 1


def test_a_page_that_cannot_be_written_leaves_no_half(tmp_path, capsys):
    folder = known_figures(tmp_path / "results")
    (tmp_path / "RESULTS.md").mkdir()
    assert main([f"--results_dir={folder}", f"--page={tmp_path}/RESULTS.md"]) == 1
    assert "RESULTS.md" in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {"results", "RESULTS.md"}


def test_lines_that_all_failed_still_make_a_page(tmp_path):
    write(tmp_path / "results", "main", [failed("mnist_r", "ours")])
    code, page = made(tmp_path / "results")
    assert code == 0
    assert "There is nothing to compare with the paper's claims yet." in page
    assert "The commands were not recorded." in page


def test_the_page_does_not_wait_for_tensorflow(tmp_path):
    program = (
        "import sys; from reproduction.page import main; "
        f"code = main(['--results_dir={known_figures(tmp_path / 'results')}', '--page={tmp_path}/page.md']); "
        "sys.exit(code or 'tensorflow' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True).returncode == 0


def test_a_table_names_all_its_steps_and_an_unknown_commit():
    lines = frame(
        line("mnist_r", "ours", seconds=1.0, commit=None), line("isolet", "ours", steps=1000, commit=None)
    )
    assert provenance(lines).endswith("commit unknown: 1,000 and 50,000 steps, 1.0 core-seconds of training.")


def test_a_training_that_several_cells_share_counts_once():
    shared = [line("mnist_r", "cae_s", 0, support_size, seconds=20.5) for support_size in (2, 4, 6)]
    apart = [line("mnist_r", "cae_s", 1, seconds=30.0), line("isolet", "cae_s", 0, seconds=20.5)]
    assert core_time(frame(shared)) == "20.5 core-seconds"
    assert core_time(frame(shared, apart)) == "1.2 core-minutes"


def test_commits_are_short_and_keep_their_mark():
    assert short("0123456789ab-dirty") == "0123456-dirty"


def test_bars_in_a_command_do_not_break_the_table_of_commands(tmp_path):
    values = {"file": "main", **run("tffs '--cells=method=ours|cae_s'", wall_seconds=None, cells=None)}
    table = commands(frame().reindex([0]).assign(**{key: [value] for key, value in values.items()}))[1]
    assert "ours\\|cae_s" in table
    assert "not ended" in table


def test_the_installed_packages_do_not_need_the_reproduction():
    packages = [ROOT / name for name in ("tffs", "data_builders", "pipelines")]
    sources = [path for package in packages for path in package.rglob("*.py")]
    assert len(sources) > 200
    assert [
        path
        for path in sources
        if re.search(r"^\s*(from|import) reproduction\b", path.read_text("utf-8"), re.M)
    ] == []
