import pathlib
import re

import pytest

from tffs.tables import paper

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


def cell(figure):
    return f"\\textbf{{{figure.text}}}" if figure.bold else figure.text


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
    assert {name: [cell(figure) for figure in row.values()] for name, row in table.items()} == rows


def test_every_figure_of_the_ablation_is_the_papers(source):
    _, rows = printed(source, "t6")
    assert [row[0] for row in rows] == ["ARI", "NMI", "ARI ($K=2$)", "NMI ($K=2$)"]
    tables = (*paper.ABLATION.values(), *paper.ABLATION_TWO_FEATURES.values())
    assert [[cell(figure) for figure in row.values()] for row in tables] == [row[1:] for row in rows]


def test_every_computation_time_is_the_papers(source):
    assert printed(source, "comp")[1] == [[figure.text for figure in paper.SECONDS.values()]]


@pytest.mark.parametrize(
    ("label", "columns"),
    [
        ("recon", paper.MSRE["vlcs"]),
        ("ari", paper.ARI["vlcs"]),
        ("nmi", paper.NMI["vlcs"]),
        ("ad_comp", paper.SIMULTANEOUS["ari"]),
        ("comp", paper.SECONDS),
    ],
)
def test_columns_are_in_the_papers_order(source, label, columns):
    names = re.findall(r"(?:Ours|CAE|LS|SPEC)[\w-]*", printed(source, label)[0])
    assert [name.lower().replace("-", "_") for name in names] == list(columns)


def test_columns_of_the_deduplication_are_the_papers_k():
    assert all(tuple(map(int, row)) == paper.NUM_SELECTED for row in paper.DISTINCT.values())


def test_gaps_are_those_the_text_speaks_of():
    gaps = [round(paper.msre_gap(dataset), 1) for dataset in paper.DATASETS]
    assert gaps == [4.5, 8.2, 13.8, 6.9]


def test_a_figure_knows_its_mean_and_its_boldface():
    figure = paper.MSRE["isolet"]["ours"]
    assert (figure.mean, figure.shown) == (39.441, "**39.441(6.179)**")
    assert paper.DISTINCT["amazon_reviews"]["10"].mean == 6.8
