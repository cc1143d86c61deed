"""Write the page of what was measured of the peers. Where one of them is ahead, that comes first."""

import pathlib
from typing import Any

import pandas as pd

from benchmarks import machine
from benchmarks.peers_quality_ahead import ahead, best_variants
from benchmarks.peers_quality_picture import draw
from tffs import markdown

COMMAND = "python -m benchmarks.peers_quality"
POSTERIOR, CLOSED = "posterior", "posterior, no network"
CAE, ITERATIVE = "concrete autoencoder", "IterativeImputer"
CELL = ["table", "split", "target", "K"]
NAMES = {
    **{"mnist_r": "MNIST-r", "isolet": "Isolet", "amazon_reviews": "Amazon", "parkinsons": "Parkinson's"},
    **{"digits_r": "digits_r", "planted": "planted table", "pacs_features": "PACS features"},
}
RULES = """
Everybody gets the same rows: those of all source tasks, and 4 support rows of the target. The posterior and
`greedy within tasks` know which row is of which task. Peers cannot use that: each may pool the source rows, or
source and support rows. The concrete autoencoder trains on four fifths of each source task's rows and validates
on the rest.

Errors are shares of the error of answering the mean of the source rows, in the units of the run, over all
features, and means over splits and targets. What was measured is returned as measured, whatever a decoder says.

A peer has, for each table and K, the best of its variants *in hindsight*: which rows it pools, how it
reconstructs, where it starts. The posterior and the yardsticks have one. `greedy` is ours: one Gaussian of
all rows. `greedy within tasks` is the strongest simple method: a Gaussian within tasks, and a mean shrunk
towards that of the source tasks. `posterior, swapped` swaps chosen features for others as long as the
posterior's own expected error falls: that is what it costs that the choice of K features begins with the choice
of K - 1.

Seconds are the processor's, with one thread, for fitting and choosing. The posterior and `greedy` are fitted
once for every K and every target. Parkinson's has 16 features, so there is no K = 30.
""".strip()
CHOOSING = """
## Choosing K features

`own`: with the method's own decoder. `ours`: the posterior's decoder infers from the features that the method
chose. Distinct features and seconds are those of the largest K.
""".strip()
PAYING = """
## Features that cost something

Made costs, lognormal with mean 1. The budget is what so many features cost on average. PySensors CCQR has the
best of up to 6 bases, 6 weights of the costs and 3 reconstructions in hindsight. `features`: how many were paid
for.
""".strip()
INFERRING = """
## Inference alone

The features are given: those that `greedy` chooses, or random ones. The error of up to 300 rows of each target,
and in parentheses how many of the unmeasured values are in 90 % intervals. `KNNImputer, 5` has 5 neighbours,
and no intervals. PySensors' interval is 1.645 of its `std`, which is what the noise of its sensors does to the
answer, and not how wrong the answer is.
""".strip()
SLOW = """
IterativeImputer (BayesianRidge; intervals from 5 draws of its posterior) is slow, so it was asked on split 0
alone. On tables of up to 64 features it regresses each on a third of them, in 20 rounds. On the others it
learns from 1,000 of the source rows and regresses each feature on 50, in 10 rounds: with more time it might do
better. Its seconds are for all targets of the split.
""".strip()


def write_page(path: pathlib.Path, lines: list[dict[str, Any]], wanted: int) -> str:
    """Write the page and its picture beside the lines, and give the page; `wanted` cells are to be measured."""
    text = page(lines, f"{path.stem}.png", wanted)
    draw(_part(_comparable(lines), "choosing"), NAMES, path.with_suffix(".png"))
    path.with_suffix(".md").write_text(text, encoding="utf-8")
    return text


def page(lines: list[dict[str, Any]], picture: str, wanted: int) -> str:
    """Give the page.

    Args:
        lines: of the runs, and of what they measured.
        picture: the file name of its picture.
        wanted: how many cells are to be measured.
    """
    runs = [line["about"] for line in lines if "about" in line]
    done, lines = sum("part" in line for line in lines), _comparable(lines)
    parts = {name: _part(lines, name) for name in TABLES}
    text = machine.header("Peers on the same rows", COMMAND, runs[-1])
    text[-1:] = [
        f"- Commits: {', '.join(dict.fromkeys(str(run['commit']) for run in runs))}",
        f"- Cells: {done} of {wanted} are measured; the command goes on with the others.",
        "",
    ]
    text += ["## Where a peer is ahead", "", *ahead(parts, NAMES), "", f"![Errors of the peers]({picture})", ""]
    text += ["## The rules", "", RULES, ""]
    for name, frame in parts.items():
        if not frame.empty:
            text += [*TABLES[name](frame), ""]
    return "\n".join(text[:-1]) + "\n"


def _comparable(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out the tables that only one method has chosen features of so far."""
    methods: dict[str, set[str]] = {}
    for line in lines:
        if line.get("part") == "choosing":
            methods.setdefault(line["table"], set()).add(line["method"])
    alone = {table for table, names in methods.items() if len(names) < 2}
    return [line for line in lines if line.get("table") not in alone]


def _part(lines: list[dict[str, Any]], name: str) -> pd.DataFrame:
    """Give a row for each answer of the cells of a part."""
    return pd.DataFrame(
        {**{key: value for key, value in line.items() if key != "answers"}, **answer}
        for line in lines
        if line.get("part") == name
        for answer in line["answers"]
    )


def _choosing(frame: pd.DataFrame) -> list[str]:
    text = [CHOOSING]
    for table, here in frame.groupby("table", sort=False):
        rows = [_choice(here, method, str(method)) for method in here.method.unique() if method != CAE]
        trained = here[here.method == CAE]
        if len(trained):
            same = here[here.split.isin(trained.split)]
            names = ", ".join(map(str, sorted(trained.split.unique())))
            rows += [_choice(same, method, f"{method}, split {names}") for method in (CAE, POSTERIOR)]
        splits, targets = here.split.nunique(), len(here[["split", "target"]].drop_duplicates())
        text += ["", f"### {NAMES[str(table)]}", "", f"Splits: {splits}. Targets: {targets}.", ""]
        text.append(markdown.table(pd.DataFrame(rows).fillna(markdown.NOTHING)))
    return [*text, "", *_variants(frame), "", _networks(frame)]


def _choice(frame: pd.DataFrame, method: str, title: str) -> dict[str, str]:
    cells = {"method": title}
    of_method = frame[frame.method == method]
    for count, here in of_method.groupby("K"):
        for decoder in ("own", "ours"):
            best = best_variants(here, decoder)
            cells[f"K={count} {decoder}"] = _share(best[decoder].mean())
            if count == of_method.K.max() and decoder == "own":
                last = {"distinct": f"{best.distinct.mean():.1f}".removesuffix(".0"), "s": _seconds(best)}
    return {**cells, **last}


def _variants(frame: pd.DataFrame) -> list[str]:
    """Say which rows were better to pool, and which variants were best."""
    found: dict[str, dict[str, int]] = {}
    both = support = 0
    for (_, _, method), here in frame[frame.variant != ""].groupby(["table", "K", "method"], sort=False):
        variant, _, rows = best_variants(here, "own").variant.iloc[0].rpartition("; ")
        both, support = both + 1, support + (rows == "source and support")
        counts = found.setdefault(str(method), {})
        counts[variant] = counts.get(variant, 0) + 1
    if not both:
        return []
    listed = "; ".join(
        f"{method}: "
        + ", ".join(f"{name} {count}" for name, count in sorted(counts.items(), key=lambda c: -c[1]))
        for method, counts in found.items()
        if len(counts) > 1
    )
    others = f" How often other variants were the best: {listed}." if listed else ""
    return [
        f"Pooling the support rows, too, was the better variant for {support} of {both} triples of peer, table "
        f"and K.{others}"
    ]


def _networks(frame: pd.DataFrame) -> str:
    """Say how often the posterior kept a network, which shows in its errors."""
    errors = frame[frame.method.isin((POSTERIOR, CLOSED))].pivot(index=CELL, columns="method", values="own")
    kept = (errors[POSTERIOR] != errors[CLOSED]).groupby(["table", "split"]).any()
    of_tables = [
        f"{NAMES[table]} {here.sum()} of {len(here)}" for table, here in kept.groupby("table", sort=False)
    ]
    return f"Splits in which the posterior, having tried a network, kept it: {', '.join(of_tables)}."


def _paying(frame: pd.DataFrame) -> list[str]:
    rows = []
    for (table, budget), here in frame.groupby(["table", "K"], sort=False):
        cells = {"table": NAMES[str(table)], "budget": str(budget)}
        for method, lines in here.groupby("method", sort=False):
            best = best_variants(lines, "own")
            cells[f"{method} own"] = _share(best.own.mean())
            if method != POSTERIOR:
                cells[f"{method} ours"] = _share(best_variants(lines, "ours").ours.mean())
            cells[f"{method} features"] = f"{best.distinct.mean():.1f}"
        rows.append(cells)
    return [PAYING, "", markdown.table(pd.DataFrame(rows).fillna(markdown.NOTHING))]


def _inferring(frame: pd.DataFrame) -> list[str]:
    slow = frame[frame.method == ITERATIVE]
    keys = ["table", "split", "target", "K", "given"]
    same = frame.merge(slow[keys], on=keys)
    text = [INFERRING, "", _inference_table(frame[frame.method != ITERATIVE])]
    return text if slow.empty else [*text, "", SLOW, "", _inference_table(same, seconds=True)]


def _inference_table(frame: pd.DataFrame, seconds: bool = False) -> str:
    rows = []
    for (table, count, given), here in frame.groupby(["table", "K", "given"], sort=False):
        cells = {"table": NAMES[str(table)], "K": str(count), "given": str(given)}
        for method, lines in here.groupby("method", sort=False):
            cells[str(method)] = _share(lines.error.mean())
            if lines.coverage.notna().all():
                cells[str(method)] += f" ({lines.coverage.mean():.0%})"
        if seconds:
            took = here[here.method == ITERATIVE].groupby("split").seconds.sum().mean()
            cells[f"{ITERATIVE}, s"] = f"{took:.0f}"
        rows.append(cells)
    return markdown.table(pd.DataFrame(rows).fillna(markdown.NOTHING), 3)


TABLES = {"choosing": _choosing, "paying": _paying, "inferring": _inferring}


def _share(value: float) -> str:
    """Write a share with three figures."""
    return f"{100 * value:.3g} %"


def _seconds(lines: pd.DataFrame) -> str:
    return f"{lines.seconds.mean():.2g}" if lines.seconds.mean() < 10 else f"{lines.seconds.mean():.0f}"
