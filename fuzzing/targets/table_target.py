"""Tables: opened, read and surveyed as --mode=inspect does, and held against what other programs read."""

import gzip
import random
import zlib
from typing import Any

import numpy as np

from data_builders.table.findings import findings
from data_builders.table.local_surveyor import LocalSurveyor
from data_builders.table.options import TableOptions
from data_builders.table.survey import Survey
from data_builders.table.table import Table
from fuzzing.broken import Broken, check_sentence
from fuzzing.case import Case
from fuzzing.file_target import FileTarget
from fuzzing.files import Change, draw_file, draw_folder
from fuzzing.oracles.csv_cells import Rows, compare_csv
from fuzzing.oracles.npz_arrays import compare_npz
from fuzzing.oracles.parquet_columns import compare_parquet
from fuzzing.target import ACCEPTED, Outcome
from tffs.errors import UserError

_COLUMNS = ("feature_columns", "ignore_columns")
_DEFECTIVE = "defective"  # it was read, and what is wrong with it was told


class TableTarget(FileTarget):
    """Reads tables of every kind of file."""

    kinds = ("csv", "packed", "gz", "npz", "parquet", "data", "folder")
    good = Case("csv", {"task_column": "task"}, b"task,a,b\nu,1.5,2\nv,,3\nv,0.5,x\n")

    def draw(self, source: random.Random) -> Case:
        """Draw a table and what a person says about it."""
        kind, content = ("folder", draw_folder(source)) if source.random() < 0.1 else draw_file(source)
        return Case(kind, _asked(source, kind), content)

    def change(self, case: Case, source: random.Random, change: Change) -> Case:
        """Change the file, or what a person says about it."""
        if source.random() < 0.1:
            return Case(case.kind, _asked(source, case.kind), case.content)
        return super().change(case, source, change)

    def read(self, path: str, case: Case) -> Outcome:
        """Read a table."""
        survey, rows, unfit, wrong = _inspected(path, case.asked)
        for sentence in (*unfit, *wrong):
            check_sentence(sentence)
        _check_survey(survey, rows)
        if not unfit:
            _compare(case, rows)
        says = repr((unfit, wrong, survey.to_metadata()))
        return Outcome(_DEFECTIVE if unfit or wrong else ACCEPTED, says)


def _asked(source: random.Random, kind: str) -> dict[str, str]:
    asked = {} if kind in ("npz", "folder") and source.random() < 0.9 else {"task_column": "task"}
    if source.random() < 0.15:
        asked["label_column"] = "y"
    for name in _COLUMNS:
        if source.random() < 0.05:
            asked[name] = source.choice(("a", "b", "a|b", "task", "", "größe", "nowhere"))
    if source.random() < 0.2:
        asked["missing"] = source.choice(("median", "drop_rows"))
    return asked


def _inspected(path: str, asked: dict[str, str]) -> tuple[Survey, Rows, list[str], list[str]]:
    """Read a table; gives the survey, the rows, and what is wrong with the file and with the rows."""
    fields: dict[str, Any] = {name: tuple(asked[name].split("|")) for name in _COLUMNS if name in asked}
    fields |= {name: asked[name] for name in ("task_column", "label_column") if name in asked}
    table = Table(TableOptions(path, **fields))
    table.dataset()
    if not table.readable:
        raise UserError("".join(f"\n  - {problem}" for problem in table.problems))
    surveyor = LocalSurveyor(table.feature_names)
    features = len(table.feature_names)
    blocks: list[np.ndarray] = [np.zeros((0, features))]
    texts: list[np.ndarray] = [np.zeros((0, features), bool)]
    tasks: list[str | None] = []
    for piece in table.pieces(lambda share: None):
        surveyor.add(piece)
        block = piece.block
        text = np.zeros(block.x.T.shape, bool)
        for cells in block.text:
            text[cells.rows, cells.feature] = True
        blocks.append(block.x.T)
        texts.append(text)
        tasks += [piece.task] * len(text) if block.task is None else block.task.to_pylist()
    survey = surveyor.whole_survey()
    found = findings(survey, asked.get("missing", "error"))
    for note in found.notes:
        check_sentence(note)
    table.check_unchanged()
    column = asked.get("task_column", "task")
    rows = Rows(table.feature_names, np.concatenate(blocks), np.concatenate(texts), (column, tasks))
    return survey, rows, table.problems, found.errors


def _check_survey(survey: Survey, rows: Rows) -> None:
    """Hold the survey against the rows."""
    x = np.where(rows.text, np.nan, rows.x)
    infinite = np.abs(x) > np.finfo(np.float32).max
    usable = ~np.isnan(x) & ~infinite
    least = np.min(x, axis=0, where=usable, initial=np.inf)
    named = [task for task in rows.tasks[1] if task is not None] if rows.tasks else []
    counts = zip(survey.task_names, survey.task_rows.tolist(), strict=True)
    for what, got, expected in (
        ("rows", survey.rows, len(x)),
        ("missing", survey.missing.tolist(), (np.isnan(x) & ~rows.text).sum(axis=0).tolist()),
        ("text", survey.text.tolist(), rows.text.sum(axis=0).tolist()),
        ("infinite", survey.infinite.tolist(), infinite.sum(axis=0).tolist()),
        ("least", repr(survey.low.tolist()), repr(np.where(usable.any(axis=0), least + 0.0, np.nan).tolist())),
        (
            "task_rows",
            {name: count for name, count in counts if count},
            {task: named.count(task) for task in named},
        ),
    ):
        if got != expected:
            raise Broken(f"the survey's {what} are {got}, but those of the rows {expected}")
    Survey.from_metadata(survey.to_metadata())


def _compare(case: Case, rows: Rows) -> None:
    """Hold the rows against what other programs read."""
    if case.kind == "gz":
        try:
            compare_csv(gzip.decompress(case.content), rows)
        except (OSError, EOFError, zlib.error) as error:
            raise Broken("a damaged gzip file was read") from error
    elif case.kind in ("csv", "packed", "data"):
        compare_csv(case.content, rows)
    elif case.kind == "npz":
        compare_npz(case.content, rows)
    elif case.kind == "parquet":
        compare_parquet(case.content, rows)
