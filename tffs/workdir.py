"""A run's folder: what is in it, and how it is written so that a kill leaves nothing half-written."""

import contextlib
import dataclasses
import glob
import json
import os
import shutil
from collections.abc import Collection, Iterator
from typing import Any

from data_builders.dataset_name import DatasetName
from data_builders.reference import known
from data_builders.table.options import TableOptions
from tffs.config import DataPlace, RunConfig
from tffs.differences import differences
from tffs.errors import UserError
from tffs.file_lock import open_locked
from tffs.finite import finite
from tffs.methods.catalogue import POSTERIOR
from tffs.whole_file import TEMPORARY, replacing


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
            if self._has_steps():
                raise UserError(
                    f"{self.path} holds the files of a run without its config.json: put that file back, or "
                    "choose another --workdir."
                )
            return None
        try:
            config = RunConfig.from_flags(values)
        except KeyError as error:
            raise self.not_ours("config.json", f"it lacks {error}") from error
        except UserError as error:
            raise self.not_ours("config.json", str(error).rstrip(".")) from error
        if config.data.dataset is None:
            raise self.not_ours("config.json", "it names no dataset")
        name = config.data.name
        if not (name.count("/") == 1 if name.is_table else known(name)):
            raise self.not_ours("config.json", f"there is no dataset '{name}'")
        return config

    def claim(self, config: RunConfig, place: DataPlace, given: Collection[str]) -> None:
        """Make this the folder of `config`, or say which flag differs from the run it belongs to.

        Args:
            config: the run, with everything settled.
            place: noted for the modes after training; it does not make another run.
            given: the flags that the person gave.
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
                    "given": sorted(given),
                },
            )
        else:
            self.check_same(stored, config.to_flags(), given)

    def noted_place(self, given: DataPlace, data_dir_given: bool) -> DataPlace:
        """Give where the rows of the run here came from, unless the person says otherwise."""
        noted: dict[str, Any] = self.read_json("config.json") or {}
        data_dir = given.data_dir if data_dir_given else noted.get("data_dir", given.data_dir)
        table = given.table
        try:
            prepared = os.path.isdir(os.path.join(data_dir, noted.get("dataset") or ""))
            if table is None and not prepared and noted.get("table"):
                table = TableOptions.from_json(noted["table"])
        except (AttributeError, TypeError, UserError) as error:
            raise self.not_ours("config.json", f"where its rows come from: {error}") from error
        return dataclasses.replace(given, data_dir=data_dir, table=table)

    def _has_steps(self) -> bool:
        """Tell whether the run here has anything to lose: a checkpoint, a model or a result."""
        written = ("training.json", "model.keras", "result.json")
        return bool(glob.glob(glob.escape(self.file("checkpoints")) + "/ckpt-*.index")) or any(
            os.path.lexists(self.file(name)) for name in written
        )

    def check_same(self, stored: RunConfig, wanted: dict[str, Any], given: Collection[str]) -> None:
        """Say how the stored run differs from the `wanted` flags, if it does.

        Args:
            stored: the run here.
            wanted: the flags to compare, all or some.
            given: the flags that the person gave.
        """
        before, now = stored.data.name, DatasetName(wanted.get("dataset", stored.data.name))
        if before.content != now.content:
            other = f"on {before.shown} and not on {now.shown}"
            if before.is_table and now.is_table:
                other = "on another table, on one that has changed since, or with other columns"
            raise UserError(f"{self.path} holds a run {other}: choose another --workdir.")
        compared = {name: value for name, value in wanted.items() if name != "dataset"}
        different = differences(stored.to_flags(), compared, given)
        if different:
            another = compared.get("num_selected", stored.model.num_selected) != stored.model.num_selected
            any_number = another and stored.method == POSTERIOR
            hint = " --mode=select --num_selected=K answers for another number without training."
            raise UserError(
                f"{self.path} holds another run, made with {different}: choose another --workdir, or give the "
                f"flags of that run to continue it.{hint if any_number else ''}"
            )

    def read_json(self, name: str) -> dict[str, Any] | None:
        """Read a JSON object of the folder, or None if it is not there; None stands for what is not finite."""
        try:
            with open(self.file(name), encoding="utf-8") as file:
                value = finite(json.load(file))  # 0.5.0 wrote Infinity and NaN
        except (FileNotFoundError, NotADirectoryError):
            return None
        except RecursionError as error:
            raise self.not_ours(name, "it is nested too deeply") from error
        except (OSError, ValueError) as error:
            raise self.not_ours(name, str(error)) from error
        if not isinstance(value, dict):
            raise self.not_ours(name, "it holds no JSON object")
        return value

    def not_ours(self, name: str, why: str) -> UserError:
        """Make the error for a file that this version of tffs cannot have written."""
        # Without config.json nothing says which run the other files are of.
        advice = "put back a copy of it" if name == "config.json" else "delete it if it was damaged"
        return UserError(
            f"{self.file(name)} is not what tffs writes ({why}): {advice}, or choose another --workdir."
        )

    def write_json(self, name: str, value: Any, indent: int | None = 2) -> Any:
        """Write a JSON file whole or not at all.

        Args:
            name: of the file.
            value: what it is to hold.
            indent: for people; None for one line.

        Returns:
            What it holds: JSON knows no infinite numbers and no NaN, so None stands for them.
        """
        value = finite(value)
        with self.replacing(name) as path, open(path, "w", encoding="utf-8") as file:
            json.dump(value, file, indent=indent, allow_nan=False)
            file.write("\n")
        return value

    @contextlib.contextmanager
    def replacing(self, name: str) -> Iterator[str]:
        """Give a path to write to, which takes the place of `name` when the block ends well."""
        try:
            os.makedirs(self.path, exist_ok=True)
            with replacing(self.file(name)) as part:
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
            lock = open_locked(self.file(".lock"), wait=False)
        except BlockingIOError as error:
            raise UserError(
                f"Another process is working in {self.path}: wait for it, or choose another --workdir."
            ) from error
        except OSError as error:
            path = self.file(".lock")
            if os.path.islink(path) or (os.path.exists(path) and not os.path.isfile(path)):
                kind = "a symbolic link" if os.path.islink(path) else "no regular file"
                raise UserError(f"{path} is {kind}, so it cannot be locked: delete it.") from error
            if os.path.exists(self.path) and not os.path.isdir(self.path):
                raise UserError(f"--workdir={self.path} is a file: give a folder, or a new name.") from error
            raise UserError(
                f"--workdir={self.path} cannot be written to ({error.strerror or error}): use another folder."
            ) from error
        with lock:
            self._remove_leftovers()
            yield

    def _remove_leftovers(self) -> None:
        """Remove what a killed process left half-written; the lock says that no one is writing now."""
        for name in os.listdir(self.path):
            if name.startswith(TEMPORARY):
                leftover = self.file(name)
                linked = os.path.islink(leftover)
                shutil.rmtree(leftover) if os.path.isdir(leftover) and not linked else os.remove(leftover)
