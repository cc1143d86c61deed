"""The first pipeline over a table: what its rows hold, and how many rows of each task each unit has."""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

import apache_beam as beam
import numpy as np

from data_builders.table.beam_scratch import Scratch
from data_builders.table.opening import open_file
from data_builders.table.surveyor import Surveyor
from data_builders.table.unit import Unit
from tffs.errors import UserError, reason

BUCKET_VALUES = 2**22
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd, so that different numbers stay different


class Report:
    """What was found in some units.

    Args:
        feature_names: one a feature.

    Attributes:
        surveyor: what their rows hold.
        problems: by the unit's number, what is wrong with its lines.
        errors: by the unit's number, why it could not be read.
    """

    def __init__(self, feature_names: Sequence[str]) -> None:
        self.surveyor = Surveyor(feature_names)
        self.problems: dict[int, list[str]] = {}
        self.errors: dict[int, str] = {}

    def merge(self, other: "Report") -> None:
        """Take in what was found in other units."""
        self.surveyor.merge(other.surveyor)
        self.problems |= other.problems
        self.errors |= other.errors


def survey_pipeline(
    pipeline: beam.Pipeline, units: Sequence[Unit], feature_names: Sequence[str], scratch: Scratch
) -> None:
    """Survey the units of a table; the outcome is `scratch.report`, and `scratch.counts` of each unit.

    Which features are ids is counted by value: equal values meet in the same bucket, wherever they stood.
    """
    read = pipeline | "Units" >> beam.Create(units) | "Spread" >> beam.Reshuffle()
    report = (
        read
        | "Survey" >> beam.ParDo(_SurveyUnit(feature_names, scratch))
        | "Merge" >> beam.CombineGlobally(_MergeReports(feature_names))
    )
    may_be_ids = report | "MayBeIds" >> beam.Map(_may_be_ids)
    different = (
        read
        | "Values" >> beam.ParDo(_Values(), beam.pvalue.AsSingleton(may_be_ids))
        | "Buckets" >> beam.GroupByKey()
        | "Different" >> beam.MapTuple(_different)
        | "Sum" >> beam.CombinePerKey(sum)
    )
    report | "Write" >> beam.Map(_write_report, beam.pvalue.AsDict(different), scratch)


class _SurveyUnit(beam.DoFn):
    """Surveys a unit, and notes how many rows of each task it has."""

    def __init__(self, feature_names: Sequence[str], scratch: Scratch) -> None:
        self._names, self._scratch = feature_names, scratch

    def process(self, unit: Unit) -> Iterator[Report]:
        report = Report(self._names)
        try:
            file = open_file(unit.path)
            for piece in unit.pieces(file):
                report.surveyor.add(piece)
            if file.problems:
                report.problems[unit.number] = file.problems
        except UserError as error:
            report.errors[unit.number] = str(error)
        except OSError as error:
            report.errors[unit.number] = (
                f"A worker cannot read {unit.path} ({reason(error)}): with --beam_options every worker must "
                "see the table and --data_dir, at the same paths."
            )
        self._scratch.write(self._scratch.counts(unit.number), report.surveyor.rows_by_task())
        yield report


class _MergeReports(beam.CombineFn):
    """Puts reports together."""

    def __init__(self, feature_names: Sequence[str]) -> None:
        self._names = feature_names

    def create_accumulator(self) -> Report:
        return Report(self._names)

    def add_input(self, total: Report, report: Report) -> Report:
        total.merge(report)
        return total

    def merge_accumulators(self, totals: Iterable[Report]) -> Report:
        merged = Report(self._names)
        for total in totals:
            merged.merge(total)
        return merged

    def extract_output(self, total: Report) -> Report:
        return total


def _may_be_ids(report: Report) -> tuple[list[int], int]:
    """Give the features whose values are to be counted, and the number of rows."""
    return ([] if report.errors else report.surveyor.may_be_ids()), report.surveyor.rows


class _Values(beam.DoFn):
    """Gives the values of features of whole numbers, by feature and bucket."""

    def process(self, unit: Unit, may_be_ids: tuple[list[int], int]) -> Iterator[tuple[tuple[int, int], bytes]]:
        features, rows = may_be_ids
        if not features:
            return
        buckets = -(-rows // BUCKET_VALUES)
        positions = tuple(unit.columns.features[feature] for feature in features)
        columns = dataclasses.replace(unit.columns, features=positions, task=None, label=None)
        for piece in dataclasses.replace(unit, columns=columns).pieces(open_file(unit.path)):
            for feature, column in zip(features, piece.block.x, strict=True):
                values = column.astype(np.int64)
                bucket = ((values.view(np.uint64) * _SPREAD) >> np.uint64(32)) % np.uint64(buckets)
                for number in np.unique(bucket).tolist():
                    yield (feature, number), values[bucket == number].tobytes()


def _different(key: tuple[int, int], parts: Iterable[bytes]) -> tuple[int, int]:
    """Give the feature of a bucket and how many different values are in it."""
    return key[0], len(np.unique(np.concatenate([np.frombuffer(part, np.int64) for part in parts])))


def _write_report(report: Report, different: dict[int, int], scratch: Scratch) -> None:
    surveyor = report.surveyor
    ids = [feature for feature, count in different.items() if count == surveyor.rows]
    scratch.write(
        scratch.report,
        {
            "survey": surveyor.survey(ids).to_metadata(),
            "class_names": surveyor.labels.sorted_names(),
            "problems": [problem for unit in sorted(report.problems) for problem in report.problems[unit]],
            "errors": [report.errors[unit] for unit in sorted(report.errors)],
        },
    )
