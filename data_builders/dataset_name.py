"""The name of a dataset, as a run's configuration keeps it."""

from data_builders.reference import TABLE, available, short_name


class DatasetName(str):
    """A builder as `reference` names it, or `table/<name of the file>-<hash of its content>` for a table."""

    __slots__ = ()

    @property
    def is_table(self) -> bool:
        """Whether it is a user's table."""
        return self.startswith(f"{TABLE}/")

    @property
    def is_own_builder(self) -> bool:
        """Whether it is a builder of the user, which is code that only the user may ask to run."""
        return not self.is_table and self not in available()

    @property
    def shown(self) -> str:
        """What people call it: a table by the name of its file, a builder by its own."""
        return self.rpartition("/")[2].rpartition("-")[0] if self.is_table else short_name(self)

    @property
    def content(self) -> str:
        """What a table is known by, whatever its file was called; the name of another dataset as it is."""
        return self.rpartition("-")[2] if self.is_table else str(self)
