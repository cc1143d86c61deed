"""The records of a prepared dataset, read in order: every checksum on the way, and where each record lies."""

import dataclasses
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import tensorflow as tf

from tffs.errors import UserError

if TYPE_CHECKING:  # which workers that read records need not import
    import tensorflow_datasets as tfds

READ_ROWS = 4096
READ_BYTES = 4 * 2**20
HEAD, FOOT = 12, 4  # bytes around the data of a record: its length with a checksum, and the data's checksum


class Block(NamedTuple):
    """Some records that follow each other.

    Attributes:
        first: the number of the first.
        x: float32 [records, features].
        labels: int64 [records], or None.
        sizes: int64 [records], the bytes that each takes in its file.
    """

    first: int
    x: np.ndarray
    labels: np.ndarray | None
    sizes: np.ndarray


@dataclasses.dataclass(frozen=True)
class Records:
    """The records of some splits, one split after the other.

    Attributes:
        folder: of the prepared dataset.
        paths: of the files.
        lengths: the number of records in each.
        width: the number of features M.
        labelled: whether records have labels.
    """

    folder: str
    paths: tuple[str, ...]
    lengths: tuple[int, ...]
    width: int
    labelled: bool

    @classmethod
    def of(cls, builder: "tfds.core.DatasetBuilder", splits: tuple[str, ...]) -> "Records":
        """Find the records of a builder's splits."""
        info = builder.info
        chosen = [info.splits[split] for split in splits]
        return cls(
            os.fspath(builder.data_path),
            tuple(os.fspath(path) for split in chosen for path in split.filepaths),
            tuple(length for split in chosen for length in split.shard_lengths),
            info.features["x"].shape[0],
            "label" in info.features,
        )

    def __len__(self) -> int:
        return sum(self.lengths)

    @property
    def block_rows(self) -> int:
        """How many records are read at a time."""
        return int(np.clip(READ_BYTES // (4 * self.width), 1, READ_ROWS))

    def parse(self, records: tf.Tensor, labels: bool = False) -> dict[str, tf.Tensor]:
        """Parse serialized records: `x`, and `label` where asked for."""
        spec = {"x": tf.io.FixedLenFeature([self.width], tf.float32)}
        if labels:
            spec["label"] = tf.io.FixedLenFeature([], tf.int64)
        return tf.io.parse_example(records, spec)

    def blocks(self) -> Iterator[Block]:
        """Read all records; damage raises `UserError`."""

        @tf.autograph.experimental.do_not_convert
        def parsed(records: tf.Tensor) -> dict[str, tf.Tensor]:
            return {"bytes": tf.strings.length(records), **self.parse(records, self.labelled)}

        files = tf.data.TFRecordDataset(list(self.paths), buffer_size=READ_BYTES)
        row = 0
        try:
            for batch in files.batch(self.block_rows).map(parsed, 2).prefetch(1):
                x = batch["x"].numpy()
                if row + len(x) > len(self):
                    raise self.unreadable(EOFError())
                labels = batch["label"].numpy() if self.labelled else None
                yield Block(row, x, labels, batch["bytes"].numpy().astype(np.int64) + HEAD + FOOT)
                row += len(x)
        except UserError:
            raise
        except (OSError, ValueError, tf.errors.OpError) as error:
            raise self.unreadable(error) from error
        if row != len(self):
            raise self.unreadable(EOFError())

    def unreadable(self, error: Exception) -> UserError:
        """Make the error for records that cannot be read, after a look for the file at fault."""
        return unreadable(self.folder, error, self._damaged())

    def _damaged(self) -> str | None:
        for path, length in zip(self.paths, self.lengths, strict=True):
            try:
                if sum(1 for _ in tf.data.TFRecordDataset(path, buffer_size=READ_BYTES)) != length:
                    return path
            except (OSError, ValueError, tf.errors.OpError):
                return path
        return None


def unreadable(folder: str, error: Exception, path: str | None = None) -> UserError:
    """Make the error for prepared files that cannot be read.

    Args:
        folder: of the prepared dataset.
        error: what was raised.
        path: of the file at fault, if it is known.
    """
    which = f" in {os.path.basename(path)}" if path else ""
    return UserError(
        f"The prepared files in {folder} cannot be read ({type(error).__name__}{which}): delete that folder "
        "and run the command again to prepare them anew."
    )
