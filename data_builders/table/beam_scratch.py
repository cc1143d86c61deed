"""What the process that prepares a table and Beam's workers tell each other, as files in a shared folder."""

import dataclasses
import json
import os
from typing import Any

from tffs.whole_file import replacing


@dataclasses.dataclass(frozen=True)
class Scratch:
    """A folder that the process and all workers see at the same path.

    A runner may run the same work twice, so every file is written whole or not at all.

    Attributes:
        folder: its path.
    """

    folder: str

    @property
    def report(self) -> str:
        """What the rows hold."""
        return os.path.join(self.folder, "report.json")

    @property
    def written(self) -> str:
        """How many bytes each shard has."""
        return os.path.join(self.folder, "written.json")

    def counts(self, unit: int) -> str:
        """How many rows of each task a unit has."""
        return os.path.join(self.folder, f"counts-{unit}.json")

    def starts(self, unit: int) -> str:
        """The place of a unit's first row of each task among all rows, sorted by task."""
        return os.path.join(self.folder, f"starts-{unit}.json")

    def write(self, path: str, value: Any) -> None:
        """Write plain values as JSON."""
        with replacing(path) as part, open(part, "w", encoding="utf-8") as file:
            json.dump(value, file)

    def read(self, path: str) -> Any:
        """Read what was written."""
        with open(path, encoding="utf-8") as file:
            return json.load(file)
