"""The tables and the picture of docs/scale.md."""

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from benchmarks.machine import ROOT
from benchmarks.scale_model import Law, Plan, Size, laws, plan, size_of
from tffs.canvas import canvas, save
from tffs.markdown import table

COMMAND = "python -m benchmarks.scale"
PAGE = os.path.join(ROOT, "docs", "scale.md")
PICTURE = os.path.join(ROOT, "docs", "pictures", "scale.png")

TARGETS = {
    "10⁹ rows": Size(N=1e9, T=1e3, M=100, r=160),
    "10⁵ features": Size(N=1e6, T=1e3, M=1e5, r=160),
    "10⁶ tasks": Size(N=2e7, T=1e6, M=100, r=160),
    "all three": Size(N=1e9, T=1e6, M=1e5, r=160),
}
MAIN_MEMORY = 64e9  # bytes of a main process that is called large
SECONDS_OF_A_DAY = 86_400.0


def write_page(found: Mapping[str, Any]) -> None:
    """Put tables into docs/scale.md, and draw its picture."""
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    tables = sections(found)
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(filled(page, tables))
    draw(found, PICTURE)
    print("\n\n".join(tables.values()))


def filled(page: str, tables: Mapping[str, str]) -> str:
    """Put tables between the marks that name them."""
    return re.sub(
        r"(<!-- measured: ([a-z ]+) -->\n).*?(<!-- end of measured -->)",
        lambda mark: f"{mark[1]}\n{tables[mark[2]]}\n\n{mark[3]}",
        page,
        flags=re.DOTALL,
    )


def sections(found: Mapping[str, Any]) -> dict[str, str]:
    """Write all tables, by the names in the page."""
    known = laws(found)
    plans = {name: plan(size, known) for name, size in TARGETS.items()}
    about = found["about"]
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    return {
        "how": f"`{COMMAND}`, {about['date']}, {about['machine']}, "
        f"one thread, {versions}. Seconds are CPU time; the load average at the start was "
        f"{about['load average at the start']}.",
        "fits": _fits(found["fits"], known),
        "together": _together(found["together"], found["fits"], known),
        "answers": _answers(found["answers"], known),
        "reads": _reads(found["reads"]),
        "laws": _laws(known.values()),
        "plans": _plans(plans),
        "first to break": _first_to_break(plans),
    }


def _fits(fits: list[dict[str, Any]], known: Mapping[str, Law]) -> str:
    rows = []
    for one in fits:
        size = size_of(one)
        kind = _kind(size)
        rows.append(
            {
                "changes": one["axis"],
                "rows": f"{size.N:,.0f}",
                "tasks": f"{size.T:,.0f}",
                "features": f"{size.M:,.0f}",
                "rank": "full" if size.full else f"{size.r:.0f}",
                "sums, s": _short(one["sums_s"]),
                "all else, s": _short(one["rest_s"]),
                "by the laws, s": _short(known[f"sums {kind}"](size) + known[f"rest {kind}"](size)),
                "passes": f"{one['passes']:.0f}",
                "peak MB": f"{one['peak_mb']:,.0f}",
                "by the law, MB": _megabytes(known[f"memory {kind}"](size)),
            }
        )
    return table(pd.DataFrame(rows))


def _together(fits: list[dict[str, Any]], alone: list[dict[str, Any]], known: Mapping[str, Law]) -> str:
    peaks = {size_of(one): one["peak_mb"] for one in alone}
    rows = []
    for one in fits:
        size = size_of(one)
        rows.append(
            {
                "rows": f"{size.N:,.0f}",
                "tasks": f"{size.T:,.0f}",
                "features": f"{size.M:,.0f}",
                "rank": "full" if size.full else f"{size.r:.0f}",
                "one fold after the other, peak MB": f"{peaks[size]:,.0f}" if size in peaks else "",
                "all folds together, peak MB": f"{one['peak_mb']:,.0f}",
                "by the law, MB": _megabytes(known[f"together {_kind(size)}"](size)),
            }
        )
    return table(pd.DataFrame(rows))


def _answers(answers: list[dict[str, Any]], known: Mapping[str, Law]) -> str:
    rows = []
    for one in sorted(answers, key=lambda one: (one["features"], one["rank"], one["count"])):
        size = Size(M=one["features"], r=one["rank"], K=one["count"])
        rows.append(
            {
                "features": f"{size.M:,.0f}",
                "rank": "full" if size.full else f"{size.r:.0f}",
                "K": f"{size.K:.0f}",
                "ms": _short(one["ms"]),
                "by the law, ms": _short(known[f"answer {_kind(size)}"](size)),
                "weights, MB": f"{one['model_mb']:.1f}",
            }
        )
    return table(pd.DataFrame(rows))


def _reads(reads: list[dict[str, Any]]) -> str:
    return table(
        pd.DataFrame(
            {
                "features": f"{one['features']:,}",
                "rows a second": f"{one['rows'] / one['read_s']:,.0f}",
                "MB a second": f"{4e-6 * one['rows'] * one['features'] / one['read_s']:,.0f}",
            }
            for one in reads
        )
    )


def _laws(known: Iterable[Law]) -> str:
    return table(
        pd.DataFrame(
            {
                "cost": one.what,
                "unit": one.unit,
                "law": " + ".join(
                    _figures(factor) if name == "1" else f"{_figures(factor)} {name}"
                    for name, factor in one.coefficients.items()
                ),
                "measured by predicted": f"{min(one.misses):.2f} to {max(one.misses):.2f}",
            }
            for one in known
        )
    )


def _plans(plans: Mapping[str, Plan]) -> str:
    lines: dict[str, list[str]] = {"": list(plans)}
    for name, size in TARGETS.items():
        one = plans[name]
        for what, value in {
            "rows": f"{size.N:,.0f}",
            "features": f"{size.M:,.0f}",
            "tasks": f"{size.T:,.0f}",
            "the table as float32": _bytes(one.table_bytes),
            "passes": f"{one.passes:.0f}",
            "work to share, core-hours": _short(one.spread_seconds / 3600),
            "sums that workers hand on, at most": _bytes(one.shuffled_bytes),
            "- hours of a worker at 1 Gbit/s": _short(one.link_seconds / 3600),
            "task means and sums through the folder": _bytes(one.folder_bytes),
            "workers to end it in a day": _workers(one),
            "memory of a worker, above its imports": _bytes(one.worker_bytes),
            "work of the main process, hours": _short(one.main_seconds / 3600),
            "memory of the main process, above its imports": _bytes(one.main_bytes),
            "- while it reads": _bytes(one.reading_bytes),
            "- while it fits": _bytes(sum(one.fitting_bytes.values())),
            **{f"- - {part}": _bytes(value) for part, value in one.fitting_bytes.items()},
        }.items():
            lines.setdefault(what, []).append(value)
    return table(
        pd.DataFrame([[what, *values] for what, values in list(lines.items())[1:]], columns=["", *plans])
    )


def _workers(plan: Plan) -> str:
    """Say how many workers end a fit in a day, if what the main process does alone leaves time for them."""
    left = SECONDS_OF_A_DAY - plan.main_seconds
    shared = plan.spread_seconds + plan.link_seconds
    return "none can" if left <= 0 else f"{max(-(-shared // left), 1):,.0f}"


def _first_to_break(plans: Mapping[str, Plan]) -> str:
    said = []
    for name, one in plans.items():
        breaks = []
        if one.main_bytes > MAIN_MEMORY:
            breaks.append(f"the memory of the main process, {_bytes(one.main_bytes)} ({_most(one)})")
        if one.shuffled_bytes > one.table_bytes:
            breaks.append(
                f"the shuffle, up to {_bytes(one.shuffled_bytes)} of sums, "
                f"{_short(one.shuffled_bytes / one.table_bytes)} times the table: at 1 Gbit/s workers send for "
                f"{_short(one.link_seconds / 3600)} hours and compute for {_short(one.spread_seconds / 3600)}"
            )
        if one.main_seconds > SECONDS_OF_A_DAY:
            breaks.append(
                f"the time of the main process, {one.main_seconds / 3600:,.0f} hours, which no workers shorten"
            )
        said.append(
            f"- **{name}:** {'; and '.join(breaks)}."
            if breaks
            else f"- **{name}:** nothing. The main process needs {_bytes(one.main_bytes)} ({_most(one)})."
        )
    return "\n".join(said)


def _most(plan: Plan) -> str:
    """Say what most of the main process's memory is for, when it holds most."""
    if plan.reading_bytes >= sum(plan.fitting_bytes.values()):
        return "where each row is, while it reads"
    part, size = max(plan.fitting_bytes.items(), key=lambda item: item[1])
    return f"{_bytes(size)} of it for {part}"


def draw(found: Mapping[str, Any], path: str) -> None:
    """Draw measured and predicted time and memory over rows, tasks and features."""
    known = laws(found)
    drawing = canvas(9.0, 5.6)
    axes = drawing.subplots(2, 3, sharex="col", sharey="row")
    along: dict[str, tuple[tuple[str, ...], str]] = {
        "rows": (("rows",), "N"),
        "tasks": (("tasks",), "T"),
        "features": (("features", "many features"), "M"),
    }
    for column, (title, (wanted, name)) in enumerate(along.items()):
        fits = sorted(
            (one for one in found["fits"] if one["axis"] in wanted),
            key=lambda one: (one["features"], one["tasks"], one["rows"]),
        )
        sizes = [size_of(one) for one in fits]
        x = [getattr(size, name) for size in sizes]
        seconds = [sum(known[f"{part} {_kind(size)}"](size) for part in ("sums", "rest")) for size in sizes]
        memory = [known[f"memory {_kind(size)}"](size) / 2**20 for size in sizes]
        for place, measured, predicted in (
            (axes[0, column], [one["sums_s"] + one["rest_s"] for one in fits], seconds),
            (axes[1, column], [one["peak_mb"] for one in fits], memory),
        ):
            place.loglog(x, measured, "o", label="measured")
            place.loglog(x, predicted, "-", label="by the laws")
        axes[1, column].set_xlabel(title)
    axes[0, 0].set_ylabel("CPU seconds of a fit")
    axes[1, 0].set_ylabel("peak MB of a fit")
    axes[0, 0].legend(frameon=False)
    save(drawing, path)


def _kind(size: Size) -> str:
    return "full" if size.full else "low rank"


def _figures(value: float) -> str:
    """Give two figures, and no exponent where that is short."""
    return f"{float(f'{value:.2g}'):,.0f}" if value >= 10.0 else f"{value:.2g}"


def _megabytes(value: float) -> str:
    return f"{value / 2**20:,.0f}"


def _short(value: float) -> str:
    """Give two or three figures that count."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _bytes(value: float) -> str:
    for unit, size in (("PB", 1e15), ("TB", 1e12), ("GB", 1e9)):
        if value >= size:
            return f"{value / size:,.3g} {unit}"
    return f"{value / 1e6:,.0f} MB"
