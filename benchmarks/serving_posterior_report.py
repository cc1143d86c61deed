"""The page of serving_posterior.py."""

from typing import Any

import numpy as np

from benchmarks import machine

MODELS = 3  # that take turns as versions
FLAT = 1.05  # memory in their last round by that in the second: the first warms the server up
POINTS = 20  # of the series of memory
BARS = "▁▂▃▄▅▆▇█"


def report(results: dict[str, Any]) -> list[str]:
    """Write the results page."""
    title = "The embedded server with a posterior model, asked everything at once"
    lines = machine.header(title, "python -m benchmarks.serving_posterior", results["about"])
    load, checked = results["load"], results["checked"]
    answering = len(checked["answered_by"]) - 1  # without the one that served from the start
    components = ", ".join(str(model["components"]) for model in results["models"])
    lines += [
        "Three models of M = 256 and K = 20 (mixtures of so many components: "
        f"{components}) take turns as new versions while 64 clients ask {results['questions']} different "
        "questions again and again, half over gRPC and half over REST. "
        "Every answer is compared with plain NumPy in float64, of the version that answered. Server and "
        "clients share the machine.",
        "",
        f"- {load['requests']:,} requests in {load['seconds']:.0f} s, {load['requests_a_second']:,.0f} a "
        f"second: {load['failed']} failed or refused, {load['wrong']} wrong: "
        f"{_met(not load['failed'] + load['wrong'])}.",
        f"- Versions published meanwhile: {checked['published']}; of these answered: {answering}: "
        f"{_met(checked['published'] == answering)}.",
        *_memory(results["series"]),
        f"- Near-ties: {checked.get('near-ties', 0):,} answers chose another feature than float64 does, one "
        f"worth at least {1 - checked['worst'].get('near-tie', 0.0):.6f} of the best.",
        "- Largest deviations of answers that were right: "
        + "; ".join(
            f"{name} {value:.1g}" for name, value in sorted(checked["worst"].items()) if name != "near-tie"
        )
        + ".",
        "",
        "## By kind of question",
        "",
        "`select` is within limits (included, excluded, costs, budget), `reconstruct` with intervals, "
        "`novelty` of rows more or less unusual, `rank` gives all 256 features. Tasks have 0 to 16 support "
        "rows. Compute is the signature called in a process, for one task of 8 rows and for 16 such tasks at "
        "once.",
        "",
        "| question | protocol | requests | p50 ms | p99 ms | compute, 1 task, ms | compute, 1 of 16, ms |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for name, cell in sorted(results["kinds"].items()):
        kind, protocol = name.split(", ")
        alone = results["compute"][kind]
        lines.append(
            f"| {kind} | {protocol} | {cell['requests']:,} | {cell['p50_ms']:.0f} | {cell['p99_ms']:.0f} | "
            f"{alone['1']:.2f} | {alone['16']:.2f} |"
        )
    counts: dict[str, int] = {}
    for name, cell in results["kinds"].items():
        kind = name.split(", ")[0]
        counts[kind] = counts.get(kind, 0) + cell["requests"]
    for batch, words in (("1", "one at a time"), ("16", "16 at a time")):
        seconds = sum(1e-3 * results["compute"][kind][batch] * count for kind, count in counts.items())
        lines += ["", _ratio(seconds, load["seconds"], words)]
    whole, first = (results["compute"][kind]["1"] for kind in ("rank", "select"))
    lines += [
        "",
        f"Choosing 20 features takes {first / whole:.0%} of the time of ranking all 256; before "
        "`select_limited` every choice within limits was a whole ranking.",
    ]
    return lines


def _ratio(compute: float, seconds: float, words: str) -> str:
    return (
        f"The models alone, called {words}, would take {compute:.0f} s for these requests: the load took "
        f"{seconds / compute:.2f} times that."
    )


def _memory(series: list[dict[str, float]]) -> list[str]:
    """Compare the last round of the models with the second, and draw what was between."""
    memory = np.array([point["memory_mb"] for point in series])
    parts = [part for part in np.array_split(memory, POINTS) if len(part)]
    shown = [float(np.median(part)) for part in parts]
    low, high = min(shown), max(shown)
    bars = "".join(BARS[int((value - low) / max(high - low, 1.0) * (len(BARS) - 1))] for value in shown)
    least = _least(series)
    judged = f"Fewer than {3 * MODELS} versions do not tell whether it grows."
    if len(least) >= 3 * MODELS:
        grown = float(np.mean(least[-MODELS:]) / np.mean(least[MODELS : 2 * MODELS]))
        judged = (
            f"The last round of the {MODELS} models takes {grown:.3f} times as much as the second: "
            f"{_met(grown < FLAT)} (bar {FLAT})."
        )
    return [
        "- Memory of the server, the least while each version served: "
        f"{', '.join(f'{one:.0f}' for one in least)} MB. {judged} "
        f"All of it over the run: `{bars}` ({low:.0f} to {high:.0f} MB; while a version is loaded, "
        f"{memory.max():.0f} MB).",
    ]


def _least(series: list[dict[str, float]]) -> list[float]:
    """Give the least memory while each version served, in their order: then no other was loaded."""
    versions = sorted({point["version"] for point in series})
    return [min(point["memory_mb"] for point in series if point["version"] == one) for one in versions]


def _met(condition: bool) -> str:
    return "met" if condition else "MISSED"
