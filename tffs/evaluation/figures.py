"""The figures of an evaluation, as one record that every page, table and file of results is made from.

A new metric is a field here and the line that computes it in `tffs.evaluation.target`.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any


@dataclasses.dataclass(frozen=True)
class Metric:
    """How a figure is shown.

    Attributes:
        name: its key in results.
        title: what people call it.
        format: of a number, for `str.format`.
        factor: what a number is multiplied by before it is shown.
        in_table: whether the table at the end of a run has a column of it.
    """

    name: str
    title: str
    format: str
    factor: float = 1.0
    in_table: bool = True

    def shown(self, value: float | None) -> str:
        """Write a value; a dash stands for none."""
        return "-" if value is None else self.format.format(self.factor * value)


def _metric(title: str, format: str, factor: float = 1.0, in_table: bool = True) -> Any:
    return dataclasses.field(
        metadata={"title": title, "format": format, "factor": factor, "in_table": in_table}
    )


@dataclasses.dataclass(frozen=True)
class Figures:
    """What a method did on a held-out task.

    Attributes:
        msre: mean over rows of the squared error summed over features, in scaled units, as the paper has it;
            None where nothing was reconstructed.
        msre_unmeasured: the part of it on features that were not selected.
        relative_error: `msre` as a share of the error of always answering the source tasks' mean; None where
            that makes no error.
        accuracy: percentage of rows whose label was predicted, or None where none was.
        ari: adjusted Rand index in percent, or None without labels.
        nmi: normalized mutual information in percent, or None without labels.
        distinct: how many different features were selected.
        selected: the K features in the selectors' order.
    """

    msre: float | None = _metric("MSRE", "{:.4g}")
    msre_unmeasured: float | None = _metric("MSRE, not measured", "{:.4g}", in_table=False)
    relative_error: float | None = _metric("error", "{:.1f} %", 100.0)
    accuracy: float | None = _metric("accuracy", "{:.1f} %")
    ari: float | None = _metric("ARI %", "{:.1f}")
    nmi: float | None = _metric("NMI %", "{:.1f}")
    distinct: float | None = _metric("distinct", "{:.3g}", in_table=False)
    selected: tuple[int, ...] = ()

    def by_metric(self) -> dict[str, float | None]:
        """Give the value of every metric, as results hold them."""
        return {name: getattr(self, name) for name in METRICS}


METRICS: Mapping[str, Metric] = {
    field.name: Metric(field.name, **field.metadata) for field in dataclasses.fields(Figures) if field.metadata
}
NO_FIGURES: Mapping[str, None] = dict.fromkeys(METRICS)
