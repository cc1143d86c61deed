"""What a search is about: a folder holds one search, and chief and workers must agree on it."""

import json
import os
from collections.abc import Mapping
from typing import Any

from data_builders.table.options import is_table, same_content
from tffs.config import RunConfig, TuneConfig
from tffs.errors import UserError
from tffs.workdir import Workdir

FILE = "search.json"


def subject_of(tune: TuneConfig, run: RunConfig) -> dict[str, Any]:
    """Describe a search as JSON can hold it.

    Args:
        tune: the tuner and the space; more trials make a search longer, but not another one, except for
            Hyperband, which plans its brackets by them.
        run: with everything settled.
    """
    about = {
        "tuner": tune.tuner,
        "trials": tune.trials if tune.tuner == "hyperband" else None,
        "folds": tune.folds,
        "space": {part.flag: part.described() for part in tune.space},
        "run": run.to_flags(),
    }
    return json.loads(json.dumps(about))


def claim(workdir: Workdir, subject: Mapping[str, Any]) -> None:
    """Make this the folder of a search, or say what differs from the search it belongs to."""
    stored = workdir.read_json(FILE)
    if stored is None:
        if os.path.exists(workdir.file("config.json")):
            raise UserError(
                f"{workdir.path} is the folder of a training and not of a search: choose another --workdir."
            )
        workdir.write_json(FILE, subject)
        return
    try:
        different = differences(stored, subject)
    except (KeyError, TypeError) as error:
        raise workdir.not_ours(FILE, f"it lacks {error}") from error
    if different:
        raise UserError(
            f"{workdir.path} holds another search, made with {different}: choose another --workdir, or give "
            "the flags of that search to continue it."
        )


def differences(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """Name what differs between two searches; empty if nothing does."""
    found = [_pair(f"--{name}", stored, wanted, name) for name in ("tuner", "trials", "folds")]
    kept, now = stored["run"], wanted["run"]
    if is_table(kept["dataset"]) and is_table(now["dataset"]):
        if not same_content(kept["dataset"], now["dataset"]):
            found.append("another --table, or one that has changed since, or with other columns")
        kept = {**kept, "dataset": now["dataset"]}  # the same table may have another name
    found += [_pair(f"--{name}", kept, now, name) for name in now]
    before, after = stored["space"], wanted["space"]
    found += [_pair(f"[{flag}] of --search_space", before, after, flag) for flag in {**before, **after}]
    return ", ".join(filter(None, found))


def _pair(label: str, stored: Mapping[str, Any], wanted: Mapping[str, Any], name: str) -> str:
    one, other = stored.get(name), wanted.get(name)
    return "" if one == other else f"{label}={_shown(one)} (now {_shown(other)})"


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return " ".join(f"{key}={_shown(part)}" for key, part in value.items() if part is not None)
    return ",".join(map(str, value)) if isinstance(value, list) else "none" if value is None else str(value)
