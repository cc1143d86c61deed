"""The report of a run, from the files in its folder."""

import os
from typing import Any

import pandas as pd

from tffs.errors import UserError
from tffs.evaluation.result import LEFT_OUT, TARGET
from tffs.evaluation.stored_result import result_with_counts
from tffs.evaluation.target_picture import CHOSEN, PICTURE
from tffs.report.making import making_of_run
from tffs.report.page import write_page
from tffs.report.subject import Picture, Subject
from tffs.serving.front_door import FrontDoor
from tffs.workdir import Workdir

REPORT = "report.html"
_PICTURES = {
    PICTURE: "Images of the task, what was inferred of them, where it is unsure, and the chosen pixels in red",
    CHOSEN: "Images of the task and the chosen pixels in red",
}


def write_run_report(workdir: Workdir, door: FrontDoor, show_rows: bool = False) -> str:
    """Write `<workdir>/report.html`.

    Args:
        workdir: of a run that was evaluated.
        door: the run's model.
        show_rows: whether the rows of a held-out task's support, and pictures of its rows, are shown.

    Returns:
        The path of the page.
    """
    result = result_with_counts(workdir)
    if result is None:
        raise UserError(
            f"{workdir.path} holds no result.json, so there is nothing to report: measure the run with "
            "--mode=evaluate first."
        )
    description = door.describe()
    target = result.get("target_task") if result.get("evaluated_on") == TARGET else None
    support = _support(workdir, description.feature_names) if target is not None else None
    if target is None and not description.ranks:
        chosen = None
    elif description.ranks:
        chosen = door.rank(support)
    else:
        chosen = door.select(support)
    subject = Subject(
        title=_title(result),
        description=description,
        chosen=chosen,
        number=result["num_selected"],
        door=door if description.ranks else None,
        support=support,
        task=target,
        show_rows=show_rows,
        result=result,
        making=making_of_run(workdir, result),
        pictures=_pictures(workdir) if show_rows else (),
    )
    with workdir.replacing(REPORT) as path:
        write_page(path, subject)
    return workdir.file(REPORT)


def _title(result: dict[str, Any]) -> str:
    name = f": {result['dataset']}" if result.get("dataset") else ""
    if result.get("evaluated_on") == LEFT_OUT or result.get("target_task") is None:
        return f"What to measure on a new task{name}"
    return f"What to measure on task {result['target_task']}{name}"


def _support(workdir: Workdir, names: tuple[str, ...]) -> pd.DataFrame:
    """Read the rows of the held-out task that were known."""
    path = workdir.file("support.csv")
    try:
        return pd.read_csv(path, header=0, names=list(names), index_col=False)
    except (OSError, ValueError) as error:
        raise UserError(
            f"{path} is not what the run wrote: put back a copy of it, or give the run's command again with "
            "another --workdir."
        ) from error


def _pictures(workdir: Workdir) -> list[Picture]:
    found = []
    for name, title in _PICTURES.items():
        if os.path.exists(workdir.file(name)):
            with open(workdir.file(name), "rb") as file:
                found.append(Picture(title, file.read()))
    return found
