"""The report of a fitted selector."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from tffs.report.of_task import write_task_report

if TYPE_CHECKING:
    from tffs.estimator.selector import FewShotFeatureSelector


def report(selector: "FewShotFeatureSelector", path: str, rows: bool) -> str:
    """Write the page of a selector.

    Args:
        selector: is fitted.
        path: the file to write.
        rows: whether the adapted rows are shown.

    Returns:
        The path of the page.
    """
    try:
        facts = selector._figures.facts()
    except AttributeError:
        facts = None
    choice, support, limits = selector._choice(), selector._support, selector._limits()
    names = list(selector._door.describe().feature_names)
    if support is not None and not isinstance(support, pd.DataFrame):
        support = pd.DataFrame(np.asarray(support, np.float64), columns=names)
    return write_task_report(
        path,
        selector._door,
        choice.ranked,
        choice.number,
        support,
        task=None if support is None else "the new task",
        show_rows=rows,
        result=facts if facts is not None and "num_selected" in facts else None,
        making=selector._making,
        exclude=tuple(limits.exclude),
        limited=limits.any,
    )
