import pathlib
import re

import pytest

from reproduction import paper

PRINTED = {"MNIST-r": "mnist_r", "Isolet": "isolet", "Amazon": "amazon_reviews", "VLCS": "vlcs"}
PRINTED |= {"ARI": "ari", "NMI": "nmi"}


@pytest.fixture(scope="module")
def source():
    path = pathlib.Path(__file__).parents[3] / "shared" / "paper.tex"
    if not path.is_file():
        pytest.skip(f"the paper's source is not at {path}")
    return path.read_text(encoding="utf-8")


def printed(source, label):
    """Give the header and the rows of the table with this label."""
    table = source.partition(f"\\label{{table:{label}}}")[2].partition("\\end{tabular}")[0]
    _, header, *body = table.split("\\hline")
    rows = [row for part in body for row in part.split("\\\\") if row.strip()]
    return header, [[cell.strip() for cell in row.split("&")] for row in rows]


def cells(row):
    return [re.sub(r"\*\*(.*)\*\*", r"\\textbf{\1}", figure) for figure in row]


@pytest.mark.parametrize(
    ("label", "table"),
    [
        ("recon", paper.MSRE),
        ("ari", paper.ARI),
        ("nmi", paper.NMI),
        ("t5ded", paper.DISTINCT),
        ("anneal", paper.ANNEALING),
        ("rand", paper.RANDOMNESS),
        ("ad_comp", paper.SIMULTANEOUS),
    ],
)
def test_every_figure_is_the_papers(source, label, table):
    rows = {PRINTED[name]: cells for name, *cells in printed(source, label)[1]}
    assert {name: cells(row) for name, row in table.iterrows()} == rows


def test_every_figure_of_the_ablation_is_the_papers(source):
    _, rows = printed(source, "t6")
    assert [row[0] for row in rows] == ["ARI", "NMI", "ARI ($K=2$)", "NMI ($K=2$)"]
    tables = (*paper.ABLATION.to_numpy(), *paper.ABLATION_TWO_FEATURES.to_numpy())
    assert [cells(row) for row in tables] == [row[1:] for row in rows]


def test_every_computation_time_is_the_papers(source):
    (training,), (selecting,) = paper.SECONDS.to_numpy(), paper.SELECT_SECONDS.to_numpy()
    assert printed(source, "comp")[1] == [[training[0], *selecting, *training[1:]]]


@pytest.mark.parametrize(
    ("label", "columns"),
    [
        ("recon", paper.MSRE),
        ("ari", paper.ARI),
        ("nmi", paper.NMI),
        ("ad_comp", paper.SIMULTANEOUS),
    ],
)
def test_columns_are_in_the_papers_order(source, label, columns):
    names = re.findall(r"(?:Ours|CAE|LS|SPEC)[\w-]*", printed(source, label)[0])
    assert [name.lower().replace("-", "_") for name in names] == list(columns)


def test_columns_of_the_deduplication_are_the_papers_k():
    assert tuple(paper.DISTINCT) == paper.NUM_SELECTED


def test_a_figure_has_its_boldface_and_gives_its_mean():
    assert paper.MSRE.loc["isolet", "ours"] == "**39.441(6.179)**"
    assert paper.mean("**39.441(6.179)**") == 39.441
