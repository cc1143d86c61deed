"""A run's folder: what is in it, and how it is written so that a kill leaves nothing half-written."""

import contextlib
import dataclasses
import fcntl
import glob
import json
import os
import shutil
from collections.abc import Iterator
from typing import Any

from data_builders.table.options import TableOptions, is_table, same_content
from tffs.config import DataPlace, RunConfig
from tffs.errors import UserError
from tffs.whole_file import replacing

TEMPORARY = ".tffs-tmp-"  # what files and folders are called until they are whole


@dataclasses.dataclass(frozen=True)
class Workdir:
    """The files of one run.

    Attributes:
        path: the folder; it need not exist yet.
    """

    path: str

    def file(self, name: str) -> str:
        """Give the path of `name` inside the folder."""
        return os.path.join(self.path, name)

    @property
    def model(self) -> str:
        """The trained Keras model with its best weights."""
        return self.file("model.keras")

    @property
    def exports(self) -> str:
        """The folder of numbered SavedModels, the base path of a server."""
        return self.file("export")

    def stored_config(self) -> RunConfig | None:
        """Read the run that this folder belongs to, or None if it belongs to none yet."""
        values = self.read_json("config.json")
        if values is None:
            return None
        try:
            return RunConfig.from_flags(values)
        except KeyError as error:
            raise self.not_ours("config.json", f"it lacks {error}") from error

    def claim(self, config: RunConfig, place: DataPlace) -> None:
        """Make this the folder of `config`, or say which flag differs from the run it belongs to.

        Args:
            config: the run, with everything settled.
            place: noted for the modes after training; it does not make another run.
        """
        stored = self.stored_config()
        if stored is None or not self._has_steps():
            table = None if place.table is None else dataclasses.asdict(place.table)
            self.write_json(
                "config.json",
                {
                    **config.to_flags(),
                    "data_dir": os.path.abspath(place.data_dir),
                    "table": table and {**table, "path": os.path.abspath(table["path"])},
                },
            )
        else:
            self.check_same(stored, config.to_flags())

    def noted_place(self, given: DataPlace, data_dir_given: bool) -> DataPlace:
        """Give where the rows of the run here came from, unless the person says otherwise."""
        noted: dict[str, Any] = self.read_json("config.json") or {}
        data_dir = given.data_dir if data_dir_given else noted.get("data_dir", given.data_dir)
        table = given.table
        prepared = os.path.isdir(os.path.join(data_dir, noted.get("dataset") or ""))
        if table is None and not prepared and noted.get("table"):
            table = TableOptions.from_json(noted["table"])
        return dataclasses.replace(given, data_dir=data_dir, table=table)

    def _has_steps(self) -> bool:
        """Tell whether the run here has anything to lose: a checkpoint, or a finished training."""
        return bool(glob.glob(glob.escape(self.file("checkpoints")) + "/ckpt-*.index")) or os.path.exists(
            self.file("training.json")
        )

    def check_same(self, stored: RunConfig, wanted: dict[str, Any]) -> None:
        """Say which of the `wanted` flags differs from the stored run, if any does."""
        kept = stored.to_flags()
        different = [name for name in wanted if wanted[name] != kept[name]]
        if "dataset" in different and all(is_table(f"{one['dataset']}") for one in (kept, wanted)):
            if not same_content(kept["dataset"], wanted["dataset"]):
                raise UserError(
                    f"{self.path} holds a run on another table, on one that has changed since, or with other "
                    "columns: choose another --workdir."
                )
            different.remove("dataset")  # the same table under another name
        if different:
            pairs = ", ".join(
                f"--{name}={_shown(kept[name])} (now {_shown(wanted[name])})" for name in different
            )
            raise UserError(
                f"{self.path} holds another run, made with {pairs}: choose another --workdir, or give the "
                "flags of that run to continue it."
            )

    def read_json(self, name: str) -> dict[str, Any] | None:
        """Read a JSON object of the folder, or None if it is not there."""
        try:
            with open(self.file(name), encoding="utf-8") as file:
                value = json.load(file)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            raise self.not_ours(name, str(error)) from error
        if not isinstance(value, dict):
            raise self.not_ours(name, "it holds no JSON object")
        return value

    def not_ours(self, name: str, why: str) -> UserError:
        """Make the error for a file that this version of tffs cannot have written."""
        return UserError(
            f"{self.file(name)} is not what tffs writes ({why}): delete it if it was damaged, or choose "
            "another --workdir."
        )

    def write_json(self, name: str, value: Any) -> None:
        """Write a JSON file whole or not at all."""
        with self.replacing(name) as path, open(path, "w", encoding="utf-8") as file:
            json.dump(value, file, indent=2)
            file.write("\n")

    @contextlib.contextmanager
    def replacing(self, name: str) -> Iterator[str]:
        """Give a path to write to, which takes the place of `name` when the block ends well."""
        try:
            os.makedirs(self.path, exist_ok=True)
            with replacing(self.file(name), self.file(f"{TEMPORARY}{os.getpid()}-{name}")) as part:
                yield part
        except OSError as error:
            raise UserError(
                f"{self.file(name)} could not be written ({error.strerror or error}): --workdir must be a "
                "folder that can be written to, with space left."
            ) from error

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep a second process from working in this folder at the same time."""
        try:
            os.makedirs(self.path, exist_ok=True)
            lock = open(self.file(".lock"), "w", encoding="utf-8")  # noqa: SIM115 (held while the block runs)
        except OSError as error:
            raise UserError(
                f"--workdir={self.path} cannot be written to ({error.strerror or error}): use another folder."
            ) from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise UserError(
                    f"Another process is working in {self.path}: wait for it, or choose another --workdir."
                ) from error
            self._remove_leftovers()
            yield

    def _remove_leftovers(self) -> None:
        """Remove what a killed process left half-written; the lock says that no one is writing now."""
        for name in os.listdir(self.path):
            if name.startswith(TEMPORARY):
                leftover = self.file(name)
                shutil.rmtree(leftover) if os.path.isdir(leftover) else os.remove(leftover)


def _shown(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
