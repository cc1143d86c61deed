"""Make RESULTS.md and its figures from the lines in results/: python -m reproduction.page."""

import argparse
import functools
import os
import pathlib
import sys
from collections.abc import Callable, Sequence

import pandas as pd

from reproduction import paper, tables
from reproduction.claims import boldface_sentences, claims_sentence, claims_table, judged
from reproduction.comparison import is_drawn
from reproduction.curves import draw_metric, draw_t_dependence
from reproduction.deduplication import deduplication, other_counts
from reproduction.findings import filled
from reproduction.lines import CELL, load_lines, load_pictures, load_runs
from reproduction.names import BEYOND, METRICS, dataset_name, in_order, joined, with_role
from reproduction.needed import needed
from reproduction.pairs import pairs
from reproduction.pictures import Picture, draw_digits
from reproduction.progress import Grid, progress_table, published_grids, share_done
from reproduction.provenance import commands, core_time, provenance
from reproduction.section import Section, section
from reproduction.summary import summary_sentences, summary_table
from reproduction.times import draw_times
from tffs import markdown
from tffs.errors import UserError
from tffs.whole_file import replacing

READING = pathlib.Path(__file__).with_name("READING.md")
MOST_FAILURES = 10
MAIN_GRID = "experiment_main.flags"
NEEDED = (
    "The paper's means need not come out of other splits, other initial weights and another machine. These "
    "tables measure what they would need; [What was tried](#what-was-tried) has the same in words."
)
GRIDS = (
    "Cells with a figure, of those that each published flag file asks for. A cell counts wherever its line "
    "stands, so a training that two grids share counts in both. Methods that are equally far share a row."
)
VLCS = (
    "For VLCS everything is there except its files, one MATLAB file of DeCaF-6 features for each of its four "
    "collections, which have no public address that could be pinned: "
    "[what to bring](data_builders/vlcs/README.md), then `python -m tffs.main --flagfile=experiment_vlcs.flags "
    "--data_mirror=DIR`."
)


def main(arguments: Sequence[str]) -> int:
    """Write the page and its figures."""
    parser = argparse.ArgumentParser(prog="python -m reproduction.page", description=__doc__)
    parser.add_argument("--results_dir", default="results", help="the folder that --mode=experiment wrote to")
    parser.add_argument("--page", default="RESULTS.md", help="the page to write; figures go to the results")
    chosen = parser.parse_args(arguments)
    try:
        lines, pictures = load_lines(chosen.results_dir), load_pictures(chosen.results_dir)
        figures = draw_figures(lines[is_drawn(lines)], pictures, f"{chosen.results_dir}/figures")
        path = pathlib.Path(chosen.results_dir, "FINDINGS.md")
        written = path.read_text(encoding="utf-8") if path.exists() else ""
        findings = filled(written, lines[lines["ok"]], str(path))
        folder = os.path.dirname(os.path.abspath(chosen.page))
        text = results_page(lines, load_runs(chosen.results_dir), figures, findings, folder)
        with replacing(chosen.page) as part:
            pathlib.Path(part).write_text(text, encoding="utf-8")
    except UserError as error:
        print(f"reproduction: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"reproduction: {error}: nothing was lost; fix that and repeat the command.", file=sys.stderr)
        return 1
    print(f"{chosen.page}, from {len(lines):,} lines of {chosen.results_dir}")
    return 0


def draw_figures(lines: pd.DataFrame, pictures: Sequence[Picture], folder: str) -> dict[str, tuple[str, str]]:
    """Draw what there is data for; what an earlier call drew and there is no data for now is removed.

    Returns:
        The path and the caption of each figure by its title.
    """
    os.makedirs(folder, exist_ok=True)
    drawings: dict[str, tuple[str, Callable[[str], str | None]]] = {
        **{
            f"{METRICS[metric].title.split()[0]} against K": (
                metric,
                functools.partial(draw_metric, lines, metric),
            )
            for metric in paper.MAIN
        },
        "Dependence on T": ("t_dependence", functools.partial(draw_t_dependence, lines)),
        "Computation time in seconds": ("seconds", functools.partial(draw_times, lines)),
        "Reconstructed digits and chosen pixels": ("mnist_r_digits", functools.partial(draw_digits, pictures)),
    }
    drawn = {}
    for title, (name, draw) in drawings.items():
        path = f"{folder}/{name}.png"
        pathlib.Path(path).unlink(missing_ok=True)
        caption = draw(path)
        if caption is not None:
            drawn[title] = (path, caption)
    return drawn


def results_page(
    lines: pd.DataFrame, runs: pd.DataFrame, figures: dict[str, tuple[str, str]], findings: str, folder: str
) -> str:
    """Write the page.

    Args:
        lines: all measurements and failures.
        runs: the commands that wrote them.
        figures: path and caption by title.
        findings: what a person wrote about what was tried, with its figures.
        folder: where the page will be, which its links start from.
    """
    measured, grids = lines[lines["ok"]], published_grids()
    drawn = measured[is_drawn(measured)]
    parts = ["# Results", _opening(lines), "## In short", *_in_short(drawn, grids)]
    parts += ["## Where it differs from the paper", *_differences(drawn)]
    parts += ["## What would have to be true for the paper's table to be met", NEEDED]
    for made in needed(measured):
        parts += _written(made)
    parts += ["## How to read it", READING.read_text(encoding="utf-8").strip(), "## Figures"]
    for title, (path, caption) in figures.items():
        parts += [f"### {title}", f"![{title}]({os.path.relpath(path, folder)})", caption]
    parts += ["## Tables"]
    for made in sections(drawn):
        parts += _written(made)
    parts += ["## What was tried", findings.strip()] if findings else []
    parts += ["## What was run", *_what_was_run(measured), "### How far the grids are"]
    parts += [GRIDS, progress_table(measured, grids)]
    parts += ["## How it was made", *commands(runs), *_failures(lines[~lines["ok"]])]
    return "\n\n".join(filter(None, parts)) + "\n"


def sections(lines: pd.DataFrame) -> list[Section]:
    """Make all tables that there are lines for."""
    new = with_role(lines["method"], BEYOND)
    compared = [*tables.MAIN, *(tables.beyond(new) if new else []), tables.BY_SIZE]
    stable = tables.stability(lines[lines["stability"].notna()]["method"])
    others = [*tables.VARIANTS, stable, tables.THROUGH_POSTERIOR, tables.TIMES, tables.SUPERVISED]
    against = [("ours", "cae_s"), *((name, "ours") for name in new), ("posterior", "greedy")]
    made = [
        *(section(lines, table) for table in compared),
        pairs(lines, against),
        *(section(lines, table) for table in others),
        deduplication(lines),
    ]
    return [one for one in made if one is not None]


def _written(made: Section) -> list[str]:
    """Write a table with what it shows, what is missing from it and where it comes from."""
    return [f"### {made.title}", made.about, made.table, "\n".join(made.notes), provenance(made.used)]


def _in_short(lines: pd.DataFrame, grids: Sequence[Grid]) -> list[str]:
    """Give the answer: the methods beside the paper's figures, and what they say."""
    sentences = summary_sentences(lines)
    rows = judged(lines)
    if rows:
        sentences.append(f"- {claims_sentence(rows)} ([all](#where-it-differs-from-the-paper)).")
    for grid in grids:
        if grid.file == MAIN_GRID:
            sentences.append(
                f"- **Done**: {share_done(lines, grid)} of `{MAIN_GRID}` ([all grids](#how-far-the-grids-are))."
            )
    return ["\n".join(sentences), *filter(None, [summary_table(lines)])]


def _opening(lines: pd.DataFrame) -> str:
    files = joined(f"`{name}.jsonl`" for name in sorted(lines["file"].unique()))
    return (
        "The methods of Kumagai, Iwata and Fujiwara, *Few-shot Learning for Unsupervised Feature Selection* "
        "(2021), by the protocol of its appendix B, each figure beside the paper's. `--mode=experiment` "
        f"trained and measured; `python -m reproduction.page` makes this page and its figures from {files}. "
        "*Ours* is the paper's network. "
        "Only the words of *How to read it* and *What was tried* are written by hand."
    )


def _what_was_run(lines: pd.DataFrame) -> list[str]:
    """Say how far the grid is: what was measured on each dataset, and which of the paper's are missing."""
    rows = []
    for dataset in in_order(lines["dataset"]):
        here = lines[lines["dataset"] == dataset]
        methods, splits = here["method"].nunique(), here["split"].nunique()
        sizes = [", ".join(map(str, sorted(here[axis].unique()))) for axis in ("support_size", "num_selected")]
        rows.append([dataset_name(dataset), methods, splits, *sizes, f"{len(here):,}", core_time(here)])
    columns = ["data", "methods", "splits", "N_S", "K", "measurements", "training"]
    total = (
        f"{len(lines):,} measurements of {lines['method'].nunique()} methods, {core_time(lines)} of training."
    )
    missing = [dataset_name(name) for name in paper.DATASETS if name not in set(lines["dataset"])]
    note = f"Not run, of the paper's datasets: {joined(missing)}." if missing else ""
    note += f" {VLCS}" if "VLCS" in missing else ""
    return [markdown.table(pd.DataFrame(rows, columns=columns)), f"{total} {note}".strip()]


def _differences(lines: pd.DataFrame) -> list[str]:
    rows = judged(lines)
    if not rows:
        return ["There is nothing to compare with the paper's claims yet."]
    return [
        "Each claim of the paper that these lines can check: its figures, ours over the cells that both "
        "methods have, the p of the paired t-test over these cells and over split means, and in how many "
        "splits the first method's mean is the better one. *p (splits)* decides the outcome. *Alike* means "
        "that the test over splits does not tell them apart at 5 %, which does not show that they are equal.",
        claims_table(rows),
        " ".join([*boldface_sentences(lines), other_counts(lines)]),
    ]


def _failures(failed: pd.DataFrame) -> list[str]:
    """List cells that failed and have no figure, the first of many."""
    if failed.empty:
        return []
    first = failed[[*CELL, "error"]].head(MOST_FAILURES)
    return [f"Failed, and in no table: {len(failed)}, of which these are the first.", markdown.table(first, 2)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
