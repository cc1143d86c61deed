"""Write tables and figures in Markdown."""

import math
from collections.abc import Iterable, Sequence

from tffs.evaluation.statistics import mean_and_deviation
from tffs.tables.comparison import Comparison
from tffs.tables.names import METRICS
from tffs.tables.paper import PaperRow

NOTHING = "–"


def table(header: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """Write a table whose columns also line up as plain text.

    Args:
        header: the columns' titles.
        rows: one text a column.
        left: how many columns are text and stand to the left; the others hold figures.
    """
    lines = [[cell.replace("|", "\\|") for cell in row] for row in (header, *rows)]
    widths = [max(3, *(len(line[column]) for line in lines)) for column in range(len(header))]
    rule = ["-" * width if column < left else "-" * (width - 1) + ":" for column, width in enumerate(widths)]

    def written(cells: Sequence[str]) -> str:
        padded = [
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return f"| {' | '.join(padded)} |"

    return "\n".join(map(written, (lines[0], rule, *lines[1:])))


def figure(values: Sequence[float], decimals: int, bold: bool = False) -> str:
    """Write mean(standard deviation); only the mean where one value has no deviation."""
    if not values:
        return NOTHING
    mean, deviation = mean_and_deviation(values)
    text = f"{mean:z.{decimals}f}" + ("" if math.isnan(deviation) else f"({deviation:.{decimals}f})")
    return f"**{text}**" if bold else text


def figures(comparison: Comparison, methods: Sequence[str]) -> list[str]:
    """Write one mean(deviation) a method over the shared cells, the best in boldface."""
    decimals = decimals_of(comparison, methods)
    best = comparison.best()
    return [figure(comparison.figures(method), decimals, method in best) for method in methods]


def paper_figures(row: PaperRow, columns: Sequence[str]) -> list[str]:
    """Write the paper's figures of these columns."""
    return [row[column].shown if column in row else NOTHING for column in columns]


def decimals_of(comparison: Comparison, methods: Sequence[str]) -> int:
    """Choose the decimals of a row: the metric's, and one more for errors that are as small as Amazon's."""
    means = [abs(comparison.mean(method)) for method in methods if comparison.figures(method)]
    small = comparison.metric == "msre" and bool(means) and min(means) < 0.1
    return METRICS[comparison.metric].decimals + small
