"""The table of README.md: how methods compare on the paper's data, from `results/`."""

import pandas as pd

from docs.making.blocks import ROOT
from reproduction.comparison import compare, in_papers_grid
from reproduction.lines import load_lines
from reproduction.names import DATASETS
from tffs.markdown import table

METHODS = {
    "posterior": "tffs (`posterior`)",
    "ours": "the paper's network (`concrete`)",
    "cae_s": "concrete autoencoder",
    "greedy": "greedy, all rows",
    "variance": "highest variance",
    "random": "random",
}
SHOWN = ("mnist_r", "isolet", "amazon_reviews", "pacs_features")


def comparison() -> str:
    """Write the mean test MSRE over the cells that all methods have, as a share of the network's."""
    lines = in_papers_grid(load_lines(str(ROOT / "results")))
    columns = {"method": list(METHODS.values())}
    for dataset in SHOWN:
        values = compare(lines, dataset, "msre", list(METHODS)).values
        means = values.mean()
        columns[f"{DATASETS[dataset]} ({len(values)} cells)"] = [
            f"{100 * means[name] / means['ours']:.0f} %" for name in METHODS
        ]
    return table(pd.DataFrame(columns))
