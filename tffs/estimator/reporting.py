"""The report of a fitted selector."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from tffs.startup import import_tensorflow
from tffs.whole_file import check_folder_of

if TYPE_CHECKING:
    from tffs.estimator.selector import FewShotFeatureSelector


def report(selector: "FewShotFeatureSelector", path: str, rows: bool, task: str | None) -> str:
    """Write the page of a selector.

    Args:
        selector: is fitted.
        path: the file to write.
        rows: whether the adapted rows are shown.
        task: what the new task is called.

    Returns:
        The path of the page.
    """
    check_folder_of(path)
    import_tensorflow()  # quietly, for a model at a server
    from tffs.report.making import making_in_python
    from tffs.report.of_task import write_task_report

    result = selector._result or selector._figures.facts_or_none()
    result = result if result is not None and "num_selected" in result else None
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
        task=None if support is None else task or "the new task",
        show_rows=rows,
        result=result,
        making=selector._making
        or making_in_python(selector._door.describe(), result, _written(selector), selector.missing),
        exclude=tuple(limits.exclude),
        limited=limits.any,
    )


def _written(selector: "FewShotFeatureSelector") -> str:
    """Write a selector as Python reads it, without the folder that its fit was kept in."""
    given = {name: value for name, value in selector.get_params(deep=False).items() if name != "checkpoint_dir"}
    default = type(selector)().get_params(deep=False)
    changed = [f"{name}={value!r}" for name, value in given.items() if repr(value) != repr(default[name])]
    return f"FewShotFeatureSelector({', '.join(changed)})"
