"""Artifacts that TFX has no type for."""

from tfx.types.artifact import Artifact


class TaskReport(Artifact):
    """How different the tasks are, as `DataGate` writes it."""

    TYPE_NAME = "tffs.TaskReport"
