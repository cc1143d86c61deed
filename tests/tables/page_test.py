import subprocess
import sys

import pytest

from tests.tables.lines import failed, line, picture, run, write
from tffs.main import main


def known_figures(folder):
    """Write a small grid of known figures."""
    lines = [
        line(
            *("mnist_r", method, split),
            **{"msre": msre + 0.1 * split, "ari": 40.0 - msre, "seconds": 100.0 + split, "distinct": 10},
        )
        for method, msre in (("ours", 4.0), ("cae_s", 5.0), ("cae_t", 15.0), ("cae_st", 8.0))
        for split in range(5)
    ]
    write(folder, "main", [*lines, failed("isolet", "ours", error="ValueError: too few")])
    write(folder, "main.runs", [run()])
    write(folder, "main.pictures", [picture("ours")])
    return folder


def tables(folder):
    """Run --mode=tables on a folder; give the exit code and the page."""
    page = folder.parent / "RESULTS.md"
    code = main(["tffs", "--mode=tables", f"--results_dir={folder}", f"--results_page={page}"])
    return code, page.read_text(encoding="utf-8") if page.exists() else None


@pytest.fixture
def folder(tmp_path):
    return known_figures(tmp_path / "results")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return tables(known_figures(tmp_path_factory.mktemp("page") / "results"))[1]


def test_one_command_makes_the_page_and_its_figures(folder, capsys):
    code, page = tables(folder)
    assert code == 0
    assert "| MNIST-r |      5 | 5 of 5 | **4.200(0.158)** | 5.200(0.158) |" in page
    assert "![ARI against K](results/figures/ari.png)" in page
    written = [path.strip() for path in capsys.readouterr().out.splitlines()[1:]]
    assert written[0] == str(folder.parent / "RESULTS.md")
    assert sorted(written[1:]) == sorted(map(str, (folder / "figures").iterdir()))
    assert len(written) == 5


def test_every_table_says_where_it_comes_from(page):
    tables = page.partition("## Tables")[2].partition("## Figures")[0]
    assert tables.count("### ") == tables.count("\nMade by `python -m tffs.main --flagfile=") == 5
    assert "commit 0123456, on two cores" in tables
    assert "Rests on 5 splits; 34.0 core-minutes of training" in tables


def test_what_is_missing_is_said(page):
    assert "Not run: Isolet, Amazon and VLCS." in page
    assert "Not made, as nothing was run for it: NMI [%]; Ablation; Annealing;" in page
    assert "Not drawn, as nothing was run for it: NMI against K; Dependence on T." in page
    assert "- Ours on Isolet, N_S = 2, K = 10, split 0: ValueError: too few" in page


def test_what_a_reader_must_know_is_said(page):
    text = " ".join(page.split())
    assert "row i is the same digit in all six tasks" in text
    assert "with fewer than five cells nothing is bold" in text
    assert "fine-tuned for 1000 steps at the temperature where the annealing ended, 0.01" in text
    assert "chosen on the test data, as the paper did: those of the highest ARI, whose NMI is given too" in text
    assert "scikit-feature's own order, as the paper did, which sorts the scores the wrong way round" in text
    assert "`LS-T` and `SPEC-T` go through scikit-feature itself" in text


def test_differences_come_from_the_data(page):
    section = page.partition("## Where it differs from the paper")[2]
    assert "| MSRE: Ours below CAE-S   | MNIST-r | as in the paper" in section
    assert "4.200 / 5.200 (-19.2 %)" in section
    assert "- MNIST-r: 10.0 of 10 (paper 10.0); like the paper's." in section


def test_findings_are_included_as_they_are(folder, page):
    (folder / "FINDINGS.md").write_text("A *hand-written* finding: π | 0.05\n", encoding="utf-8")
    section = "## What was tried\n\nA *hand-written* finding: π | 0.05\n\n"
    with_findings = tables(folder)[1]
    assert section in with_findings
    assert with_findings.replace(section, "") == page


def test_a_folder_without_results_is_one_sentence(tmp_path, capsys):
    assert tables(tmp_path / "missing") == (1, None)
    assert capsys.readouterr().err.count("\n") == 1


def test_a_page_that_cannot_be_written_leaves_no_half(folder, capsys):
    page = folder.parent / "missing" / "RESULTS.md"
    assert main(["tffs", "--mode=tables", f"--results_dir={folder}", f"--results_page={page}"]) == 1
    assert "RESULTS.md could not be" in capsys.readouterr().err
    assert not list(folder.parent.glob(".tffs-tmp-*"))


def test_lines_that_all_failed_still_make_a_page(tmp_path):
    write(tmp_path / "results", "main", [failed("mnist_r", "ours")])
    code, page = tables(tmp_path / "results")
    assert code == 0
    assert "There is nothing to set beside the paper's claims yet." in page


def test_tables_do_not_wait_for_tensorflow(folder):
    program = (
        "import sys; from tffs.main import main; "
        f"code = main(['tffs', '--mode=tables', '--results_dir={folder}', '--results_page={folder}/page.md']); "
        "sys.exit(code or 'tensorflow' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True).returncode == 0
