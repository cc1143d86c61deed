"""What the paper claims, and what came out here."""

import dataclasses
from collections.abc import Sequence

from tffs.tables import paper
from tffs.tables.comparison import FEWEST, Comparison, compare, in_papers_grid
from tffs.tables.counts_and_times import distinct_counts, mean_counts
from tffs.tables.gap import shown_p
from tffs.tables.main_tables import METHODS
from tffs.tables.markdown import NOTHING, decimals_of, table
from tffs.tables.names import METRICS, STAND_IN, dataset_name, in_order, joined, method_name
from tffs.tables.records import Result
from tffs.tables.variants import with_default_t

LEVEL = 0.05
BETTER, ALIKE, WORSE = "better", "alike", "worse"
NEAR = 0.05  # a mean count within this share of K is like the paper's


@dataclasses.dataclass(frozen=True)
class Claim:
    """That one method is better than another, or like it.

    Attributes:
        metric: its name.
        first: a method.
        second: another.
        says: whether the paper has the first `better` or both `alike`.
        dataset: where the paper shows it; None where it shows means over its four datasets.
        num_selected: the K it is about; None for the paper's grid.
        printed: the paper's two figures; None where it only has a picture.
    """

    metric: str
    first: str
    second: str
    says: str
    dataset: str | None = None
    num_selected: int | None = None
    printed: tuple[float, float] | None = None


def _by_dataset(metric: str, first: str, second: str) -> list[Claim]:
    """Make a claim of the main tables: better where only the first is bold, alike where both or neither are."""
    claims = []
    for dataset, row in paper.MAIN[metric].items():
        says = BETTER if row[first].bold and not row[second].bold else ALIKE
        printed = (row[first].mean, row[second].mean)
        claims.append(Claim(metric, first, second, says, dataset, None, printed))
    return claims


def _of_means(
    printed: dict[str, paper.PaperRow], second: str, says: str = BETTER, k: int | None = None
) -> Claim:
    """Make a claim about Ours in ARI, of a table of means over the four datasets."""
    row = printed["ari"]
    return Claim("ari", "ours", second, says, None, k, (row["ours"].mean, row[second].mean))


CLAIMS = (
    *_by_dataset("msre", "ours", "cae_s"),
    *(dataclasses.replace(claim, says=BETTER) for claim in _by_dataset("msre", "cae_s", "cae_st")),
    *_by_dataset("ari", "ours", "cae_s"),
    *_by_dataset("nmi", "ours", "cae_s"),
    _of_means(paper.ABLATION, "ours_wo_r", ALIKE),
    _of_means(paper.ABLATION, "ours_wo_alpha"),
    _of_means(paper.ABLATION_TWO_FEATURES, "ours_wo_r", k=2),
    _of_means(paper.ABLATION_TWO_FEATURES, "ours_wo_alpha", k=2),
    *(_of_means(paper.ANNEALING, f"ours_tau{tau}") for tau in ("0.01", "1", "10")),
    _of_means(paper.RANDOMNESS, "ours_wo_noise"),
    _of_means(paper.SIMULTANEOUS, "cae_st_sim"),
    Claim("ari", "ours_T300", "ours_T1", BETTER),
    Claim("ari", "ours_T300", "ours_T100", ALIKE),
)


def claims_table(results: Sequence[Result]) -> str | None:
    """Write each claim that can be looked at beside what came out, or None where there is none."""
    results = with_default_t(results)
    rows = []
    for claim in CLAIMS:
        for dataset in _datasets(claim):
            comparison = _compared(results, claim, dataset)
            if comparison is not None:
                rows.append(_row(claim, comparison))
    if not rows:
        return None
    header = ["claim", "data", "outcome", "paper", "here", "cells", "p", "splits for it"]
    return table(header, rows, 3)


def outcome(claim: Claim, comparison: Comparison) -> str:
    """Say what came out: the first method better, alike or worse, by the paired t-test."""
    first, second = comparison.mean(claim.first), comparison.mean(claim.second)
    if comparison.p_value(claim.first, claim.second) >= LEVEL:
        return ALIKE
    return BETTER if (first < second) == bool(METRICS[claim.metric].lower_is_better) else WORSE


def boldface_sentences(results: Sequence[Result]) -> list[str]:
    """Say in which main tables Ours is among the best, as it is in all of the paper, and in which not."""
    among, not_among = [], []
    for metric, methods in METHODS.items():
        for dataset in in_order({result.dataset for result in results}):
            comparison = compare(results, dataset, metric, methods, in_papers_grid)
            best = comparison.best() if comparison else set()
            where = f"{METRICS[metric].title.split()[0]} on {dataset_name(dataset)}"
            if comparison is None or not best or "ours" not in comparison.values:
                continue
            if "ours" in best:
                among.append(where)
            else:
                names = joined([method_name(method) for method in methods if method in best])
                not_among.append(f"{where} (there {names})")
    return [
        f"{start} {joined(places)}."
        for start, places in (
            ("The paper has Ours among the best in all of its main tables. So it is here in", among),
            ("It is not among the best here in", not_among),
        )
        if places
    ]


def distinct_sentences(results: Sequence[Result]) -> list[str]:
    """Set the numbers of different features beside the paper's, one sentence a dataset."""
    sentences = []
    for dataset, comparison in distinct_counts(results).items():
        if dataset not in paper.DISTINCT:
            continue
        parts, differs = [], []
        for size, mean in mean_counts(comparison).items():
            if size in paper.NUM_SELECTED:
                printed = paper.DISTINCT[dataset][str(size)].mean
                parts.append(f"{mean:.1f} of {size} (paper {printed:.1f})")
                if abs(mean - printed) > NEAR * size:
                    differs.append(f"{'more' if mean > printed else 'fewer'} at K = {size}")
        if parts:
            verdict = f"not like the paper's: {joined(differs)}" if differs else "like the paper's"
            sentences.append(f"{dataset_name(dataset)}: {', '.join(parts)}; {verdict}.")
    return sentences


def _datasets(claim: Claim) -> list[str]:
    """List the datasets to look at: the claim's, or the paper's four, each with what stands in for it."""
    originals = paper.DATASETS if claim.dataset is None else (claim.dataset,)
    return in_order({*originals, *(dataset for dataset, other in STAND_IN.items() if other in originals)})


def _compared(results: Sequence[Result], claim: Claim, dataset: str) -> Comparison | None:
    def where(result: Result) -> bool:
        if claim.num_selected is None:
            return in_papers_grid(result)
        return result.num_selected == claim.num_selected

    comparison = compare(results, dataset, claim.metric, (claim.first, claim.second), where)
    usable = comparison is not None and len(comparison.values) == 2 and len(comparison.cells) >= FEWEST
    return comparison if usable else None


def _row(claim: Claim, comparison: Comparison) -> list[str]:
    metric, pair = METRICS[claim.metric], (claim.first, claim.second)
    word = {BETTER: "below" if metric.lower_is_better else "above", ALIKE: "like"}[claim.says]
    at = "" if claim.num_selected is None else f", K={claim.num_selected}"
    printed = NOTHING
    if claim.printed is not None:
        where = "mean of its four" if claim.dataset is None else dataset_name(claim.dataset)
        printed = _pair(claim.metric, metric.decimals, *claim.printed)
        printed += "" if claim.dataset == comparison.dataset else f", {where}"
    came_out = outcome(claim, comparison)
    means = (comparison.mean(claim.first), comparison.mean(claim.second))
    return [
        f"{metric.title.split()[0]}: {method_name(claim.first)} {word} {method_name(claim.second)}{at}",
        dataset_name(comparison.dataset),
        "as in the paper" if came_out == claim.says else f"**{came_out}**, the paper has {claim.says}",
        printed,
        _pair(claim.metric, decimals_of(comparison, pair), *means),
        str(len(comparison.cells)),
        shown_p(comparison.p_value(*pair)),
        _splits_for(claim, comparison),
    ]


def _pair(metric: str, decimals: int, first: float, second: float) -> str:
    """Write two figures and their difference, for errors in percent of the second."""
    change = f"{first - second:+z.{decimals}f}"
    if metric == "msre":
        change = f"{100.0 * (first - second) / second:+.1f} %"
    return f"{first:z.{decimals}f} / {second:z.{decimals}f} ({change})"


def _splits_for(claim: Claim, comparison: Comparison) -> str:
    """Count the splits in whose mean the first method is the better one."""
    sign = -1.0 if METRICS[claim.metric].lower_is_better else 1.0
    gains: dict[int, float] = {}
    for cell in comparison.cells:
        gain = comparison.values[claim.first][cell] - comparison.values[claim.second][cell]
        gains[cell.split] = gains.get(cell.split, 0.0) + sign * gain
    return f"{sum(gain > 0 for gain in gains.values())} of {len(gains)}"
