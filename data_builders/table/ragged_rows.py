"""Rows of a CSV that have more or fewer cells than the first one, as Arrow hands them over."""

import contextlib
import sys
from collections.abc import Iterator
from typing import Any


class RaggedRows:
    """Lets Arrow skip such rows and keeps how many cells each had.

    Attributes:
        cells: of each row.
        undecodable: whether one was no UTF-8.
    """

    def __init__(self) -> None:
        self.cells: list[int] = []
        self.undecodable = False

    def __call__(self, row: Any) -> str:
        """Take a row."""
        self.cells.append(row.actual_columns)
        return "skip"

    @contextlib.contextmanager
    def taken(self) -> Iterator[None]:
        """Take rows while the block runs.

        Arrow decodes a row before it hands it over, in a thread of its own. If that fails, it refuses the file
        and prints a traceback, where there is to be one sentence.
        """
        before = sys.unraisablehook

        def note(unraisable: Any) -> None:
            if unraisable.object is self:
                self.undecodable = True
            else:
                before(unraisable)

        sys.unraisablehook = note
        try:
            yield
        finally:
            sys.unraisablehook = before
