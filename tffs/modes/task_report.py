"""The report for a new task, of a model that the command line asks."""

import pandas as pd

from tffs.estimator.choice import Limits
from tffs.report import write_task_report
from tffs.report.beside import measured_beside
from tffs.serving.front_door import FrontDoor


def task_report(
    path: str,
    model: FrontDoor,
    chosen: pd.DataFrame,
    rows: pd.DataFrame | None,
    limits: Limits,
    place: str | None,
    show_rows: bool,
) -> str:
    """Write the page for a task.

    Args:
        path: the file to write.
        model: is asked.
        chosen: the features that were chosen.
        rows: what is known of the task.
        limits: what may be measured.
        place: the folder of the model, beside which its figures may be; None for a server.
        show_rows: whether the rows are shown.

    Returns:
        The path of the page.
    """
    ranked = model.rank(rows, **limits.arguments()) if model.describe().ranks else chosen
    beside = measured_beside(place)
    return write_task_report(
        path,
        model,
        ranked,
        len(chosen),
        rows,
        show_rows=show_rows,
        result=beside and beside.result,
        making=beside and beside.making,
        exclude=tuple(limits.exclude),
        limited=limits.any,
    )
