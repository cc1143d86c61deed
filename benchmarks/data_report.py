"""Tables and sentences from the measurements of data.py."""

import os
import statistics
from math import log
from typing import Any

from benchmarks import machine

COMMAND = "python -m benchmarks.data"
LEAST_DRAWN, MOST_EXPONENT = 5.0, 1.1
FILES = {".csv": "CSV", ".parquet": "Parquet"}
COSTS = {
    "preparing, CPU seconds": ("prepare", "cpu_s"),
    "preparing, memory": ("prepare", "peak_mb"),
    "start-up, CPU seconds": ("start", "cpu_s"),
    "start-up, memory": ("start", "peak_mb"),
}


def report(results: dict[str, Any], folder: str) -> None:
    """Print the findings and write `data.md` and `data.json` into a folder."""
    results["exponents"] = exponents(results["growing"])
    lines = [*_reading(results), *_drawing(results["drawing"]), *_starting(results)]
    text = "\n".join(lines)
    print(f"\n{text}")
    opening = machine.header("From a table to episodes", COMMAND, results["about"])
    opening.insert(-1, f"- Time: {results['seconds']:.0f} s")
    machine.write_json(os.path.join(folder, "data.json"), results)
    with open(os.path.join(folder, "data.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(opening) + f"\n{text}\n")
    print(f"\nWritten to {os.path.relpath(folder)}.")


def exponents(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Fit cost = constant * rows ** exponent, to all sizes and to the two largest.

    What a run costs however small it is hides growth at the small sizes, so the largest tell more.
    """
    return {
        cost: {
            "all sizes": _slope(rows, *place),
            "two largest": _slope(sorted(rows, key=lambda row: row["rows"])[-2:], *place),
        }
        for cost, place in COSTS.items()
    }


def _slope(rows: list[dict[str, Any]], part: str, figure: str) -> float:
    costs = [log(max(row[part][figure], 1e-3)) for row in rows]
    return statistics.linear_regression([log(row["rows"]) for row in rows], costs).slope


def _reading(results: dict[str, Any]) -> list[str]:
    lines = [
        "## Into a prepared dataset",
        "",
        f"Medians of {results['rounds']} round(s) in which all take turns, with the files in the page cache. "
        "tffs reads, surveys, sorts by task and writes a new dataset; pandas (`read_csv`, `read_parquet`) only "
        "reads; TFDS (a plain `GeneratorBasedBuilder`) only writes, rows that are in memory. Arrow has all "
        "cores, TensorFlow one thread. 'CPU' is the same ratio by CPU time of all threads.",
        "",
        "| table | file | MB | tffs rows/s | pandas rows/s | tffs / pandas | CPU "
        "| TFDS rows/s | tffs / TFDS | CPU |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for table in results["reading"]:
        times = table["times"]
        for ending, file in FILES.items():
            ours, pandas, tfds = times[f"tffs {ending}"], times[f"pandas {ending}"], times["TFDS"]
            lines.append(
                f"| {table['rows']:,} x {table['features']:,} | {file} | {table['megabytes'][ending]:.1f} | "
                f"{_rate(ours):,.0f} | {_rate(pandas):,.0f} | {_ratio(ours, pandas)} | "
                f"{_ratio(ours, pandas, 'cpu_s')} | {_rate(tfds):,.0f} | {_ratio(ours, tfds)} | "
                f"{_ratio(ours, tfds, 'cpu_s')} |"
            )
    written = ", ".join(
        f"{table['times']['TFDS']['rows']:,} of {table['rows']:,}" for table in results["reading"]
    )
    return [*lines, "", f"TFDS wrote {written} rows.", ""]


def _drawing(drawing: dict[str, Any]) -> list[str]:
    times = drawing["times"]
    training = times["training"]
    names = {
        "episodes": "episodes alone (`EpisodeGenerator.dataset`)",
        "chunks": "chunks: episodes and Gumbel noise (`Chunks.dataset`)",
        "training": "training, its drawing included",
    }
    lines = [
        "## Out of the episode generator",
        "",
        f"{drawing['size']}, one episode a step; one thread on one core, medians of rounds in which the three "
        "take turns. Ratios are by CPU time, which other programs on the machine disturb least.",
        "",
        "| | steps a CPU second | steps/s | times training |",
        "|---|---:|---:|---:|",
    ]
    for what, name in names.items():
        row = times[what]
        lines.append(
            f"| {name} | {_rate(row, 'cpu_s'):,.0f} | {_rate(row):,.0f} | {_ratio(row, training, 'cpu_s')} |"
        )
    lines.append("")
    for what in ("episodes", "chunks"):
        ratio = _rate(times[what], "cpu_s") / _rate(training, "cpu_s")
        met = "met" if ratio >= LEAST_DRAWN else "NOT met"
        lines.append(f"- {names[what]}: {ratio:.1f}x the training rate, bar {LEAST_DRAWN:g}x {met}.")
    return [*lines, ""]


def _starting(results: dict[str, Any]) -> list[str]:
    lines = [
        "## Start-up",
        "",
        "From a CSV, each in a process of its own: preparing (`prepare_table`), and `settle` on what was "
        "prepared, which loads, splits and scales the rows before a run trains. Imports are not counted; peak "
        "memory is what was needed above that of the imports.",
        "",
        "| tasks | rows | features | prepare s | CPU s | peak MB | start-up s | CPU s | peak MB |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in (*results["growing"], results["wide"]):
        figures = [
            f"{row[part]['wall_s']:.2f} | {row[part]['cpu_s']:.2f} | {row[part]['peak_mb']:.0f}"
            for part in ("prepare", "start")
        ]
        sizes = f"{row['tasks']:,} | {row['rows']:,} | {row['features']:,}"
        lines.append(f"| {sizes} | {' | '.join(figures)} |")
    lines += [
        "",
        "Exponent of the cost against the number of rows, at one number of features; 1 is linear. What does "
        "not depend on the rows flattens the small sizes, so the two largest tell more.",
        "",
        f"| cost | all sizes | two largest | at most {MOST_EXPONENT:g} |",
        "|---|---:|---:|---|",
    ]
    for cost, fitted in results["exponents"].items():
        met = "met" if max(fitted.values()) <= MOST_EXPONENT else "NOT met"
        lines.append(f"| {cost} | {fitted['all sizes']:.2f} | {fitted['two largest']:.2f} | {met} |")
    return lines


def _rate(row: dict[str, float], kind: str = "wall_s") -> float:
    return row.get("rows", row.get("steps", 0)) / row[kind]


def _ratio(row: dict[str, float], other: dict[str, float], kind: str = "wall_s") -> str:
    ratio = _rate(row, kind) / _rate(other, kind)
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.1f}"
