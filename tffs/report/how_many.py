"""Section 2: the error that is left over the number of measured features."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tffs.canvas import canvas
from tffs.evaluation.curve import suggested
from tffs.evaluation.error_curve import NAMES, draw_error_curve
from tffs.report.picture import as_svg
from tffs.report.subject import Subject
from tffs.report.wording import many, share

SPREAD = "for 8 in 10 tasks"


class Curve(NamedTuple):
    """The curve as a picture and as a table.

    Attributes:
        svg: to be put into the page as it is.
        markers: for each number of features of the page, where it is across the picture.
        suggested: from how many features on little is gained.
        known: with how many rows known that was found.
        all: how many features there are to choose from.
        head: of the table.
        lines: of the table.
    """

    svg: str
    markers: list[float]
    suggested: int
    known: int
    all: int
    head: list[str]
    lines: list[list[str]]


def how_many(subject: Subject) -> Curve | None:
    """Put the section together; None where there is one number of features alone."""
    if not subject.ranks:
        return None
    assert subject.chosen is not None
    errors = [subject.chosen.attrs["expected_error_of_none"], *subject.chosen["expected_error"].tolist()]
    measured = (subject.result or {}).get("curve") or []
    known = 0 if subject.support is None else len(subject.support)
    labels = (f"expected, {many(known, 'row') if known else 'no rows'} known", "")
    if measured:
        assert subject.result is not None
        labels = (labels[0], f"measured, {many(subject.result['support_size'], 'row')} known")
    enough = suggested(errors)
    left_out = (subject.result or {}).get("left_out")
    if left_out and not known and not subject.limited:
        enough = left_out["suggested_num_selected"]
        known = (subject.result or {})["support_size"]
    svg, markers = _drawn(dict(enumerate(errors)), measured, (subject.number, enough), subject.counts, labels)
    head, lines = _table(errors, measured, subject.counts)
    return Curve(svg, markers, enough, known, len(errors) - 1, head, lines)


def _drawn(
    expected: Mapping[int, float],
    measured: Sequence[Mapping[str, Any]],
    marked: tuple[int, int],
    counts: Sequence[int],
    labels: tuple[str, str],
) -> tuple[str, list[float]]:
    figure = canvas(8.0, 4.4)
    axes = figure.subplots()
    draw_error_curve(axes, expected, measured, *marked, *labels)
    figure.canvas.draw()
    # An SVG has 72 units an inch, and a figure as many as it has dots.
    scale = 72.0 / figure.dpi
    markers = [round(float(axes.transData.transform((count, 0.0))[0]) * scale, 2) for count in counts]
    return as_svg(figure, "curve"), markers


def _table(
    errors: Sequence[float], measured: Sequence[Mapping[str, Any]], counts: Sequence[int]
) -> tuple[list[str], list[list[str]]]:
    names = list(measured[0]["yardsticks"]) if measured else []
    spreads = any(point.get("measured_low") != point.get("measured_high") for point in measured)
    unknown = any(point.get("nothing_known") is not None for point in measured)
    head = ["features", "expected", *(["measured"] if measured else []), *([SPREAD] if spreads else [])]
    head += ["nothing known"] if unknown else []
    by_count = {point["num_selected"]: point for point in measured}
    lines = []
    for count in sorted({0, *counts, *by_count}):
        if count >= len(errors):
            continue
        point = by_count.get(count, {})
        line = [str(count), share(errors[count])]
        if measured:
            line.append(share(point.get("measured")))
            if spreads:
                low, high = point.get("measured_low"), point.get("measured_high")
                line.append("" if low is None else f"{share(low)} to {share(high)}")
            if unknown:
                line.append(share(point.get("nothing_known")))
            line += [share(point.get("yardsticks", {}).get(name)) for name in names]
        lines.append(line)
    return [*head, *(NAMES.get(name, name) for name in names)], lines
