"""Checkpoints that survive a kill, a full disk and a file cut short."""

import glob
import os
import re
import shutil
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tffs.errors import UserError, reason

KEPT = 3
_NAME = re.compile(r"ckpt-(\d+)\.index$")


class Checkpoints:
    """The newest states of a run in a folder.

    `tf.train.CheckpointManager` writes them. What is there is read from the folder itself, so a damaged list
    of checkpoints does no harm, and every checkpoint is read through before anything is restored from it.

    Args:
        directory: the folder.
        state: what to save: variables, or lists, dictionaries and modules of them.
        say: receives one-sentence notes for the person.
    """

    def __init__(self, directory: str, state: dict[str, Any], say: Callable[[str], None]) -> None:
        self._directory = directory
        self._checkpoint = tf.train.Checkpoint(**state)
        self._say = say
        self._manager: tf.train.CheckpointManager | None = None

    def restore(self) -> bool:
        """Restore the newest readable checkpoint.

        Returns:
            Whether there was one. A damaged one is passed over and named. A kill can leave the very first one
            half-written, so if there is no other, training starts again; several damaged ones are an error,
            because starting again would silently lose the run.
        """
        for unfinished in glob.glob(glob.escape(self._directory) + "/ckpt-*_temp"):
            shutil.rmtree(unfinished, ignore_errors=True)
        numbers = self._numbers()
        for number in numbers:
            path = os.path.join(self._directory, f"ckpt-{number}")
            try:
                reader = tf.train.load_checkpoint(path)
                for name in reader.get_variable_to_shape_map():
                    reader.get_tensor(name)
                status = self._checkpoint.read(path)
                status.assert_existing_objects_matched()
                status.expect_partial()  # the list of checkpoints has a counter that is not ours
            except Exception as error:  # damage shows as OpError, IndexError, ValueError, AssertionError, ...
                self._say(f"Checkpoint {path} is damaged ({type(error).__name__}); taking the one before.")
                continue
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
            if self._manager is None:
                os.makedirs(self._directory, exist_ok=True)
                self._manager = tf.train.CheckpointManager(self._checkpoint, self._directory, max_to_keep=KEPT)
            self._manager.save(checkpoint_number=step)
        except (tf.errors.OpError, OSError) as error:
            raise UserError(
                f"A checkpoint could not be written to {self._directory} ({reason(error)}): free some space "
                "or choose another --workdir; the checkpoints before it are whole, so the same command resumes."
            ) from error

    def _numbers(self) -> list[int]:
        """List the checkpoints' numbers, newest first."""
        if not os.path.isdir(self._directory):
            return []
        matches = (_NAME.match(name) for name in os.listdir(self._directory))
        return sorted((int(match.group(1)) for match in matches if match), reverse=True)
