"""The generic builder: a user's table as a TFDS dataset with one split, `rows`, sorted by task."""

import dataclasses
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow_datasets as tfds
from tensorflow_datasets.core import dataset_builder

import data_builders
from data_builders.preparation import preparing, run_builder
from data_builders.table.findings import defects
from data_builders.table.spooled_rows import spooled_rows
from data_builders.table.survey import Survey
from data_builders.table.table import Table
from tffs.errors import UserError, reason

SPLIT = "rows"
VERSION = "1.0.0"
SHARD_BYTES = 256 * 2**20


def path_of(dataset: str, data_dir: str) -> str:
    """Give the path of a prepared table, by its dataset's name."""
    return os.path.join(data_dir, dataset, VERSION)


def prepare_table(
    table: Table,
    dataset: str,
    data_dir: str,
    show: Callable[[str, float], None],
    beam_options: Sequence[str] = (),
) -> None:
    """Make sure that a table lies prepared below `data_dir`; one that is there already is not read.

    One that no run can use raises `DefectiveTable`.

    Args:
        table: opened.
        dataset: its dataset's name.
        data_dir: where prepared datasets are kept.
        show: is called with what is being done and the share of it that is done.
        beam_options: options of Beam, `name=value` or `name` each, whose workers then prepare the table; what
            is prepared does not depend on them.
    """
    if not table.readable:
        raise UserError(problem_list(table.path, table.problems))
    if os.path.isdir(path_of(dataset, data_dir)):
        return
    with preparing(dataset, data_dir):
        if not os.path.isdir(path_of(dataset, data_dir)):
            config = TableConfig(name=os.path.basename(dataset), table=table, show=show)
            options = beam_pipeline_options(beam_options) if beam_options else None
            try:
                run_builder(Builder(data_dir=data_dir, config=config), beam_options=options)
            except (UserError, OSError):
                table.check_unchanged()  # what is wrong with half of one table and half of another misleads
                raise


def beam_pipeline_options(given: Sequence[str]) -> Any:
    """Make Beam's options of `name=value` or `name` each; where Beam is not installed it says so."""
    try:
        from data_builders.table.beam_options import pipeline_options
    except ImportError as error:
        raise UserError(
            f"--beam_options needs Apache Beam, which cannot be imported ({reason(error)}): "
            "pip install 'tffs[beam]', or leave the flag out."
        ) from error
    return pipeline_options(given)


def problem_list(path: str, problems: list[str]) -> str:
    """Write one problem as a sentence, or several as a list."""
    if len(problems) == 1:
        return f"{path}: {problems[0]}"
    return f"{path} cannot be trained on, for {len(problems)} reasons:" + "".join(
        f"\n  - {problem}" for problem in problems
    )


class DefectiveTable(UserError):
    """A table that no run can use, and so is not prepared.

    Args:
        path: of the table.
        problems: a sentence each.
        survey: what was found in it.
    """

    def __init__(self, path: str, problems: list[str], survey: Survey) -> None:
        super().__init__(problem_list(path, problems))
        self.survey = survey


@dataclasses.dataclass(eq=False)
class TableConfig(tfds.core.BuilderConfig):
    """Which table to build.

    Attributes:
        table: opened.
        show: is called with what is being done and the share of it that is done.
    """

    table: Table | None = None
    show: Callable[[str, float], None] = lambda what, share: None


class Builder(dataset_builder.FileReaderBuilder, skip_registration=True):  # type: ignore[call-arg]
    """Any table; it writes its records itself, because a user's table may have millions of rows."""

    VERSION = tfds.core.Version(VERSION)
    name = data_builders.TABLE

    @property
    def _table(self) -> Table:
        return self.builder_config.table

    def _info(self) -> tfds.core.DatasetInfo:
        features = {
            "x": tfds.features.Tensor(shape=(len(self._table.feature_names),), dtype=np.float32),
            "task": tfds.features.Text(),
            "id": tfds.features.Text(),
        }
        if self._table.labelled:
            features["label"] = tfds.features.Scalar(dtype=np.int64)
        return tfds.core.DatasetInfo(
            builder=self,
            description="A table of a user.",
            features=tfds.features.FeaturesDict(features),
            disable_shuffling=True,
            metadata=tfds.core.MetadataDict(),
        )

    def _rows(self, download_config: Any) -> Any:
        """Read the rows in this process or, where there are options for it, with Beam."""
        options = download_config and download_config.beam_options
        if options is None:
            return spooled_rows(self._table, self._data_dir, self.builder_config.show)
        from data_builders.table.beam_rows import beam_rows

        return beam_rows(self._table, self._data_dir, options, self.builder_config.show)

    def _download_and_prepare(self, dl_manager: Any, download_config: Any = None) -> None:
        """Survey the rows, and write them sorted by task if nothing is wrong with them."""
        with self._rows(download_config) as rows:
            survey = rows.survey
            errors = self._table.problems + defects(survey)
            if errors:
                raise DefectiveTable(self._table.path, errors, survey)
            template = self._get_filename_template(split_name=SPLIT)
            lengths = shard_lengths(int(survey.task_rows.sum()), len(survey.feature_names))
            paths = [
                os.fspath(template.sharded_filepath(shard_index=shard, num_shards=len(lengths)))
                for shard in range(len(lengths))
            ]
            written = rows.write(paths, lengths)
            class_names = rows.class_names
        self._table.check_unchanged()
        self.info.metadata.update(
            feature_names=list(survey.feature_names),
            task_names=list(survey.task_names),
            counts=survey.task_rows.tolist(),
            offsets=np.concatenate([[0], np.cumsum(survey.task_rows)]).tolist(),
            class_names=class_names,
            survey=survey.to_metadata(),
        )
        split = tfds.core.SplitInfo(
            name=SPLIT, shard_lengths=lengths, num_bytes=written, filename_template=template
        )
        self.info.set_splits(tfds.core.splits.SplitDict([split]))


def shard_lengths(rows: int, features: int) -> list[int]:
    """Cut rows into shards of about the same size; gives the number of rows of each."""
    shards = max(1, round(rows * 4 * features / SHARD_BYTES))
    bounds = np.linspace(0, rows, min(shards, rows) + 1).astype(int)
    return np.diff(bounds).tolist()
