"""The classes of rows, where a model is to predict them."""

import dataclasses

import numpy as np

from tffs.data.tasks import Tasks
from tffs.errors import UserError


def with_classes(tasks: Tasks) -> Tasks:
    """Number the labels from 0 without a gap, and name every class.

    Args:
        tasks: its labels may be any whole numbers from 0; negative ones stand for none.

    Returns:
        The same rows; what cannot be predicted raises `UserError`.
    """
    if tasks.labels is None:
        raise UserError(no_classes(0))
    unlabelled = int((tasks.labels < 0).sum())
    if unlabelled:
        raise UserError(
            f"--loss=cross_entropy predicts labels, but {unlabelled} row(s) have none: leave such rows out "
            "with --missing=drop_rows."
        )
    found, labels = np.unique(tasks.labels, return_inverse=True)
    if len(found) < 2:
        raise UserError(no_classes(len(found)))
    names = tasks.class_names
    classes = tuple(names[label] if names else str(label) for label in found)
    return dataclasses.replace(tasks, labels=labels, class_names=classes)


def no_classes(count: int) -> str:
    """Say that there are no labels, or that all are the same, where labels are to be predicted."""
    held = "all rows have the same label" if count else "the rows have no labels"
    return (
        f"--loss=cross_entropy predicts labels, but {held}: give a table's column of classes as --label_column."
    )
