"""The name of a dataset, as a run's configuration keeps it."""

import data_builders


class DatasetName(str):
    """The name of a builder, or `table/<name of the file>-<hash>` for a user's table, by its content."""

    __slots__ = ()

    @property
    def is_table(self) -> bool:
        """Whether it is a user's table."""
        return self.startswith(f"{data_builders.TABLE}/")

    @property
    def shown(self) -> str:
        """What people call it: a table by the name of its file."""
        return self.rpartition("/")[2].rpartition("-")[0] if self.is_table else str(self)

    @property
    def content(self) -> str:
        """What a table is known by, whatever its file was called; the name of another dataset as it is."""
        return self.rpartition("-")[2] if self.is_table else str(self)
