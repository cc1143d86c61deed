"""The rows of a table, surveyed and written by the workers of a Beam pipeline."""

import contextlib
import dataclasses
import os
import tempfile
from collections.abc import Callable, Iterator

import numpy as np
from apache_beam.options.pipeline_options import PipelineOptions

from data_builders.table.beam_pipeline import run_pipeline
from data_builders.table.beam_records import records_pipeline
from data_builders.table.beam_scratch import Scratch
from data_builders.table.beam_survey import survey_pipeline
from data_builders.table.survey import Survey
from data_builders.table.table import CHANGED, Table
from tffs.errors import UserError


@contextlib.contextmanager
def beam_rows(
    table: Table, folder: str, options: PipelineOptions, show: Callable[[str, float], None]
) -> Iterator["BeamRows"]:
    """Survey a table with Beam, with a scratch folder in `folder` that is gone in the end."""
    with tempfile.TemporaryDirectory(dir=os.path.abspath(folder)) as scratch:
        yield BeamRows(table, Scratch(scratch), options, show)


class BeamRows:
    """The rows of a table, which stay where they are until they are written.

    Args:
        table: opened.
        scratch: a folder that the workers see, too.
        options: Beam's.
        show: is called with what is being done and the share of it that is done.

    Attributes:
        survey: what they hold.
        class_names: sorted.
    """

    def __init__(
        self, table: Table, scratch: Scratch, options: PipelineOptions, show: Callable[[str, float], None]
    ) -> None:
        self._table, self._scratch, self._options, self._show = table, scratch, options, show
        units = table.units()
        # Workers have another working directory.
        self._units = [dataclasses.replace(unit, path=os.path.abspath(unit.path)) for unit in units]
        run_pipeline(
            options, lambda pipeline: survey_pipeline(pipeline, self._units, table.feature_names, scratch)
        )
        report = scratch.read(scratch.report)
        if report["errors"]:
            message = report["errors"][0]
            for unit, ours in zip(units, self._units, strict=True):
                message = message.replace(ours.path, unit.path)
            raise UserError(message)
        table.problems += report["problems"]
        self.survey = Survey.from_metadata(report["survey"])
        self.class_names = report["class_names"]
        show("reading", 1.0)

    def write(self, paths: list[str], lengths: list[int]) -> int:
        """Write the rows, sorted by task, to the shards; returns the bytes written."""
        self._assign_places()
        there = [os.path.abspath(path) for path in paths]
        try:
            run_pipeline(
                self._options,
                lambda pipeline: records_pipeline(
                    pipeline, self._units, self.class_names, there, lengths, self._scratch
                ),
            )
        except UserError as error:
            if CHANGED in str(error.__cause__):  # a worker raised it, and the runner wrapped it
                raise self._table.changed() from error
            raise
        sizes = self._scratch.read(self._scratch.written)
        if len(sizes) != len(lengths):
            raise self._table.changed()
        self._show("writing", 1.0)
        return sum(sizes)

    def _assign_places(self) -> None:
        """Tell each unit the place of its first row of each task: that of the task, after earlier units."""
        rows = self.survey.task_rows
        places = dict(zip(self.survey.task_names, (np.cumsum(rows) - rows).tolist(), strict=True))
        for unit in range(len(self._units)):
            counts = self._scratch.read(self._scratch.counts(unit))
            self._scratch.write(self._scratch.starts(unit), {task: places[task] for task in counts})
            for task, count in counts.items():
                places[task] += count
