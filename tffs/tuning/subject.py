"""What a search is about: a folder holds one search, and chief and workers must agree on it."""

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import MISSING
from typing import Any

from data_builders.dataset_name import DatasetName
from tffs.config import RunConfig, TuneConfig
from tffs.config.run import RUN_OPTIONS
from tffs.differences import differences, shown
from tffs.errors import UserError
from tffs.tuning.space import Space
from tffs.workdir import Workdir

FILE = "search.json"


def subject_of(tune: TuneConfig, space: Space, run: RunConfig) -> dict[str, Any]:
    """Describe a search as JSON can hold it.

    Args:
        tune: the tuner; more trials make a search longer, but not another one, except for
            Hyperband, which plans its brackets by them.
        space: what is tuned.
        run: with everything settled.
    """
    about = {
        "tuner": tune.tuner,
        "trials": tune.trials if tune.tuner == "hyperband" else None,
        "tune_folds": tune.folds,
        "space": {part.flag: part.described() for part in space},
        "run": run.to_flags(),
    }
    return json.loads(json.dumps(about))


def claim(workdir: Workdir, subject: Mapping[str, Any], given: Collection[str]) -> None:
    """Make this the folder of a search, or say what differs from the search it belongs to.

    Args:
        workdir: the folder.
        subject: what is searched.
        given: the flags that the person gave.
    """
    stored = workdir.read_json(FILE)
    if stored is None:
        if os.path.exists(workdir.file("config.json")):
            raise UserError(
                f"{workdir.path} is the folder of a training and not of a search: choose another --workdir."
            )
        workdir.write_json(FILE, subject)
        return
    try:
        different = search_differences(stored, subject, given)
    except KeyError as error:
        raise workdir.not_ours(FILE, f"it lacks {error}") from error
    except TypeError as error:
        raise workdir.not_ours(FILE, str(error)) from error
    if different:
        raise UserError(
            f"{workdir.path} holds another search, made with {different}: choose another --workdir, or give "
            "the flags of that search to continue it."
        )


def search_differences(
    stored: Mapping[str, Any], wanted: Mapping[str, Any], given: Collection[str] | None = None
) -> str:
    """Name what differs between two searches; empty if nothing does.

    Args:
        stored: one search.
        wanted: the other one.
        given: the flags that the person gave for the other one; None if that is not known.
    """
    kept, now = _flags(stored), _flags(wanted)
    found = []
    named, asked = DatasetName(kept["dataset"]), DatasetName(now["dataset"])
    if named.is_table and asked.is_table:
        if named.content != asked.content:
            found.append("another --table, or one that has changed since, or with other columns")
        kept["dataset"] = now["dataset"]  # the same table may have another name
    found.append(differences(kept, now, now if given is None else given))
    before, after = stored["space"], wanted["space"]
    found += [
        f"[{flag}] of --search_space={shown(before.get(flag))} (now {shown(after.get(flag))})"
        for flag in {**before, **after}
        if before.get(flag) != after.get(flag)
    ]
    return ", ".join(filter(None, found))


def _flags(subject: Mapping[str, Any]) -> dict[str, Any]:
    """Give all flags of a search; one that its tffs did not know yet has the value that it had then."""
    before = {name: option.before for name, option in RUN_OPTIONS.items() if option.before is not MISSING}
    folds = subject["tune_folds"] if "tune_folds" in subject else subject["folds"]  # as 0.6.0 called it
    own = {"tuner": subject["tuner"], "trials": subject["trials"], "tune_folds": folds}
    return {**own, **before, **subject["run"]}
