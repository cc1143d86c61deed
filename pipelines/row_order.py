"""Rows in the order of their tasks, whatever order they came in."""

import hashlib

import numpy as np

from tffs.data.tasks import Tasks

DIGEST = 16  # bytes


def as_tasks(
    rows: np.ndarray, tasks: np.ndarray, labels: np.ndarray | None, feature_names: tuple[str, ...]
) -> Tasks:
    """Sort rows by task, and within a task by content.

    Args:
        rows: float32 [rows, features].
        tasks: bytes [rows].
        labels: int64 [rows], or None.
        feature_names: one a column.
    """
    names, codes = np.unique(tasks, return_inverse=True)
    order = task_order(codes, digests(rows))
    return Tasks(
        rows[order],
        feature_names,
        tuple(name.decode() for name in names),
        offsets_of(codes, len(names)),
        None if labels is None else labels[order],
    )


def digests(rows: np.ndarray) -> np.ndarray:
    """Give a digest of each row's content, by which rows are put in order: void [rows]."""
    found = b"".join(hashlib.blake2b(row, digest_size=DIGEST).digest() for row in np.ascontiguousarray(rows))
    return np.frombuffer(found, np.dtype((np.void, DIGEST)))


def task_order(codes: np.ndarray, digested: np.ndarray) -> np.ndarray:
    """Give the numbers of rows in the order of their tasks, and within a task of their digests.

    So what is drawn from the rows does not depend on how Beam happened to write them.

    Args:
        codes: int [rows], the task of each.
        digested: of each row, see `digests`.
    """
    order = np.argsort(digested, kind="stable")
    return order[np.argsort(codes[order], kind="stable")]


def offsets_of(codes: np.ndarray, tasks: int) -> np.ndarray:
    """Give where the rows of each task begin once they are in order: int64 [tasks + 1]."""
    return np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=tasks))]).astype(np.int64)
