"""Load a dataset as tasks: one of the builders' or a user's table, prepared first if need be."""

import dataclasses
import os
from collections.abc import Callable, Sequence

import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds

from data_builders.preparation import prepare
from data_builders.table.findings import Findings, findings
from data_builders.table.options import is_table, same_content
from data_builders.table.survey import Survey
from data_builders.table.table import Table
from data_builders.table.table_dataset_builder import SPLIT, path_of, prepare_table, problem_list
from tffs.config import DataPlace
from tffs.data.available_memory import available_memory
from tffs.data.reading import check_block, check_names, read_rows
from tffs.data.records import Block, Records, unreadable
from tffs.data.tasks import Tasks
from tffs.errors import UserError, listed

SHARE_OF_MEMORY = 0.5  # what rows may take of it; training and TensorFlow need some, too


@dataclasses.dataclass(frozen=True)
class Loaded:
    """A dataset, ready to be read by row numbers.

    Attributes:
        name: the builder's name, or `table/<key>` where the key goes by the table's content.
        tasks: all rows, in memory or on the disk, in raw units; NaN where a value is missing and is to be
            filled in.
        version: of the builder; a table is told by its name already.
    """

    name: str
    tasks: Tasks
    version: str = ""


def load(
    name: str | None,
    place: DataPlace,
    missing: str = "error",
    say: Callable[[str], None] = lambda sentence: None,
    show: Callable[[str, float], None] = lambda doing, share: None,
    check: Callable[[str, Survey], Findings] | None = None,
) -> Loaded:
    """Prepare a dataset if need be and read all its tasks, or note where their rows are.

    Args:
        name: the dataset, or None for the table of `place`.
        place: where the rows come from, and whether they are held in memory.
        missing: `error`, `median` or `drop_rows`: what to do about missing values.
        say: receives one-sentence notes for the person.
        show: is told what is being done and which share of it is.
        check: says what is wrong with a table, by its dataset's name and survey; what `missing` cannot fix if
            not given.
    """
    if check is None:

        def check(dataset: str, survey: Survey) -> Findings:
            return findings(survey, missing)

    if place.table is not None:
        table = Table(place.table)
        if table.ignored:
            say(
                f"Ignoring {len(table.ignored)} file(s) of {table.path} that are no tables: "
                f"{listed(table.ignored)}."
            )
        found = table.dataset()
        if name is not None and not same_content(name, found):
            raise UserError(
                f"--table={table.path} has changed since this run was trained, or other columns were named: "
                "give the table of that run, or train a new run with another --workdir."
            )
        found = name or found
        prepare_table(
            table,
            found,
            place.data_dir,
            lambda survey: check(found, survey).errors,
            show,
            place.beam_options,
        )
        return Loaded(found, _load_table(found, table.path, place, missing, say, show, check))
    assert name is not None
    if is_table(name):
        return Loaded(name, _load_table(name, name, place, missing, say, show, check))
    builder = prepare(name, place.data_dir, place.mirror)
    splits = tuple(builder.info.splits)
    records = Records.of(builder, splits)
    names = tuple(builder.info.metadata["feature_names"])
    offsets = _offsets([builder.info.splits[split].num_examples for split in splits])
    check_names(name, names, records.width)

    def check_values(block: Block) -> None:
        check_block(name, names, splits, offsets, missing, block)

    streamed = _streamed(name, records, place, say)
    rows = read_rows(records, streamed, missing == "drop_rows", check_values, show)
    tasks = Tasks(rows.matrix, names, splits, rows.before[offsets], rows.labels)
    return Loaded(name, tasks, str(builder.info.version))


def _load_table(
    dataset: str,
    called: str,
    place: DataPlace,
    missing: str,
    say: Callable[[str], None],
    show: Callable[[str, float], None],
    check: Callable[[str, Survey], Findings],
) -> Tasks:
    """Read a prepared table, which the person calls `called`, after what its survey says about it."""
    path = path_of(dataset, place.data_dir)
    if not os.path.isdir(path):
        raise UserError(
            f"The prepared rows of {dataset} are not in --data_dir={place.data_dir}: give the run's --table "
            "again, with its columns, to prepare them anew."
        )
    builder = _builder_in(path)
    metadata = builder.info.metadata
    found = check(dataset, Survey.from_metadata(metadata["survey"]))
    if found.errors:
        raise UserError(problem_list(called, found.errors))
    for note in found.notes:
        say(f"Note: {note}")
    records = Records.of(builder, (SPLIT,))
    streamed = _streamed(called, records, place, say)
    rows = read_rows(records, streamed, missing == "drop_rows", lambda block: None, show)
    return Tasks(
        rows.matrix,
        tuple(metadata["feature_names"]),
        tuple(metadata["task_names"]),
        rows.before[np.asarray(metadata["offsets"], np.int64)],
        rows.labels,
        tuple(metadata["class_names"]),
    )


def _builder_in(path: str) -> tfds.core.DatasetBuilder:
    try:
        return tfds.builder_from_directory(path)
    except (OSError, ValueError, KeyError, AttributeError, tf.errors.OpError) as error:
        raise unreadable(path, error) from error


def _offsets(counts: Sequence[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _streamed(called: str, records: Records, place: DataPlace, say: Callable[[str], None]) -> bool:
    """Decide whether the rows stay on the disk."""
    if place.cache != "auto":
        return place.cache == "stream"
    size, free = 4 * len(records) * records.width, available_memory()
    if free is None or place.loaders * size <= SHARE_OF_MEMORY * free:
        return False
    times = f" in each of {place.loaders} processes" if place.loaders > 1 else ""
    say(
        f"Streaming {called} from the disk: its rows take {size / 1e9:.3g} GB{times}, more than half of the "
        f"{free / 1e9:.3g} GB of memory that are free; --cache=memory holds them all the same."
    )
    return True
