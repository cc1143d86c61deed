"""RESULTS.md: every table and figure, how to read them, and where they differ from the paper."""

import functools
import os
from collections.abc import Callable, Mapping, Sequence

from tffs.tables import paper
from tffs.tables.claims import boldface_sentences, claims_table, distinct_sentences
from tffs.tables.counts_and_times import deduplication_table, time_table
from tffs.tables.drawing import Drawing
from tffs.tables.gap import gap_table
from tffs.tables.main_tables import main_table
from tffs.tables.names import METRICS, dataset_name, in_order, joined, method_name
from tffs.tables.other_tables import spec_table, stability_table, supervised_table, yardstick_table
from tffs.tables.provenance import core_time, provenance, runs_table
from tffs.tables.records import Result, Run
from tffs.tables.section import Section
from tffs.tables.variants import VARIANTS, variants_table

MOST_FAILURES = 10

TABLES: dict[str, Callable[[Sequence[Result]], Section | None]] = {
    **{METRICS[metric].title: functools.partial(main_table, metric=metric) for metric in paper.MAIN},
    "Ours against CAE-S in MSRE, cell by cell": gap_table,
    **{variants.title: functools.partial(variants_table, variants=variants) for variants in VARIANTS},
    "Deduplication": deduplication_table,
    "Stability": stability_table,
    "Computation time": time_table,
    "SPEC in the library's order and in the right one": spec_table,
    "Yardsticks": yardstick_table,
    "Supervised variant": supervised_table,
}

READING = """\
- **Cells.** A cell is a split, an N_S (rows of the target that a method may see) and a K (features to
  select). All methods of a cell get the same split and the same support rows. A row of a table compares
  methods only on the cells that *all of them* have; `60 of 75` says that 60 cells are shared of 75 that at
  least one method has. Rows, and the same method in different tables, may rest on different cells.
- **Figures** are mean(sample standard deviation) over these cells, on the target's rows outside the support.
  MSRE is the squared error summed over the features: lower is better. ARI and NMI are of K-means on the
  selected features, in percent: higher is better.
- **Boldface** follows the paper's rule: the best mean, and every method that a paired t-test over the shared
  cells does not tell from it at 5 %; with fewer than five cells nothing is bold. Cells of one split are not
  independent of each other, so the test is generous with differences, here as in the paper; that is why the
  splits a claim holds in are counted too.
- *Paper* rows are copied from the paper: 20 splits, N_S in {2, 4, 6}, K in {10, 20, 30, 40, 50}.
- **MNIST-r**: row i is the same digit in all six tasks, only rotated. Holding out a task does not hold out
  its digits.
- **CAE-ST** is fine-tuned for 1000 steps at the temperature where the annealing ended, 0.01, and keeps its last
  weights. Ours, CAE-S, CAE-T and CAE-ST-sim keep the weights of their lowest validation error.
- **LS**: the kernel width and the neighbours were chosen on the test data, as the paper did: those of the
  highest ARI, whose NMI is given too. This flatters LS.
- **SPEC**: `SPEC-T` and `SPEC-ST` use scikit-feature's own order, as the paper did, which sorts the scores the
  wrong way round; the *corrected* ones use the right order.
- `LS-T` and `SPEC-T` go through scikit-feature itself. Of two to six rows many features tie, and what it then
  chooses is rounding: of two rows *all* features that vary tie. `LS-ST` and `SPEC-ST` are our own versions,
  which give its order but where that is rounding."""


def results_page(
    results: Sequence[Result],
    runs: Sequence[Run],
    drawings: Mapping[str, Drawing | None],
    folder: str,
    findings: str | None = None,
) -> str:
    """Write the page.

    Args:
        results: all lines.
        runs: the invocations that wrote them.
        drawings: the figures by title; None for one that there is no data for.
        folder: where the page will be, which its links start from.
        findings: what a person wrote about what was tried, or None.
    """
    parts = ["# Results", _opening(results), "## How to read it", READING]
    parts += ["## Tables", *_tables(results, runs)]
    parts += ["## Figures", *_figures(drawings, folder)]
    parts += ["## Where it differs from the paper", *_differences(results)]
    if findings is not None and findings.strip():
        parts += ["## What was tried", findings.strip()]
    parts += ["## How it was made", *_making(results, runs)]
    return "\n\n".join(parts) + "\n"


def _tables(results: Sequence[Result], runs: Sequence[Run]) -> list[str]:
    parts, missing = [], []
    for title, make in TABLES.items():
        section = make(results)
        if section is None:
            missing.append(title)
            continue
        rests = (
            provenance(section.used, runs) if section.used else "There is no cell that all methods have yet."
        )
        parts += [f"### {title}", section.about, section.table, " ".join(section.notes), rests]
    if missing:
        parts.append(f"Not made, as nothing was run for it: {'; '.join(missing)}.")
    return list(filter(None, parts))


def _figures(drawings: Mapping[str, Drawing | None], folder: str) -> list[str]:
    parts = []
    for title, drawing in drawings.items():
        if drawing is not None:
            path = os.path.relpath(drawing.path, folder).replace(os.sep, "/")
            parts += [f"### {title}", f"![{title}]({path})", drawing.caption]
    missing = [title for title, drawing in drawings.items() if drawing is None]
    if missing:
        parts.append(f"Not drawn, as nothing was run for it: {'; '.join(missing)}.")
    return parts


def _opening(results: Sequence[Result]) -> str:
    measured = [result for result in results if result.ok]
    datasets = joined([dataset_name(dataset) for dataset in in_order({result.dataset for result in measured})])
    files = joined(sorted({f"`{result.name}.jsonl`" for result in results}))
    return (
        "The methods of Kumagai, Iwata and Fujiwara, *Few-shot Learning for Unsupervised Feature Selection* "
        "(2021), by the protocol of its appendix B, each figure beside the paper's. `--mode=experiment` "
        "trained and measured; this page and its figures are made by `python -m tffs.main --mode=tables` from "
        f"{files} and, but for *What was tried*, not by hand: {len(measured):,} measurements of "
        f"{len({result.method for result in measured})} methods on {datasets}, {core_time(measured)} of "
        "training. What is missing from a table is said under it, and where the outcome differs from the "
        "paper's is [below](#where-it-differs-from-the-paper)."
    )


def _differences(results: Sequence[Result]) -> list[str]:
    claims = claims_table(results)
    parts = ["There is nothing to set beside the paper's claims yet."]
    if claims is not None:
        parts = [
            "Each claim of the paper that the lines allow to look at: its figures, ours over the cells that "
            "both methods have, the paired t-test's p, and in how many splits the first method's mean is the "
            "better one. *Alike* is not told apart at 5 %.",
            claims,
        ]
    sentences = boldface_sentences(results)
    parts += [" ".join(sentences)] if sentences else []
    counts = distinct_sentences(results)
    if counts:
        parts.append("Different features among K at N_S = 2:")
        parts.append("\n".join(f"- {sentence}" for sentence in counts))
    return parts


def _making(results: Sequence[Result], runs: Sequence[Run]) -> list[str]:
    parts = [runs_table(runs)] if runs else ["The commands were not recorded."]
    versions = sorted({f"{name} {version}" for run in runs for name, version in run.versions.items()})
    if versions:
        parts.append(f"Versions: {', '.join(versions)}.")
    failed = [result for result in results if not result.ok]
    if failed:
        lines = [
            f"- {method_name(result.method)} on {dataset_name(result.dataset)}, N_S = {result.support_size}, "
            f"K = {result.num_selected}, split {result.split}: {result.error or 'no reason recorded'}"
            for result in failed[:MOST_FAILURES]
        ]
        more = [f"- and {len(failed) - MOST_FAILURES} more"] if len(failed) > MOST_FAILURES else []
        parts += [f"Failed, and in no table ({len(failed)}):", "\n".join(lines + more)]
    return parts
