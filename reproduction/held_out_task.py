"""How the figures depend on the task that a split holds out."""

import pandas as pd

from reproduction import paper
from reproduction.comparison import FEWEST_SPLITS, Comparison, compare_all, whole_splits
from reproduction.level import level
from reproduction.names import dataset_name, in_order, method
from reproduction.pairs import gap
from reproduction.section import Section, once
from tffs import markdown
from tffs.markdown import NOTHING

PAIR = ("ours", "cae_s")
BESIDE = ("ours_fan_in", "ours_wo_r", "posterior")


def by_held_out_task(grid: pd.DataFrame) -> Section | None:
    """Make the table, with a note on each dataset."""
    rows, used, notes = [], [grid[:0]], []
    for dataset in in_order(grid["dataset"]):
        comparison = compare_all(grid, dataset, "msre", PAIR)
        if comparison is None:
            continue
        used.append(comparison.used)
        values = whole_splits(comparison.values)
        by_task = values.groupby("target_task").mean()
        splits = values.reset_index().groupby("target_task")["split"].nunique()
        decimals = comparison.decimals("ours")
        for task, means in by_task.iterrows():
            figures = [f"{means[name]:.{decimals}f}" for name in PAIR]
            figures += [gap(means["ours"], means["cae_s"]), *_others(grid, dataset, str(task))]
            rows.append([dataset_name(dataset), task, str(splits[task]), *figures])
        printed = [paper.mean(paper.MSRE.loc[dataset, name]) for name in PAIR]
        shown = [f"*{figure:.3f}*" for figure in printed]
        rows.append(["*paper*", "all", str(paper.SPLITS), *shown, gap(*printed), *[NOTHING] * len(BESIDE)])
        notes.append(f"{_range(dataset, by_task['ours'], splits, decimals)} {_levels(comparison)}")
    if not rows:
        return None
    titles = {name: method(name).title for name in (*PAIR, *BESIDE)}
    columns = ["data", "held-out task", "splits", *map(titles.get, PAIR), "gap", *map(titles.get, BESIDE)]
    return Section(
        "The held-out task",
        "MSRE by the task that a split holds out, over the N_S and K that most splits have, in splits that "
        "have all of them. Which task a split holds out is drawn at random, here as in the paper, so 20 "
        "splits do not weigh the tasks equally. The last columns are each over the cells that the method "
        "shares with Ours, as a share of Ours there. Below: how far the paper's means are from those here, in "
        "standard errors of the difference, if its splits vary as ours do; and how many of all draws of "
        f"{paper.SPLITS} targets come as far, up to the paper's rounding, by the means for each task alone.",
        markdown.table(pd.DataFrame(rows, columns=columns), 2),
        once(used),
        notes,
    )


def _others(grid: pd.DataFrame, dataset: str, task: str) -> list[str]:
    """Write the errors of other methods on a task as shares of that of Ours on the same cells."""
    here, shares = grid[grid["target_task"] == task], []
    for name in BESIDE:
        comparison = compare_all(here, dataset, "msre", ("ours", name))
        if comparison is None:
            shares.append(NOTHING)
        else:
            means = comparison.values.mean()
            shares.append(f"{100.0 * means[name] / means['ours']:.0f} %")
    return shares


def _range(dataset: str, means: pd.Series, splits: pd.Series, decimals: int) -> str:
    """Say how far the tasks lie apart, and what their mean is."""
    low, high = means.idxmin(), means.idxmax()
    return (
        f"- {dataset_name(dataset)}: Ours from {means[low]:.{decimals}f} ({low}) to {means[high]:.{decimals}f} "
        f"({high}); {means.mean():.{decimals}f} if every task counts the same, "
        f"{(means * splits).sum() / splits.sum():.{decimals}f} as the splits weigh them."
    )


def _levels(comparison: Comparison) -> str:
    """Say how far the paper's means are from those here."""
    said = []
    for name in PAIR:
        wanted = paper.mean(paper.MSRE.loc[comparison.dataset, name])
        found = level(comparison.values[name], wanted)
        if found is None:
            return f"Fewer than {FEWEST_SPLITS} splits do not say how far off the paper's means are."
        said.append(f"{method(name).title} {wanted:g}, {found.away} (draws as far: {found.drawn})")
    return f"The paper's means: {'; '.join(said)}."
