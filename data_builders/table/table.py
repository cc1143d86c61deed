"""A table as a user brings it: one file, or a folder with one file per task."""

import dataclasses
import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np

import data_builders
from data_builders.table.column_block import TableFile
from data_builders.table.columns import Parts, assign, named
from data_builders.table.npz_file import LABEL, TASK, NpzFile
from data_builders.table.opening import check_name, ending, open_file, state_of
from data_builders.table.options import SUFFIXES, TableOptions, stem_of
from data_builders.table.unit import Piece, Unit
from tffs.errors import UserError, listed, one_line, reason

LAYOUT = "1"  # of the prepared dataset; a change makes every table a new one
CHANGED = "the table has changed while it was read"


@dataclasses.dataclass(frozen=True)
class _Part:
    path: str
    task: str | None
    state: tuple[int, ...]  # of the file before it was opened
    file: TableFile
    columns: Parts


class Table:
    """A table, opened: its features are known, its rows are read on demand.

    Args:
        options: where it is and what its columns are.

    Attributes:
        path: the file or folder.
        stem: its name without folder and ending.
        feature_names: one name a feature.
        labelled: whether rows have labels.
        problems: what is wrong with its columns and, once it was read, its lines, one sentence each.
        readable: whether its rows can be read in spite of them.
        ignored: files of a folder that are not tables.
    """

    def __init__(self, options: TableOptions) -> None:
        self.path = options.path
        self.stem = stem_of(options.path)
        self._options = options
        self.ignored: list[str] = []
        check_name(options.path)
        try:
            self._parts = self._open_folder() if os.path.isdir(options.path) else [self._open_file()]
        except FileNotFoundError as error:
            raise UserError(
                f"--table={options.path} is neither here nor below --data_mirror: give the path of a CSV, "
                "Parquet or .npz file, or of a folder with one such file a task."
            ) from error
        except OSError as error:
            raise UserError(f"--table={options.path} cannot be read ({reason(error)}).") from error
        first = self._parts[0]
        self.feature_names = self._names(first)
        self.labelled = first.columns.label is not None
        self.problems = list(first.columns.problems)
        for part in self._parts[1:]:
            self.problems += self._differences(part)
        self.problems += self._same_tasks()
        self.readable = all(self._readable(part) for part in self._parts)

    def dataset(self) -> str:
        """Name the dataset of this table: the name changes with the content and the parts of the columns."""
        digest = hashlib.sha256(repr((LAYOUT, dataclasses.replace(self._options, path=""))).encode())
        for part in self._parts:
            with open(part.path, "rb") as file:
                content = hashlib.file_digest(file, "sha256").hexdigest()
            digest.update(repr((part.task, ending(part.path), content)).encode())
        return f"{data_builders.TABLE}/{re.sub(r'[^A-Za-z0-9]+', '_', self.stem)}-{digest.hexdigest()[:16]}"

    def check_unchanged(self) -> None:
        """Refuse a table whose files are not those that were opened, so that name and rows may not agree."""
        try:
            same = all(state_of(part.path) == part.state for part in self._parts)
        except FileNotFoundError:
            same = False
        if not same:
            raise self.changed()

    def changed(self) -> UserError:
        """Make the error for a table that has changed since it was opened."""
        return UserError(
            f"{self.path}: {CHANGED}; run the same command again once nothing writes to the table any more."
        )

    def pieces(self, show: Callable[[float], None]) -> Iterator[Piece]:
        """Read all rows, block by block.

        Args:
            show: is given the share that was read, now and then.
        """
        sizes = np.asarray([os.path.getsize(part.path) for part in self._parts], np.float64)
        before = np.concatenate([[0.0], np.cumsum(sizes)]) / max(sizes.sum(), 1.0)
        for unit in self.units():
            number, file = unit.file_number, self._parts[unit.file_number].file
            for piece in unit.pieces(file):
                yield piece
                show(before[number] + file.done() * (before[number + 1] - before[number]))
            self.problems += file.problems

    def units(self) -> list[Unit]:
        """Cut the rows into units that can be read by themselves, in the order of the rows."""
        cut = [(number, rows) for number, part in enumerate(self._parts) for rows in part.file.row_ranges()]
        return [
            Unit(
                place,
                self._parts[number].path,
                number,
                "" if self._parts[number].task is None else os.path.basename(self._parts[number].path),
                self._parts[number].task,
                self._parts[number].columns,
                rows,
            )
            for place, (number, rows) in enumerate(cut)
        ]

    def _open_file(self) -> _Part:
        path = self._options.path
        state, file = state_of(path), open_file(path)
        options = self._options
        if isinstance(file, NpzFile):
            for flag, name, key in (
                ("task_column", options.task_column, TASK),
                ("label_column", options.label_column, LABEL),
            ):
                if name not in (None, key):
                    raise UserError(f"{path} has its {flag.split('_')[0]}s in '{key}': drop --{flag}={name}.")
            options = _npz_options(options, file.header)
            if TASK not in file.header:
                raise UserError(f"{path} must say each row's task in 'task', but it has no such array.")
        elif options.task_column is None:
            raise UserError(
                f"--table={path} needs --task_column: the column that says which task a row belongs to; its "
                f"columns: {listed(named(file.header), 20)}."
            )
        return _Part(path, None, state, file, assign(named(file.header), options))

    def _open_folder(self) -> list[_Part]:
        folder, options = self._options.path, self._options
        if folder.rstrip("/").lower().endswith(SUFFIXES):
            raise UserError(
                f"--table={folder} must be a file, as its name says, but it is a folder: give a file, or "
                "rename the folder if each of its files is a task."
            )
        if options.task_column is not None:
            raise UserError(
                f"--table={folder} is a folder, where a file is a task: drop --task_column="
                f"{one_line(options.task_column)}, or leave that column out with --ignore_columns."
            )
        names = sorted(name for name in os.listdir(folder) if not name.startswith("."))
        files = [name for name in names if name.lower().endswith(SUFFIXES)]
        self.ignored = [name for name in names if name not in files]
        if not files:
            raise UserError(
                f"--table={folder} must hold one file per task ({', '.join(SUFFIXES)}), but it has none."
            )
        parts = []
        for name in files:
            path = os.path.join(folder, name)
            state, file = state_of(path), open_file(path)
            own = _npz_options(options, file.header) if isinstance(file, NpzFile) else options
            parts.append(_Part(path, stem_of(name), state, file, assign(named(file.header), own)))
        return self._in_one_order(parts)

    def _same_tasks(self) -> list[str]:
        """Say which files of a folder would be one task, or hold rows of several."""
        tasks = Counter(part.task for part in self._parts if part.task is not None)
        problems = [
            f"{count} files are called '{task}', but a file is a task."
            for task, count in tasks.items()
            if count > 1
        ]
        return problems + [
            f"{os.path.basename(part.path)} names {part.file.tasks} tasks in 'task', but a file of a folder is "
            "one task."
            for part in self._parts
            if part.task is not None and isinstance(part.file, NpzFile) and part.file.tasks > 1
        ]

    def _readable(self, part: _Part) -> bool:
        columns = part.columns
        has_task = part.task is not None or columns.task is not None
        one_part = not {columns.task, columns.label} & set(
            columns.features
        )  # a .npz file has no numbers of others
        return (
            bool(self.feature_names)
            and has_task
            and one_part
            and set(self._names(part)) == set(self.feature_names)
        )

    def _in_one_order(self, parts: list[_Part]) -> list[_Part]:
        """Read every file's features in the first file's order."""
        order = {name: place for place, name in enumerate(self._names(parts[0]))}

        def ordered(part: _Part) -> _Part:
            header = named(part.file.header)
            features = sorted(
                part.columns.features, key=lambda position: order.get(header[position], len(order))
            )
            return dataclasses.replace(
                part, columns=dataclasses.replace(part.columns, features=tuple(features))
            )

        return [ordered(part) for part in parts]

    def _names(self, part: _Part) -> tuple[str, ...]:
        header = named(part.file.header)
        return tuple(header[position] for position in part.columns.features)

    def _differences(self, part: _Part) -> list[str]:
        """Say how a file of a folder differs from the first one."""
        name, first = os.path.basename(part.path), os.path.basename(self._parts[0].path)
        problems = [f"{name}: {problem}" for problem in part.columns.problems]
        own = self._names(part)
        lacking = sorted(set(self.feature_names) - set(own))
        extra = sorted(set(own) - set(self.feature_names))
        if lacking:
            problems.append(f"{name} lacks columns that {first} has: {listed(lacking)}.")
        if extra:
            problems.append(f"{name} has columns that {first} lacks: {listed(extra)}; see --ignore_columns.")
        if (part.columns.label is not None) != self.labelled:
            problems.append(f"only one of {name} and {first} has labels.")
        return problems


def _npz_options(options: TableOptions, header: tuple[str, ...]) -> TableOptions:
    """Give `task` and `y` of a .npz file their parts, which need no flag."""
    return dataclasses.replace(
        options,
        task_column=options.task_column or (TASK if TASK in header else None),
        label_column=options.label_column or (LABEL if LABEL in header else None),
    )
