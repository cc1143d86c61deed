"""The report for a new task, of a model that the command line asks."""

import pandas as pd

from data_builders.table.options import stem_of
from tffs.config import QuestionConfig
from tffs.estimator.choice import Limits
from tffs.serving.front_door import FrontDoor
from tffs.startup import import_tensorflow


def task_report(
    asked: QuestionConfig,
    model: FrontDoor,
    chosen: pd.DataFrame,
    rows: pd.DataFrame | None,
    limits: Limits,
    show_rows: bool,
) -> None:
    """Write the page for a task, which is called after the file of its rows.

    Args:
        asked: the question, with the file to write.
        model: is asked.
        chosen: the features that were chosen.
        rows: what is known of the task.
        limits: what may be measured.
        show_rows: whether the rows are shown.
    """
    import_tensorflow()  # quietly, for a model at a server
    from tffs.report.beside import measured_beside
    from tffs.report.of_task import write_task_report

    assert asked.report is not None
    beside = measured_beside(None if asked.server else asked.model)
    write_task_report(
        asked.report,
        model,
        model.rank(rows, **limits.arguments()) if model.describe().ranks else chosen,
        len(chosen),
        rows,
        task=stem_of(asked.support) if asked.support else "the new task",
        show_rows=show_rows,
        result=beside and beside.result,
        making=beside and beside.making,
        exclude=tuple(limits.exclude),
        limited=limits.any,
    )
