"""Make RESULTS.md and its figures from the lines in results/: python -m reproduction.page."""

import argparse
import functools
import os
import pathlib
import sys
from collections.abc import Callable, Sequence

import pandas as pd

from reproduction import paper, tables
from reproduction.claims import boldface_sentences, claims_table
from reproduction.curves import draw_metric, draw_t_dependence
from reproduction.deduplication import deduplication, other_counts
from reproduction.lines import CELL, load_lines, load_pictures, load_runs
from reproduction.names import BEYOND, METRICS, dataset_name, in_order, joined, with_role
from reproduction.pictures import Picture, draw_digits
from reproduction.provenance import commands, core_time, provenance
from reproduction.section import Section, section
from tffs import markdown
from tffs.errors import UserError
from tffs.whole_file import replacing

READING = pathlib.Path(__file__).with_name("READING.md")
MOST_FAILURES = 10


def main(arguments: Sequence[str]) -> int:
    """Write the page and its figures."""
    parser = argparse.ArgumentParser(prog="python -m reproduction.page", description=__doc__)
    parser.add_argument("--results_dir", default="results", help="the folder that --mode=experiment wrote to")
    parser.add_argument("--page", default="RESULTS.md", help="the page to write; figures go to the results")
    chosen = parser.parse_args(arguments)
    try:
        lines = load_lines(chosen.results_dir)
        figures = draw_figures(lines, load_pictures(chosen.results_dir), f"{chosen.results_dir}/figures")
        path = pathlib.Path(chosen.results_dir, "FINDINGS.md")
        findings = path.read_text(encoding="utf-8") if path.exists() else ""
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
        findings: what a person wrote about what was tried.
        folder: where the page will be, which its links start from.
    """
    measured = lines[lines["ok"]]
    parts = ["# Results", _opening(lines), "## What was run", *_what_was_run(measured)]
    parts += ["## How to read it", READING.read_text(encoding="utf-8").strip(), "## Tables"]
    for made in sections(measured):
        parts += [f"### {made.title}", made.about, made.table, " ".join(made.notes), provenance(made.used)]
    parts += ["## Figures"]
    for title, (path, caption) in figures.items():
        parts += [f"### {title}", f"![{title}]({os.path.relpath(path, folder)})", caption]
    parts += ["## Where it differs from the paper", *_differences(measured)]
    parts += ["## What was tried", findings.strip()] if findings else []
    parts += ["## How it was made", *commands(runs), *_failures(lines[~lines["ok"]])]
    return "\n\n".join(filter(None, parts)) + "\n"


def sections(lines: pd.DataFrame) -> list[Section]:
    """Make all tables that there are lines for."""
    new = with_role(lines["method"], BEYOND)
    compared = [*tables.MAIN, tables.gap("ours", "cae_s")]
    compared += [tables.beyond(new), *(tables.gap(name, "ours") for name in new)] if new else []
    stable = tables.stability(lines[lines["stability"].notna()]["method"])
    compared += [*tables.VARIANTS, stable, tables.TIMES, tables.SUPERVISED]
    made = [*(section(lines, table) for table in compared), deduplication(lines)]
    return [one for one in made if one is not None]


def _opening(lines: pd.DataFrame) -> str:
    files = joined(f"`{name}.jsonl`" for name in sorted(lines["file"].unique()))
    return (
        "The methods of Kumagai, Iwata and Fujiwara, *Few-shot Learning for Unsupervised Feature Selection* "
        "(2021), by the protocol of its appendix B, each figure beside the paper's. `--mode=experiment` "
        f"trained and measured; `python -m reproduction.page` makes this page and its figures from {files}. "
        "Only *How to read it* and *What was tried* are written by hand. Where the outcome differs from the "
        "paper's is [below](#where-it-differs-from-the-paper)."
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
    return [markdown.table(pd.DataFrame(rows, columns=columns)), f"{total} {note}".strip()]


def _differences(lines: pd.DataFrame) -> list[str]:
    claims = claims_table(lines)
    if claims is None:
        return ["There is nothing to compare with the paper's claims yet."]
    return [
        "Each claim of the paper that these lines can check: its figures, ours over the cells that both "
        "methods have, the p of the paired t-test, and in how many splits the first method's mean is the "
        "better one. *Alike* means that the test does not tell them apart at 5 %.",
        claims,
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
