"""What a task that none of the twenty splits holds out would change, from later splits that do."""

import math

import pandas as pd

from reproduction import paper
from reproduction.comparison import Comparison, compare_all, is_drawn
from reproduction.names import dataset_name, in_order, joined, method
from reproduction.pairs import gap
from reproduction.section import Section, once
from tffs import markdown

PAIR = ("ours", "cae_s")
BESIDE = ("ours_wo_r", "greedy", "posterior")
MOST = 6  # of twenty splits that the task is put into


def by_undrawn_task(grid: pd.DataFrame) -> Section | None:
    """Make the table; None where there are no splits beyond the paper's number."""
    drawn, later = _alike(grid)
    rows, used, notes = [], [grid[:0]], []
    for dataset in in_order(later["dataset"]):
        here, there = (compare_all(part, dataset, "msre", PAIR) for part in (drawn, later))
        if here is None or there is None:
            continue
        used += [here.used, there.used]
        task = joined(sorted(there.values.index.unique("target_task")))
        shares = {"none, as drawn": 0.0, **{str(n): n / paper.SPLITS for n in range(1, MOST + 1)}, "all": 1.0}
        for count, share in shares.items():
            mixed = [mixture(here.values[name], there.values[name], share) for name in PAIR]
            means, spreads = zip(*mixed, strict=True)
            figures = [f"{mean:.{here.decimals('ours')}f}" for mean in (*means, *spreads)]
            rows.append([dataset_name(dataset), task, count, *figures[:2], gap(*means), *figures[2:]])
        rows.append(_printed(dataset))
        said, beside = _others(later, there, task)
        notes.append(said)
        used += beside
    if not rows:
        return None
    titles = [method(name).title for name in PAIR]
    deviations = [f"{one}, deviation" for one in titles]
    columns = ["data", "task", f"splits of {paper.SPLITS}", *titles, "gap", *deviations]
    return Section(
        "A task that no split holds out",
        f"A draw of {paper.SPLITS} targets may miss a task. Later splits that hold it out were run for this "
        "table: the MSRE of Ours and CAE-S, and its standard deviation over cells, if so many of the "
        f"{paper.SPLITS} splits held the task out, and the others were as they are.",
        markdown.table(pd.DataFrame(rows, columns=columns), 3),
        once(used),
        notes,
    )


def mixture(drawn: pd.Series, later: pd.Series, share: float) -> tuple[float, float]:
    """Give the mean and the standard deviation over cells if `share` of them were as the later ones."""
    mean = (1.0 - share) * drawn.mean() + share * later.mean()
    square = (1.0 - share) * (drawn**2).mean() + share * (later**2).mean()
    return mean, math.sqrt(square - mean**2)


def _alike(grid: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Take the twenty splits, and those after them that hold out another task, of the same N_S and K."""
    drawn, later = grid[is_drawn(grid)], grid[~is_drawn(grid)]
    seen = pd.MultiIndex.from_frame(drawn[["dataset", "target_task"]])
    later = later[~pd.MultiIndex.from_frame(later[["dataset", "target_task"]]).isin(seen)]
    sizes = ["dataset", "method", "support_size", "num_selected"]
    there = pd.MultiIndex.from_frame(later[sizes])
    return drawn[pd.MultiIndex.from_frame(drawn[sizes]).isin(there)], later


def _printed(dataset: str) -> list[str]:
    figures = [paper.MSRE.loc[dataset, name].strip("*").rstrip(")").split("(") for name in PAIR]
    means, spreads = zip(*figures, strict=True)
    return [
        *("*paper*", "all", "not said", *(f"*{mean}*" for mean in means)),
        *(gap(*map(float, means)), *(f"*{spread}*" for spread in spreads)),
    ]


def _others(later: pd.DataFrame, pair: Comparison, task: str) -> tuple[str, list[pd.DataFrame]]:
    """Say what other methods do where the task is held out, and which lines say so."""
    said, used = [], []
    for name in BESIDE:
        comparison = compare_all(later, pair.dataset, "msre", ("ours", name))
        if comparison is not None:
            ours, other = comparison.values[["ours", name]].mean()
            decimals = comparison.decimals(name)
            said.append(f"{method(name).title} {other:.{decimals}f} (Ours there: {ours:.{decimals}f})")
            used.append(comparison.used)
    splits = joined(map(str, sorted(pair.values.index.unique("split"))))
    sizes = f"N_S = {pair.sizes('support_size')}, K = {pair.sizes('num_selected')}"
    text = f"- {dataset_name(pair.dataset)}, {task}: splits {splits}, {sizes}."
    return text + (f" {joined(said)}." if said else ""), used
