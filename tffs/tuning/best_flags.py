"""best.flags: a flag file that trains what a search found, as it is."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from tffs.config import DataPlace, RunConfig
from tffs.flags.definitions import define
from tffs.tuning.tuned_run import with_flags

FOLDER = "best"  # of the training, inside the folder of the search


def flag_file(
    run: RunConfig,
    place: DataPlace,
    tuned: Mapping[str, Any],
    workdir: str,
    comments: Sequence[str],
) -> str:
    """Write the flags of a run, the tuned ones first.

    Args:
        run: as the flags of the search gave it.
        place: where the rows come from; the table and the folders of data are named by their full paths, so
            that the file works from any folder.
        tuned: the tuned flags.
        workdir: the folder of the search; the training gets a folder of its own in it.
        comments: sentences on how it was found.
    """
    values = {name: value for name, value in with_flags(run, tuned).to_flags().items() if value is not None}
    if place.table is not None:
        table = place.table
        values.pop("dataset", None)
        values = {
            "table": os.path.abspath(table.path),
            "task_column": table.task_column,
            "feature_columns": table.feature_columns,
            "label_column": table.label_column,
            "ignore_columns": table.ignore_columns,
            **values,
        }
    values["data_dir"] = _unless_default("data_dir", os.path.abspath(place.data_dir))
    values["data_mirror"] = place.mirror and os.path.abspath(place.mirror)
    values["cache"] = None if place.cache == "auto" else place.cache
    values["workdir"] = os.path.join(workdir, FOLDER)
    rest = {name: value for name, value in values.items() if name not in tuned and value not in (None, ())}
    return "\n".join(
        [
            *(f"# {' '.join(comment.split())}" for comment in comments),
            "",
            "# Tuned:",
            *(_line(name, values[name]) for name in tuned),
            "",
            "# The rest of the run:",
            *(_line(name, value) for name, value in rest.items()),
            "",
        ]
    )


def _line(name: str, value: Any) -> str:
    """Write a flag as a line of a flag file, with the quotes that its kind needs."""
    flag = define()[name]
    flag.value = [str(part) for part in value] if isinstance(value, tuple) else value
    return flag.serialize()


def _unless_default(name: str, value: str) -> str | None:
    return None if value == os.path.abspath(os.path.expanduser(define()[name].value)) else value
