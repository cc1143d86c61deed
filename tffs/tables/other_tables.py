"""What the paper has no table of: SPEC in both orders, yardsticks, stability, and the supervised variant."""

from collections.abc import Sequence

from tffs.tables import paper
from tffs.tables.comparison import in_papers_grid
from tffs.tables.markdown import paper_figures, table
from tffs.tables.names import METRICS, YARDSTICKS, dataset_name, joined, method_name
from tffs.tables.records import Result
from tffs.tables.rows import COLUMNS, THREE, compare_where_run, comparison_row
from tffs.tables.section import Section, missing_methods, missing_sizes

SPEC = ("spec_t", "spec_t_corrected", "spec_st", "spec_st_corrected")
ANY_SUPPORT = ("ours", "cae_s", "ls_t", "ls_st", "spec_t", "spec_t_corrected", "random", "variance")
SUPERVISED = ("ours_supervised", "random_supervised", "all_supervised")


def spec_table(results: Sequence[Result]) -> Section | None:
    """Make the table of SPEC in scikit-feature's order and in the right one, beside the paper's figures."""
    return _table(
        results,
        "SPEC-T and SPEC-ST take the features in the order that scikit-feature gives, as the paper did. "
        "For SPEC's second ranking function the smaller score is the better one: *corrected* takes "
        "that order, without constant columns.",
        SPEC,
        SPEC[1::2],
        ("ari", "nmi"),
    )


def yardstick_table(results: Sequence[Result]) -> Section | None:
    """Make the table of Ours beside features that need no learning to choose."""
    return _table(
        results,
        "K random features and the K features of highest variance in the source tasks, each with CAE-S's "
        "decoder trained in its way, and all features, which can only be clustered. The paper has none of "
        "these.",
        ("ours", "cae_s", *YARDSTICKS),
        YARDSTICKS,
        THREE,
    )


def stability_table(results: Sequence[Result]) -> Section | None:
    """Make the table of how much the choice depends on which rows of a target the support has."""
    there = {result.method for result in results if result.ok and result.stability is not None}
    methods = [method for method in ANY_SUPPORT if method in there]
    return _table(
        results,
        "Mean Jaccard index of the features that a method chooses from different supports of one target: 1 "
        "where the support does not matter, as for CAE-S by construction. More is not better as such, so "
        "nothing is bold. Methods that learn anew for each support were not asked. The paper has no such "
        "table.",
        methods,
        methods,
        ("stability",),
    )


def supervised_table(results: Sequence[Result]) -> Section | None:
    """Make the table of the supervised variant: accuracy on the target's rows for each N_S and K."""
    rows: list[list[str]] = []
    used: list[Result] = []
    sizes = {(result.support_size, result.num_selected) for result in results if result.accuracy is not None}
    notes: list[str] = []
    for support_size, num_selected in sorted(sizes):
        here = [r for r in results if (r.support_size, r.num_selected) == (support_size, num_selected)]
        at = f"N_S={support_size}, K={num_selected}"
        for comparison in compare_where_run(here, SUPERVISED, SUPERVISED, ["accuracy"], lambda result: True):
            rows.append(comparison_row(comparison, SUPERVISED, f", {at}"))
            notes += missing_methods([comparison], SUPERVISED, f" at {at}")
            used += comparison.used
    if not rows:
        return None
    return Section(
        about=(
            "With the cross-entropy loss the decoder predicts the label of a query row; the support stays "
            "unlabeled. Accuracy on the target's test rows, beside the same classifier on random and on all "
            "features. The paper describes this variant and prints no figures of it."
        ),
        table=table([*COLUMNS, *map(method_name, SUPERVISED)], rows, 2),
        notes=tuple(notes),
        used=tuple(used),
    )


def _table(
    results: Sequence[Result],
    about: str,
    methods: Sequence[str],
    subjects: Sequence[str],
    metrics: Sequence[str],
) -> Section | None:
    """Make a table with a row a dataset and metric, and the paper's figures beneath."""
    comparisons = compare_where_run(results, methods, subjects, metrics, in_papers_grid)
    if not comparisons:
        return None
    rows = []
    for comparison in comparisons:
        rows.append(comparison_row(comparison, methods))
        printed = paper.MAIN.get(comparison.metric, {}).get(comparison.dataset, {})
        if set(methods) & set(printed) - {"ours", "cae_s"}:  # these two are in the main tables
            rows.append(
                [
                    *("*paper*", METRICS[comparison.metric].title, str(paper.SPLITS), str(paper.CELLS)),
                    *paper_figures(printed, methods),
                ]
            )
    datasets = {comparison.dataset for comparison in comparisons}
    missing = [dataset_name(dataset) for dataset in paper.DATASETS if dataset not in datasets]
    notes = [f"Not run on {joined(missing)}."] if missing else []
    return Section(
        about=about,
        table=table([*COLUMNS, *map(method_name, methods)], rows, 2),
        notes=(*notes, *missing_sizes(comparisons), *missing_methods(comparisons, methods)),
        used=tuple(dict.fromkeys(result for comparison in comparisons for result in comparison.used)),
    )
