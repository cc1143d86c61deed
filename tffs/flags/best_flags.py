"""best.flags: a flag file that trains what a search found, as it is."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from tffs.config import DataPlace, RunConfig
from tffs.config.run import RUN_OPTIONS
from tffs.flags.definitions import every_flag, written
from tffs.tuning.tuned_run import with_flags

FOLDER = "best"  # of the training, inside the folder of the search


def flag_file(
    run: RunConfig, place: DataPlace, tuned: Mapping[str, Any], workdir: str, comments: Sequence[str]
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
    values = {**with_flags(run, tuned).to_flags(), **place.to_options()}
    if place.table is not None:
        del values["dataset"]
        values = {**place.table.to_options(), "table": os.path.abspath(place.table.path), **values}
    values["data_dir"] = os.path.abspath(place.data_dir)
    values["data_mirror"] = place.mirror and os.path.abspath(place.mirror)
    for name in ("data_dir", "cache"):  # which decide nothing
        if values[name] == _default(name):
            del values[name]
    values["workdir"] = os.path.join(workdir, FOLDER)
    methods = {name: option.methods for name, option in RUN_OPTIONS.items()}
    rest = {
        name: value
        for name, value in values.items()
        if name not in tuned and value not in (None, ()) and run.method in (methods.get(name) or (run.method,))
    }
    return "\n".join(
        [
            *(f"# {' '.join(comment.split())}" for comment in comments),
            "",
            "# Tuned:",
            *(written(name, values[name]) for name in tuned),
            "",
            "# The rest of the run:",
            *(written(name, value) for name, value in rest.items()),
            "",
        ]
    )


def _default(name: str) -> str:
    """Give a flag's default in the form that the configuration has."""
    option = every_flag()[name].option
    return os.path.abspath(os.path.expanduser(option.default)) if option.path else option.default
