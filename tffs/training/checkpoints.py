"""Checkpoints that survive a kill, a full disk and a file cut short."""

import contextlib
import glob
import json
import os
import re
import shutil
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

from tffs.errors import UserError, reason
from tffs.whole_file import replacing

KEPT = 3
LIST = "checkpoint"  # what TensorFlow calls the list of checkpoints in a folder
_NAME = re.compile(r"ckpt-(0|[1-9][0-9]*)\.index")
_RUN = "run/.ATTRIBUTES/VARIABLE_VALUE"  # where TensorFlow puts what `tf.train.Checkpoint` calls "run"


class Checkpoints:
    """The newest states of a run in a folder.

    What is there is read from the folder itself and never from TensorFlow's list of it, `checkpoint`, which may
    be damaged or name files elsewhere; the list is written for other tools. Every checkpoint is read through
    before anything is restored from it, and it says which run it is of.

    Args:
        directory: the folder.
        state: what to save: variables, or lists, dictionaries and modules of them.
        say: receives one-sentence notes for the person.
        run: what makes this run another one than others, as names and plain values.
    """

    def __init__(
        self, directory: str, state: dict[str, Any], say: Callable[[str], None], run: Mapping[str, Any]
    ) -> None:
        self._directory = directory
        self._run = json.loads(json.dumps(run))
        # Checkpoints of 0.5.0 do not say their run, so what is restored is the state alone.
        self._restored = tf.train.Checkpoint(**state)
        self._saved = tf.train.Checkpoint(**state, run=tf.Variable(json.dumps(run), trainable=False))
        self._say = say

    def restore(self) -> bool:
        """Restore the newest readable checkpoint.

        Returns:
            Whether there was one. A damaged one is passed over and named. A kill can leave the very first one
            half-written, so if there is no other, training starts again; several damaged ones are an error,
            because starting again would silently lose the run. So is one of another run.
        """
        for unfinished in glob.glob(glob.escape(self._directory) + "/ckpt-*_temp"):
            shutil.rmtree(unfinished, ignore_errors=True)
        if os.path.exists(self._directory) and not os.path.isdir(self._directory):
            raise UserError(
                f"{self._directory} is a file, but checkpoints go there: delete it or move it away."
            )
        numbers = self._numbers()
        for number in numbers:
            path = self._path(number)
            try:
                told = _read_through(path)
            except Exception as error:  # damage shows as OpError, IndexError, ValueError, ...
                then = "starting from step 0" if len(numbers) == 1 else "taking the one before"
                self._say(f"Checkpoint {path} is damaged ({type(error).__name__}); {then}.")
                continue
            self._check_run(path, told)
            try:
                status = self._restored.read(path)
                status.assert_existing_objects_matched()
                status.expect_partial()
            except (ValueError, AssertionError, tf.errors.OpError) as error:
                raise self._not_ours(path, "its model has other weights") from error
            with contextlib.suppress(OSError):  # other tools read the list; training goes on without it
                self._write_list([kept for kept in numbers if kept <= number][:KEPT])
            return True
        if len(numbers) > 1:
            raise UserError(
                f"None of the checkpoints in {self._directory} can be read: delete that folder to train again "
                "from the start, or put back a copy of it."
            )
        return False

    def save(self, step: int) -> None:
        """Save the state as of `step`, keeping the last few."""
        try:
            os.makedirs(self._directory, exist_ok=True)
            self._saved.write(self._path(step))
            numbers = self._numbers()
            kept = [number for number in numbers if number <= step][:KEPT]  # later ones are damaged
            self._write_list(kept)
            for number in set(numbers) - set(kept):
                path = self._path(number)
                for file in (f"{path}.index", *glob.glob(glob.escape(path) + ".data-?????-of-?????")):
                    os.remove(file)
        except (tf.errors.OpError, OSError) as error:
            raise UserError(
                f"A checkpoint could not be written to {self._directory} ({reason(error)}): free some space "
                "or choose another --workdir; the checkpoints before it are whole, so the same command resumes."
            ) from error

    def _path(self, number: int) -> str:
        return os.path.join(self._directory, f"ckpt-{number}")

    def _numbers(self) -> list[int]:
        """List the checkpoints' numbers, newest first."""
        if not os.path.isdir(self._directory):
            return []
        matches = (_NAME.fullmatch(name) for name in os.listdir(self._directory))
        return sorted((int(match.group(1)) for match in matches if match), reverse=True)

    def _write_list(self, numbers: list[int]) -> None:
        """Write TensorFlow's list of checkpoints, newest first in `numbers` and last in the list."""
        lines = [f'model_checkpoint_path: "ckpt-{numbers[0]}"\n']
        lines += [f'all_model_checkpoint_paths: "ckpt-{number}"\n' for number in reversed(numbers)]
        with replacing(os.path.join(self._directory, LIST)) as part, open(part, "w", encoding="utf-8") as file:
            file.writelines(lines)

    def _check_run(self, path: str, told: bytes | None) -> None:
        """Check that a checkpoint is of this run, by all that both know of it."""
        if told is None:
            return
        try:
            stored = json.loads(told)
            different = [name for name in self._run if name in stored and stored[name] != self._run[name]]
        except (TypeError, ValueError, RecursionError) as error:
            raise self._not_ours(path, "what it says of its run cannot be read") from error
        if different:
            name = different[0]
            raise self._not_ours(path, f"made with {name} {stored[name]}, which is {self._run[name]} here")

    def _not_ours(self, path: str, why: str) -> UserError:
        return UserError(
            f"Checkpoint {path} is of another run ({why}): delete {self._directory} to train from the start, "
            "or put back the checkpoints of this run."
        )


def _read_through(path: str) -> bytes | None:
    """Read all of a checkpoint, which fails if it is damaged; returns what it says of its run, if anything."""
    reader = tf.train.load_checkpoint(path)
    told = None
    for name in reader.get_variable_to_shape_map():
        value = reader.get_tensor(name)
        if name == _RUN:
            told = value
    return told
