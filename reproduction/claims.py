"""What the paper claims, and what was found here."""

from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from reproduction import paper
from reproduction.comparison import FEWEST, FEWEST_SPLITS, LEVEL, Comparison, compare, in_papers_grid
from reproduction.names import METRICS, STAND_IN, dataset_name, in_order, joined, method
from tffs import markdown
from tffs.markdown import NOTHING

BETTER, ALIKE, WORSE = "better", "alike", "worse"
DATASETS = (*paper.DATASETS, *STAND_IN)


class Claim(NamedTuple):
    """That one method is better than another, or like it, on a dataset.

    `says` is what the paper has, `printed` its figures as they stand on the page, and `num_selected` the only K
    to look at; None for the paper's grid.
    """

    metric: str
    first: str
    second: str
    says: str
    dataset: str
    printed: str
    num_selected: int | None = None


def _by_dataset(metric: str, first: str, second: str, says: str | None = None) -> Iterator[Claim]:
    """Make claims of a main table: better where only the first is bold, alike where both or neither are."""
    for dataset in DATASETS:
        original = STAND_IN.get(dataset, dataset)
        one, other = paper.MAIN[metric].loc[original, [first, second]]
        bold = one.startswith("*") and not other.startswith("*")
        printed = _pair(metric, METRICS[metric].decimals or 0, paper.mean(one), paper.mean(other))
        printed += "" if original == dataset else f", {dataset_name(original)}"
        yield Claim(metric, first, second, says or (BETTER if bold else ALIKE), dataset, printed)


def _of_means(table: pd.DataFrame, second: str, says: str = BETTER, k: int | None = None) -> Iterator[Claim]:
    """Make claims about Ours in ARI, of a table of means over the four datasets."""
    printed = f"{_pair('ari', 1, *map(paper.mean, table.loc['ari', ['ours', second]]))}, mean of its four"
    for dataset in DATASETS:
        yield Claim("ari", "ours", second, says, dataset, printed, k)


def _pair(metric: str, decimals: int, first: float, second: float) -> str:
    """Write two figures and their difference, for errors in percent of the second."""
    change = f"{first - second:+z.{decimals}f}"
    if metric == "msre":
        change = f"{100.0 * (first - second) / second:+.1f} %"
    return f"{first:z.{decimals}f} / {second:z.{decimals}f} ({change})"


CLAIMS = (
    *_by_dataset("msre", "ours", "cae_s"),
    *_by_dataset("msre", "cae_s", "cae_st", BETTER),
    *_by_dataset("ari", "ours", "cae_s"),
    *_by_dataset("nmi", "ours", "cae_s"),
    *_of_means(paper.ABLATION, "ours_wo_r", ALIKE),
    *_of_means(paper.ABLATION, "ours_wo_alpha"),
    *_of_means(paper.ABLATION_TWO_FEATURES, "ours_wo_r", k=2),
    *_of_means(paper.ABLATION_TWO_FEATURES, "ours_wo_alpha", k=2),
    *(claim for tau in ("0.01", "1", "10") for claim in _of_means(paper.ANNEALING, f"ours_tau{tau}")),
    *_of_means(paper.RANDOMNESS, "ours_wo_noise"),
    *_of_means(paper.SIMULTANEOUS, "cae_st_sim"),
    *(Claim("ari", "ours", "ours_T1", BETTER, dataset, NOTHING) for dataset in DATASETS),
    *(Claim("ari", "ours", "ours_T100", ALIKE, dataset, NOTHING) for dataset in DATASETS),
)


AS_THERE = "as in the paper"
UNDECIDED = f"not decided, fewer than {FEWEST_SPLITS} splits"


def judged(lines: pd.DataFrame) -> list[dict[str, str]]:
    """Hold each claim that can be checked against what was found: a row for each."""
    rows, grid = [], in_papers_grid(lines)
    datasets = set(lines["dataset"])
    for claim in (claim for claim in CLAIMS if claim.dataset in datasets):
        here = grid if claim.num_selected is None else lines[lines["num_selected"] == claim.num_selected]
        comparison = compare(here, claim.dataset, claim.metric, (claim.first, claim.second))
        if len(comparison.had) == 2 and len(comparison.values) >= FEWEST:
            rows.append(_row(claim, comparison))
    return rows


def claims_table(rows: list[dict[str, str]]) -> str:
    """Write the claims beside what was found."""
    return markdown.table(pd.DataFrame(rows), 3)


def claims_sentence(rows: list[dict[str, str]]) -> str:
    """Say how many claims come out on which data, and how many rest on too few splits."""
    decided, open_ = [], []
    for name in dict.fromkeys(row["data"] for row in rows):
        outcomes = [row["outcome"] for row in rows if row["data"] == name]
        undecided = outcomes.count(UNDECIDED)
        if len(outcomes) > undecided:
            decided.append(f"{outcomes.count(AS_THERE)} of {len(outcomes) - undecided} on {name}")
        open_ += [f"{undecided} on {name}"] if undecided else []
    parts = [f"{joined(decided)} come out as in the paper"] if decided else []
    parts += [f"fewer than {FEWEST_SPLITS} splits do not decide {joined(open_)}"] if open_ else []
    return f"Of the paper's claims that these lines can check, {'; '.join(parts)}"


def boldface_sentences(lines: pd.DataFrame) -> list[str]:
    """Say in which main tables Ours is among the best, as it is in all of the paper, and in which not."""
    among, not_among = [], []
    for metric, printed in paper.MAIN.items():
        for dataset in in_order(lines["dataset"]):
            comparison = compare(in_papers_grid(lines), dataset, metric, tuple(printed))
            best = comparison.best() if "ours" in comparison.values else set()
            where = f"{METRICS[metric].title.split()[0]} on {dataset_name(dataset)}"
            if "ours" in best:
                among.append(where)
            elif best:
                not_among.append(
                    f"{where} (there {joined(method(name).title for name in printed if name in best)})"
                )
    starts = {
        "The paper has Ours among the best, in boldface, in all of its main tables. By its test, which is over "
        "cells, so it is here in": among,
        "It is not among the best here in": not_among,
    }
    return [f"{start} {joined(places)}." for start, places in starts.items() if places]


def _outcome(claim: Claim, comparison: Comparison) -> str:
    """Say whether the first method is better, alike or worse, by the paired t-test over split means."""
    p = comparison.split_p_value(claim.first, claim.second)
    if p is None:
        return UNDECIDED
    if p >= LEVEL:
        return ALIKE
    first, second = comparison.split_means[[claim.first, claim.second]].mean()
    return BETTER if (first < second) == METRICS[claim.metric].lower_is_better else WORSE


def _row(claim: Claim, comparison: Comparison) -> dict[str, str]:
    metric, values = METRICS[claim.metric], comparison.values
    word = {BETTER: "below" if metric.lower_is_better else "above", ALIKE: "like"}[claim.says]
    at = "" if claim.num_selected is None else f", K={claim.num_selected}"
    outcome = _outcome(claim, comparison)
    if outcome != UNDECIDED:
        outcome = AS_THERE if outcome == claim.says else f"**{outcome}**, the paper has {claim.says}"
    gains = comparison.split_means[claim.first] - comparison.split_means[claim.second]
    for_it = gains < 0 if metric.lower_is_better else gains > 0
    means = (values[claim.first].mean(), values[claim.second].mean())
    title = metric.title.split()[0]
    return {
        "claim": f"{title}: {method(claim.first).title} {word} {method(claim.second).title}{at}",
        "data": dataset_name(claim.dataset),
        "outcome": outcome,
        "paper": claim.printed,
        "here": _pair(claim.metric, comparison.decimals(claim.first), *means),
        "cells": str(len(values)),
        "p (cells)": comparison.shown_p(claim.first, claim.second),
        "p (splits)": comparison.shown_split_p(claim.first, claim.second),
        "splits for it": f"{for_it.sum()} of {len(gains)}",
    }
