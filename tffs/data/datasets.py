"""Open a dataset, one of the builders' or a user's table, prepared first if need be, and load its rows."""

import dataclasses
import os
from collections.abc import Callable, Sequence

import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds

from data_builders.dataset_name import DatasetName
from data_builders.preparation import prepare
from data_builders.table.findings import findings
from data_builders.table.options import TableOptions
from data_builders.table.survey import Survey
from data_builders.table.table import Table
from data_builders.table.table_dataset_builder import (
    SPLIT,
    DefectiveTable,
    beam_pipeline_options,
    path_of,
    prepare_table,
    problem_list,
)
from tffs.available_memory import available_memory
from tffs.config import DataPlace
from tffs.data.medians import passes_for
from tffs.data.reading import ReadRows, check_names, checked, read_rows
from tffs.data.records import Records, unreadable
from tffs.data.source_statistics import PASSES
from tffs.data.stored_rows import Rows, StoredRows
from tffs.data.tasks import Tasks
from tffs.errors import UserError, listed

SHARE_OF_MEMORY = 0.5  # what rows may take of it; training and TensorFlow need some, too


@dataclasses.dataclass(frozen=True)
class Dataset:
    """A dataset that lies prepared, of which everything but the rows is known.

    Attributes:
        name: the builder's name, or `table/<key>` where the key goes by the table's content.
        called: what the person calls it.
        feature_names: one a feature.
        task_names: one a task.
        offsets: int64 [tasks + 1], the first record of each task.
        class_names: what the labels are called; empty where they are only numbers.
        records: the prepared files; None for a table that no run can use.
        survey: what a table holds; None for a builder's dataset.
        problems: what was wrong with a table's files.
        version: of the builder; a table is told by its name already.
    """

    name: DatasetName
    called: str
    feature_names: tuple[str, ...]
    task_names: tuple[str, ...]
    offsets: np.ndarray
    class_names: tuple[str, ...]
    records: Records | None
    survey: Survey | None = None
    problems: tuple[str, ...] = ()
    version: str = ""

    def check(self, missing: str, say: Callable[[str], None]) -> None:
        """Raise `UserError` if a table cannot be used with a rule for missing values.

        Args:
            missing: `error`, `median` or `drop_rows`.
            say: receives what is worth knowing, a sentence each.
        """
        if self.survey is not None:
            found = findings(self.survey, missing)
            self.refuse_for(found.errors)
            for note in found.notes:
                say(f"Note: {note}")

    def refuse_for(self, errors: Sequence[str]) -> None:
        """Raise `UserError` if anything is wrong: with the files of a table, or what else was found."""
        if self.problems or errors:
            raise UserError(problem_list(self.called, [*self.problems, *errors]))

    def sizes(self, missing: str) -> Tasks:
        """Give the tasks without their rows; of a builder's dataset with all that it has.

        Args:
            missing: `error`, `median` or `drop_rows`.
        """
        counts = np.diff(self.offsets) if self.survey is None else self.survey.rows_left(missing)
        return Tasks.of_sizes(self.feature_names, self.task_names, counts)

    def load(
        self,
        place: DataPlace,
        missing: str = "error",
        say: Callable[[str], None] = lambda sentence: None,
        show: Callable[[str, float], None] = lambda doing, share: None,
        stop: Callable[[], bool] | None = None,
    ) -> Tasks:
        """Read all rows, or note where they are.

        Args:
            place: whether they are held in memory.
            missing: `error`, `median` or `drop_rows`: what to do about missing values.
            say: receives one-sentence notes for the person.
            show: is called with what is being done and the share of it that is done.
            stop: asked while workers of Beam go through the rows; True ends that. Without it, the rows are
                read here, whatever `place` says.

        Returns:
            The rows in raw units; NaN where a value is missing and is to be filled in.
        """
        assert self.records is not None
        if place.beam_options and stop is not None:
            return self._where_they_are(place, missing, show, stop)
        blocks = self.records.blocks()
        if self.survey is None:
            blocks = checked(blocks, self.called, self.feature_names, self.task_names, self.offsets, missing)
        streamed = _streamed(self.called, self.records, place, say)
        rows = read_rows(self.records, blocks, streamed, missing == "drop_rows", show)
        return self._tasks(rows, rows.matrix)

    def _tasks(self, rows: ReadRows, matrix: Rows) -> Tasks:
        offsets = rows.before[self.offsets]
        return Tasks(matrix, self.feature_names, self.task_names, offsets, rows.labels, self.class_names)

    def _where_they_are(
        self, place: DataPlace, missing: str, show: Callable[[str, float], None], stop: Callable[[], bool]
    ) -> Tasks:
        """Leave all rows to the workers of Beam, which compute sums over them."""
        options = beam_pipeline_options(place.beam_options)
        from tffs.data.beam_index import indexed
        from tffs.data.beam_runner import BeamRunner
        from tffs.data.beam_sums import BeamPasses

        assert self.records is not None
        runner = BeamRunner(options, self.records, missing == "drop_rows", show, stop)
        medians = passes_for(self.records.width) if missing == "median" else 0
        runner.begin("reading the table", PASSES + medians + 1)
        rows = indexed(runner, self.records)
        passes = BeamPasses(runner, self.offsets, rows.before[self.offsets])
        assert isinstance(rows.matrix, StoredRows)
        return self._tasks(rows, dataclasses.replace(rows.matrix, passes=passes))


def open_dataset(
    name: str | None,
    place: DataPlace,
    say: Callable[[str], None] = lambda sentence: None,
    show: Callable[[str, float], None] = lambda doing, share: None,
) -> Dataset:
    """Open a dataset, which is prepared first if need be.

    Args:
        name: the dataset, or None for the table of `place`.
        place: where the rows come from.
        say: receives one-sentence notes for the person.
        show: is called with what is being done and the share of it that is done.
    """
    if place.table is not None:
        return _open_table(name, place.table, place, say, show)
    assert name is not None
    named = DatasetName(name)
    return _prepared_table(named, named, place) if named.is_table else _open_builder(named, place, show)


def _open_builder(name: DatasetName, place: DataPlace, show: Callable[[str, float], None]) -> Dataset:
    show("preparing", 0.0)
    builder = prepare(name, place.data_dir, place.mirror)
    show("preparing", 1.0)
    splits = tuple(builder.info.splits)
    records = Records.of(builder, splits)
    names = tuple(builder.info.metadata["feature_names"])
    check_names(name, names, records.width)
    offsets = _offsets([builder.info.splits[split].num_examples for split in splits])
    return Dataset(name, name.shown, names, splits, offsets, (), records, version=str(builder.info.version))


def _open_table(
    name: str | None,
    options: TableOptions,
    place: DataPlace,
    say: Callable[[str], None],
    show: Callable[[str, float], None],
) -> Dataset:
    if name is not None and not os.path.exists(options.path):
        raise UserError(
            f"{options.path}, the table of this run, is not there. Without --table its path is taken from the "
            "run's config.json: give --table with the path where it is now, and the same columns."
        )
    table = Table(options)
    if table.ignored:
        say(
            f"Ignoring {len(table.ignored)} file(s) of {table.path} that are no tables: "
            f"{listed(table.ignored)}."
        )
    found = DatasetName(table.dataset())
    if name is not None and DatasetName(name).content != found.content:
        raise UserError(
            f"{table.path} is another table than that of this run, has changed since, or other columns were "
            "named: give the table of that run, or train a new run with another --workdir."
        )
    found = DatasetName(name or found)
    try:
        prepare_table(table, found, place.data_dir, show, place.beam_options)
    except DefectiveTable as defective:
        survey = defective.survey
        return Dataset(
            found,
            table.path,
            survey.feature_names,
            survey.task_names,
            _offsets(survey.task_rows),
            (),
            None,
            survey,
            tuple(table.problems),
        )
    return _prepared_table(found, table.path, place)


def _prepared_table(name: DatasetName, called: str, place: DataPlace) -> Dataset:
    path = path_of(name, place.data_dir)
    if not os.path.isdir(path):
        raise UserError(
            f"The prepared rows of {name} are not in --data_dir={place.data_dir}: give the run's --table "
            "again, with its columns, to prepare them anew."
        )
    builder = _builder_in(path)
    metadata = builder.info.metadata
    return Dataset(
        name,
        called,
        tuple(metadata["feature_names"]),
        tuple(metadata["task_names"]),
        np.asarray(metadata["offsets"], np.int64),
        tuple(metadata["class_names"]),
        Records.of(builder, (SPLIT,)),
        Survey.from_metadata(metadata["survey"]),
    )


def _builder_in(path: str) -> tfds.core.DatasetBuilder:
    try:
        return tfds.builder_from_directory(path)
    except (OSError, ValueError, KeyError, AttributeError, tf.errors.OpError) as error:
        raise unreadable(path, error) from error


def _offsets(counts: Sequence[int] | np.ndarray) -> np.ndarray:
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
