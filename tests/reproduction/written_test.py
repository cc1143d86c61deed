"""What a person wrote for the page, held against the results that it is about."""

import pathlib

import numpy as np
import pytest
from scipy import stats

from reproduction.findings import filled
from reproduction.lines import load_lines

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(scope="module")
def everything():
    lines = load_lines(str(ROOT / "results"))
    return lines[lines["ok"]]


@pytest.fixture(scope="module")
def lines(everything):
    """Take the errors that the paper averages over, of as many splits."""
    everything = everything[everything["split"] < 20]
    sizes = everything["num_selected"].between(10, 50) & everything["support_size"].isin([2, 4, 6])
    return everything[sizes & everything["msre"].notna()]


@pytest.fixture(scope="module")
def findings(everything):
    text = (ROOT / "results" / "FINDINGS.md").read_text(encoding="utf-8")
    return [" ".join(part.split()) for part in filled(text, everything, "FINDINGS.md").split("\n- **")]


@pytest.mark.parametrize(
    ("start", "method", "datasets"),
    [
        ("Leaving r(S) out", "ours_wo_r", ["mnist_r", "isolet", "amazon_reviews"]),
        ("MNIST-r: r(S) is what makes Ours worse", "ours_wo_r", ["mnist_r"]),
        ("Where the gain comes from instead", "cae_s_indirect", ["mnist_r"]),
    ],
)
def test_the_findings_say_which_tasks_a_partial_run_holds_out(findings, lines, start, method, datasets):
    (finding,) = (part for part in findings if part.startswith(start))
    for dataset in datasets:
        run = lines[(lines["method"] == method) & (lines["dataset"] == dataset)]
        tasks = run.groupby("target_task")["split"].nunique()
        *first, last = (f"{task} in {count}" for task, count in tasks.items())
        assert (f"{', '.join(first)} and {last}" if first else last) in finding


@pytest.mark.parametrize(
    ("dataset", "papers", "explained"),
    [("mnist_r", 4.258, False), ("isolet", 39.441, False), ("amazon_reviews", 0.056, True)],
)
def test_the_findings_say_what_the_draw_of_the_targets_explains(findings, lines, dataset, papers, explained):
    (finding,) = (part for part in findings if part.startswith("Which tasks are held out"))
    ours = lines[(lines["method"] == "ours") & (lines["dataset"] == dataset)]
    means = ours.groupby("split")["msre"].mean()
    spread = means.std()
    found = stats.ttest_ind_from_stats(papers, spread, 20, means.mean(), spread, len(means))
    side = "above" if papers > means.mean() else "below"
    assert f"{papers:g}" in finding
    assert f"{abs(found.statistic):.1f} standard errors {side}" in finding
    assert (found.pvalue > 0.05) == explained
    drawn = np.random.default_rng(0).choice(ours.groupby("target_task")["msre"].mean(), (100_000, 20)).mean(1)
    as_far = drawn >= papers - 0.0005 if papers > drawn.mean() else drawn <= papers + 0.0005
    assert (as_far.mean() > 0.05) == explained
    explains, _, does_not = finding.partition("It does not explain the others")
    assert f"{papers:g}" in (explains if explained else does_not)


def test_the_findings_say_how_many_splits_of_rot0_give_the_papers_means(everything):
    rows = everything[(everything["dataset"] == "mnist_r") & everything["num_selected"].between(10, 50)]
    later = rows[rows["split"].isin([25, 35])]
    for method, papers, splits in (("ours", 4.258, 3), ("cae_s", 4.459, 5)):
        drawn = rows[(rows["method"] == method) & (rows["split"] < 20)]["msre"]
        rot0 = later[later["method"] == method]
        assert set(rot0["target_task"]) == {"rot0"}
        assert len(rot0) == 2 * 3 * 5
        means = [drawn.mean() + count / 20 * (rot0["msre"].mean() - drawn.mean()) for count in range(7)]
        assert int(np.abs(np.subtract(means, papers)).argmin()) == splits
