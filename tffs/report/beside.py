"""Find what was measured of a model that lies in the folder of a run."""

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from tffs.errors import UserError
from tffs.evaluation.stored_result import result_with_counts
from tffs.report.making import making_of_run
from tffs.report.subject import Making
from tffs.serving.contract import versions_in
from tffs.workdir import Workdir


class Beside(NamedTuple):
    """What is known of a run.

    Attributes:
        result: what result.json and by_count.json hold.
        making: how it was made.
    """

    result: Mapping[str, Any]
    making: Making


def measured_beside(place: str | None) -> Beside | None:
    """Find the run that a model is of.

    Args:
        place: a workdir, an export folder or a version folder; None for a model that is elsewhere.

    Returns:
        What is known of the run; None where there is no folder of a run, or no result in it.
    """
    if place is None:
        return None
    folder = os.path.abspath(place)
    if os.path.isfile(os.path.join(folder, "saved_model.pb")):  # a version
        folder = os.path.dirname(folder)
    if versions_in(folder):  # an export folder
        folder = os.path.dirname(folder)
    workdir = Workdir(folder)
    try:
        result = result_with_counts(workdir)
        return None if result is None else Beside(result, making_of_run(workdir, result))
    except UserError:
        return None
