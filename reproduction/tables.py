"""Tables of variants of the methods: ablation, annealing, randomness, CAE-ST-sim, T, and initialisation."""

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np

from tffs.tables import paper
from tffs.tables.comparison import Comparison, in_papers_grid
from tffs.tables.markdown import NOTHING, paper_figures, table
from tffs.tables.names import METRICS, PAPER_METHODS, dataset_name, joined, method_name
from tffs.tables.paper import PaperRow
from tffs.tables.records import Result
from tffs.tables.rows import COLUMNS, THREE, compare_where_run, comparison_row
from tffs.tables.section import Section, missing_methods, missing_sizes

DEFAULT_T = "ours_T300"


@dataclasses.dataclass(frozen=True)
class Variants:
    """A comparison of variants, as data.

    Attributes:
        title: of the table.
        about: what it shows.
        methods: the columns; a dataset has rows where one of those that are not in the main tables was run.
        paper: for each metric the paper's means over its four datasets.
        two_features: the same for K = 2; None where the paper does not look at K = 2.
        metrics: the rows of a dataset.
    """

    title: str
    about: str
    methods: tuple[str, ...]
    paper: dict[str, PaperRow]
    two_features: dict[str, PaperRow] | None = None
    metrics: tuple[str, ...] = THREE


VARIANTS = (
    Variants(
        "Ablation",
        "Ours without the task code r(S) in the decoder; without α(S), so that the selector is a direct "
        "parameter; and CAE-S, which has neither.",
        tuple(paper.ABLATION["ari"]),
        paper.ABLATION,
        paper.ABLATION_TWO_FEATURES,
    ),
    Variants(
        "Annealing",
        "The temperature annealed from 10 to 0.01 (Ours, CAE-S) against a fixed temperature τ.",
        tuple(paper.ANNEALING["ari"]),
        paper.ANNEALING,
    ),
    Variants(
        "Randomness",
        "With the Gumbel noise in the selector (Ours, CAE-S) and without it.",
        tuple(paper.RANDOMNESS["ari"]),
        paper.RANDOMNESS,
    ),
    Variants(
        "CAE-ST-sim and other ways to train CAE",
        "CAE-ST fine-tunes CAE-S on the target's support; *selector only* fine-tunes nothing but the "
        "selector; CAE-ST-sim trains on source rows and the support together; *indirect* is CAE-S whose "
        "logits are a learned embedding times a shared matrix, as ours are: what it gains is the "
        "parametrisation's, not the task's.",
        ("ours", "cae_s", "cae_st", "cae_st_selector", "cae_st_sim", "cae_s_indirect"),
        paper.SIMULTANEOUS,
    ),
    Variants(
        "Dependence on T, the dimension of π",
        "T = 300 is the default (Ours). The paper shows this in a figure only: good above T = 100, worse "
        "below.",
        tuple(f"ours_T{size}" for size in paper.T_VALUES),
        {},
    ),
    Variants(
        "Early stopping",
        "The weights of the lowest validation error (Ours), as in the paper, and those of the last step.",
        ("ours", "ours_last"),
        {},
    ),
    Variants(
        "Initialisation",
        "Weights start Glorot-uniform and π with a standard deviation of 0.05 (Ours, CAE-S); *fan-in* starts "
        "weights as PyTorch does, in which the paper was implemented; the paper says nothing of its weights "
        "or of π.",
        ("ours", "ours_fan_in", "ours_pi0.3", "ours_pi1", "cae_s", "cae_s_fan_in"),
        {},
        metrics=("msre", "distinct", "ari"),
    ),
)


def with_default_t(results: Sequence[Result]) -> list[Result]:
    """Let Ours, whose T is 300, stand for ours_T300 in the cells that the latter was not run in."""
    there = {result.key for result in results if result.method == DEFAULT_T and result.ok}
    ours = [dataclasses.replace(result, method=DEFAULT_T) for result in results if result.method == "ours"]
    return [*results, *(result for result in ours if result.key not in there)]


def variants_table(results: Sequence[Result], variants: Variants) -> Section | None:
    """Make the table of some variants."""
    methods = variants.methods
    subjects = [method for method in methods if method not in (*PAPER_METHODS, DEFAULT_T)]
    if DEFAULT_T in methods:
        results = with_default_t(results)

    def part(where: Callable[[Result], bool]) -> list[Comparison]:
        return compare_where_run(results, methods, subjects, variants.metrics, where)

    grid = part(in_papers_grid)
    pairs = part(lambda result: result.num_selected == 2) if variants.two_features is not None else []
    if not grid and not pairs:
        return None
    rows = _rows(grid, methods, variants.paper) + _rows(pairs, methods, variants.two_features or {}, ", K=2")
    datasets = {comparison.dataset for comparison in grid + pairs}
    missing = [dataset_name(dataset) for dataset in paper.DATASETS if dataset not in datasets]
    notes = [f"Not run on {joined(missing)}."] if missing else []
    if variants.two_features is not None and not pairs:
        notes.append("K = 2 was not run.")
    notes += [
        *missing_sizes(grid),
        *missing_methods(grid, methods),
        *missing_methods(pairs, methods, " at K = 2"),
    ]
    return Section(
        about=variants.about,
        table=table([*COLUMNS, *map(method_name, methods)], rows, 2),
        notes=tuple(notes),
        used=tuple(dict.fromkeys(result for comparison in grid + pairs for result in comparison.used)),
    )


def _rows(
    comparisons: Sequence[Comparison], methods: Sequence[str], printed: dict[str, PaperRow], at: str = ""
) -> list[list[str]]:
    """Write the rows of the datasets, their mean where there are several, and the paper's mean."""
    rows = [comparison_row(comparison, methods, at) for comparison in comparisons]
    for metric in ("ari", "nmi"):
        these = [comparison for comparison in comparisons if comparison.metric == metric]
        if len(these) > 1:
            means = [_mean_of_means(these, method) for method in methods]
            rows.append([f"mean of these {len(these)}{at}", METRICS[metric].title, NOTHING, NOTHING, *means])
    for metric, row in printed.items() if comparisons else ():
        figures = paper_figures(row, methods)
        cells = NOTHING if at else str(len(paper.DATASETS) * paper.CELLS)
        rows.append(
            [f"*paper, mean of its four{at}*", METRICS[metric].title, str(paper.SPLITS), cells, *figures]
        )
    return rows


def _mean_of_means(comparisons: Sequence[Comparison], method: str) -> str:
    """Write the mean over datasets of a method that has figures on all of them."""
    if not all(comparison.figures(method) for comparison in comparisons):
        return NOTHING
    return f"{np.mean([comparison.mean(method) for comparison in comparisons]):z.1f}"
