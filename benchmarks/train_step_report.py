"""Tables, sentences and a chart from the measurements of train_step.py."""

import os
import statistics
from typing import Any

from benchmarks import arithmetic, machine
from benchmarks.peers.problem import SIZES

BAR_SIZE, LEAST, AIM = "M=256 K=50", 3.5, 6.0
COMMAND = "python benchmarks/train_step.py"


def report(results: dict[str, Any], folder: str) -> None:
    """Print the findings and write `train_step.md` and `train_step.png` into a folder."""
    tables = {size: summarise(results["measurements"], size) for size in SIZES}
    text = "\n".join([*_tables(tables), *verdicts(tables)])
    print(f"\n{text}")
    opening = machine.header("CPU time of a training step, one thread", COMMAND, results["about"])
    settings = results["settings"]
    steps = ", ".join(f"{count} at {size}" for size, count in settings["steps"].items())
    with open(os.path.join(folder, "train_step.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(opening))
        file.write(
            f"\nMedian of {settings['rounds']} rounds; each round trains every variant for so many steps "
            f"({steps}) in a process of its own, pinned to one core, after a warm-up. CPU time of all threads "
            "of the process, random numbers and the drawing of episodes included. The limit counts the matrix "
            "products of a step and nothing else, at the rate of a large one.\n\n"
            f"{text}\n\n![us a step](train_step.png)\n"
        )
    _draw(tables, os.path.join(folder, "train_step.png"))
    print(f"\nWritten to {os.path.relpath(folder)}.")


def summarise(measurements: list[dict[str, Any]], size: str) -> dict[str, Any]:
    """Take medians over the rounds of one size."""
    rows = [row for row in measurements if row["size"] == size]
    peak = statistics.median(row["gflops"] for row in rows if "gflops" in row)
    variants = list(dict.fromkeys(row["variant"] for row in rows if "cpu_us" in row))

    def median(variant: str, figure: str) -> float:
        return statistics.median(row[figure] for row in rows if row["variant"] == variant)

    mflop = arithmetic.flops(SIZES[size]) / 1e6
    return {
        "cpu_us": {variant: median(variant, "cpu_us") for variant in variants},
        "spread_us": {
            variant: [pick(row["cpu_us"] for row in rows if row["variant"] == variant) for pick in (min, max)]
            for variant in variants
        },
        "compile_s": {variant: median(variant, "compile_s") for variant in variants},
        "mflop": mflop,
        "gflops": peak,
        "limit_us": 1e3 * mflop / peak,
    }


def verdicts(tables: dict[str, dict[str, Any]]) -> list[str]:
    """Say whether the bars are met and how far the arithmetic limit is."""
    times = tables[BAR_SIZE]["cpu_us"]
    ours = times["tffs"]
    lines = [f"Bars at {BAR_SIZE}:", ""]
    for name in ("PyTorch eager", "PyTorch eager, fused Adam"):
        ratio = times[name] / ours
        met = "met" if ratio >= LEAST else "NOT met"
        aim = "reached" if ratio >= AIM else "not reached"
        lines.append(f"- {ratio:.2f}x faster than {name}: bar {LEAST}x {met}, aim {AIM:g}x {aim}.")
    for name in ("JAX scan", "JAX scan, top_k rows"):
        ratio = times[name] / ours
        lines.append(f"- {ratio:.2f}x as fast as {name}: bar 'faster' {'met' if ratio > 1 else 'NOT met'}.")
    lines.append("")
    for size, table in tables.items():
        lines.append(
            f"- {size}: {table['mflop']:.1f} MFLOP a step at {table['gflops']:.0f} GFLOP/s take "
            f"{table['limit_us']:.0f} us; tffs takes "
            f"{table['cpu_us']['tffs'] / table['limit_us']:.2f} times that."
        )
    return lines


def _tables(tables: dict[str, dict[str, Any]]) -> list[str]:
    lines = [
        "| size | variant | us/step | lowest - highest | times tffs | times the limit | compile s |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for size, table in tables.items():
        ours = table["cpu_us"]["tffs"]
        for variant, microseconds in table["cpu_us"].items():
            low, high = table["spread_us"][variant]
            lines.append(
                f"| {size} | {variant} | {microseconds:.0f} | {low:.0f} - {high:.0f} | "
                f"{microseconds / ours:.2f} | {microseconds / table['limit_us']:.2f} | "
                f"{table['compile_s'][variant]:.1f} |"
            )
        lines.append(f"| {size} | arithmetic limit | {table['limit_us']:.0f} | | | | |")
    return [*lines, ""]


def _draw(tables: dict[str, dict[str, Any]], path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(tables), figsize=(4 * len(tables), 4.5))
    for axis, (size, table) in zip(axes, tables.items(), strict=True):
        names = list(table["cpu_us"])
        colours = ["tab:orange" if name == "tffs" else "tab:gray" for name in names]
        bars = axis.bar(range(len(names)), [table["cpu_us"][name] for name in names], color=colours)
        axis.bar_label(bars, fmt="%.0f", fontsize=8)
        axis.axhline(table["limit_us"], color="tab:blue", linestyle="--", label="arithmetic limit")
        axis.set_xticks(range(len(names)), names, rotation=40, ha="right", fontsize=8)
        axis.set_title(size)
        axis.set_ylim(0, 1.15 * max(table["cpu_us"].values()))
    axes[0].set_ylabel("CPU us a step, one thread")
    axes[0].legend(loc="upper right", fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
