"""Write what `benchmarks.posterior_bars` measured, beside the bars."""

from typing import Any

import numpy as np

LEAST_SHARE = 0.1  # of the cells of the feature that is unmeasured most often: fewer say little of a feature
INTRODUCTION = f"""\
Every task was left out once, with N_S = 4; several supports of each. Whatever was learned, chosen, scaled or
calibrated is from the other tasks.

## Errors, intervals and expected errors

Relative error: of the mean of the source rows, median over tasks (bar for Parkinson's: below greedy for 38 of
42; planted: 10 %). These fits have no residual network; a run of Parkinson's adds one, and its bar is 4.6 %.
Coverage: of 90 % intervals, over all unmeasured cells (bar: 86 to 94 %); then the tenth percentile over
features that vary (bar: at least 75 %), and over those of them with at least
{LEAST_SHARE:.0%} of the cells of the most frequent one. Expected by measured error: the median over tasks (bar:
0.8 to 1.2), and the median distance from 1. A fit took its seconds beside whatever else the machine did.

| table | K | error | below greedy | coverage | tenth percentile | of frequent | expected | distance | seconds |
|---|---|---|---|---|---|---|---|---|---|""".splitlines()
NOVELTY = """
## Novelty

AUROC between supports of left-out tasks and others (bar: at least 0.95), pooled over models, and the mean over
models in parentheses; and how often a left-out task is above 0.95.
""".splitlines()


def page(lines: list[dict[str, Any]]) -> list[str]:
    """Give the page's lines."""
    tables = list(dict.fromkeys(line["table"] for line in lines))
    by_table = {table: [line for line in lines if line["table"] == table] for table in tables}
    text = [*INTRODUCTION]
    for table, here in by_table.items():
        counts = dict.fromkeys(answer["count"] for line in here for task in line["tasks"] for answer in task)
        text += [_row(table, count, here) for count in counts]
    text += NOVELTY
    kinds = ("shuffled", "another_dataset", "one_shifted")
    text += [
        "",
        "| table | " + " | ".join(kind.replace("_", " ") for kind in kinds) + " | left-out tasks above 0.95 |",
        "|---|---|---|---|---|",
    ]
    for table, here in by_table.items():
        found = [line["novelty"] for line in here if "novelty" in line]
        if found:
            usual = np.concatenate([one["left_out"] for one in found])
            cells = []
            for kind in kinds:
                pooled = auroc(usual, np.concatenate([one[kind] for one in found]))
                mean = np.mean([auroc(np.asarray(one["left_out"]), np.asarray(one[kind])) for one in found])
                cells.append(f"{pooled:.3f} ({mean:.3f})")
            text.append(f"| {table} | " + " | ".join(cells) + f" | {np.mean(usual > 0.95):.1%} |")
    return text


def auroc(usual: np.ndarray, unlike: np.ndarray) -> float:
    """Give the probability that one of the second is above one of the first."""
    above = unlike[:, None] > usual[None]
    return float(np.mean(above + 0.5 * (unlike[:, None] == usual[None])))


def _row(table: str, count: int, lines: list[dict[str, Any]]) -> str:
    tasks = [[one for one in task if one["count"] == count] for line in lines for task in line["tasks"]]
    error, greedy, expected = (
        np.array([np.mean([one[key] for one in task]) for task in tasks])
        for key in ("error", "greedy", "expected")
    )
    answers = [one for task in tasks for one in task]
    covered = sum(one["all_inside"] for one in answers) / sum(one["all_cells"] for one in answers)
    features = max(max(one["features"], default=0) for one in answers) + 1
    inside, seen = np.zeros(features), np.zeros(features)
    for one in answers:
        inside[one["features"]] += one["inside"]
        seen[one["features"]] += one["rows"]
    enough = (seen > 0, seen >= LEAST_SHARE * seen.max())
    tenths = [np.quantile(inside[which] / seen[which], 0.1) for which in enough]
    ratio = expected / error
    seconds = np.mean([line["seconds"] for line in lines])
    cells = [
        table,
        str(count),
        f"{np.median(error):.1%}",
        f"{(error < greedy).sum()} of {len(tasks)}",
        *(f"{share:.1%}" for share in (covered, *tenths)),
        f"{np.median(ratio):.2f}",
        f"{np.median(np.abs(ratio - 1.0)):.2f}",
        f"{seconds:.1f}",
    ]
    return "| " + " | ".join(cells) + " |"
