"""The report for a new task, from a model that is asked about it."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from tffs.errors import UserError, reason
from tffs.report.making import making_of_model
from tffs.report.page import write_page
from tffs.report.subject import Making, Subject
from tffs.serving.front_door import FrontDoor
from tffs.whole_file import replacing


def write_task_report(
    path: str,
    door: FrontDoor,
    chosen: pd.DataFrame,
    number: int,
    support: pd.DataFrame | None,
    *,
    task: str | None = "the new task",
    show_rows: bool = False,
    result: Mapping[str, Any] | None = None,
    making: Making | None = None,
    exclude: Sequence[str] = (),
    limited: bool = False,
) -> str:
    """Write the page for a task.

    Args:
        path: the HTML file to write.
        door: the model.
        chosen: all features that may be chosen, best first, as `FrontDoor.rank` gives them; for the paper's
            network what `FrontDoor.select` gives.
        number: how many of them are measured.
        support: what is known of the task, or None.
        task: what it is called; None where there is none.
        show_rows: whether the rows of the support are shown.
        result: what was measured of the model on tasks left out, or None.
        making: how the model was made; what the model says of it if not given.
        exclude: features that may not be measured.
        limited: whether there are limits to what may be measured.

    Returns:
        The path of the page.
    """
    description = door.describe()
    name = None if making is not None and making.in_python else (description.training or {}).get("dataset")
    subject = Subject(
        title=f"What to measure on {task or 'a new task'}" + (f": {name}" if name else ""),
        description=description,
        chosen=chosen,
        number=number,
        door=door if description.ranks else None,
        support=support,
        task=task,
        show_rows=show_rows,
        result=result,
        making=making or making_of_model(description.training, description.method),
        exclude=exclude,
        limited=limited,
    )
    try:
        with replacing(os.fspath(path)) as part:
            write_page(part, subject)
    except OSError as error:
        raise UserError(
            f"{path} could not be written ({reason(error)}): give a file in a folder that can be written to."
        ) from error
    return os.fspath(path)
