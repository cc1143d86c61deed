"""The page of a grid: its methods side by side, for each dataset, K and N_S."""

from collections.abc import Collection, Mapping
from typing import Any

import pandas as pd

from tffs import markdown
from tffs.evaluation.figures import METRICS, Metric
from tffs.experiments.grid import Cell
from tffs.markdown import NOTHING

SECONDS = Metric("seconds", "seconds", "{:.3g}")
COLUMNS = {"relative_error": METRICS["relative_error"], **METRICS, "seconds": SECONDS}
ALWAYS = ("relative_error", "distinct", "seconds")  # the others only where a method has them
MOST_FAILURES = 10

READING = """\
Each figure is a mean over splits, with the standard deviation over splits in brackets, on the rows of a
held-out task outside its support. Compare methods with the same number of splits.

- *error*: the squared error of the reconstruction as a share of that of always answering the source
  tasks' mean. 0 % is perfect, 100 % is no better than the mean. Methods are sorted by it, the best first.
- *MSRE*: the same error, summed over features, in scaled units; *not measured*: the part of it on features
  that were not selected.
- *distinct*: how many different features were selected.
- *ARI* and *NMI*: how well K-means on the selected features finds the labels. *accuracy*: of the predicted
  labels. Higher is better.
- *seconds*: of fitting, with one thread."""


def experiment_page(
    name: str,
    command: str,
    cells: Collection[Cell],
    done: Mapping[Cell, dict[str, Any]],
    failed: Mapping[Cell, str],
) -> str:
    """Write the page.

    Args:
        name: of the experiment.
        command: the last that worked on it.
        cells: of the whole grid.
        done: the lines of those that are done.
        failed: why others failed.
    """
    parts = [
        f"# {name}",
        f"{len(done)} of {len(cells)} cells are done, {len(failed)} failed. Last command: `{command}`",
        READING,
    ]
    lines = pd.DataFrame(done.values()).reindex(columns=[*Cell.__dataclass_fields__, *COLUMNS])
    lines = lines.astype(dict.fromkeys(COLUMNS, float))
    for (dataset, k, support_size), group in lines.groupby(["dataset", "num_selected", "support_size"]):
        parts += [f"## {dataset}, K = {k}, N_S = {support_size}", markdown.table(_methods(group))]
    if failed:
        reasons = [f"- {cell}: {why}" for cell, why in failed.items()]
        more = [f"- and {len(reasons) - MOST_FAILURES} more"] if len(reasons) > MOST_FAILURES else []
        parts += ["## Failed", "\n".join(reasons[:MOST_FAILURES] + more)]
    return "\n\n".join(parts) + "\n"


def _methods(lines: pd.DataFrame) -> pd.DataFrame:
    """Give a row of texts a method."""
    methods = lines.groupby("method", sort=False)
    means, spreads = methods[[*COLUMNS]].mean(), methods[[*COLUMNS]].std()
    table = pd.DataFrame({"method": means.index, "splits": methods["split"].nunique()}, index=means.index)
    for name, metric in COLUMNS.items():
        if name in ALWAYS or means[name].notna().any():
            pairs = zip(means[name], spreads[name], strict=True)
            table[metric.title] = [_shown(metric, mean, spread) for mean, spread in pairs]
    return table.loc[means.sort_values(["relative_error", "msre"], kind="stable").index]


def _shown(metric: Metric, mean: float, spread: float) -> str:
    if pd.isna(mean):
        return NOTHING
    return metric.shown(mean) + ("" if pd.isna(spread) else f" ({metric.shown(spread)})")
