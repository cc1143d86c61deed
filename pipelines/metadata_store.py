"""Read ML Metadata: executions, and the artifacts that went in and came out."""

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import ml_metadata as mlmd
from ml_metadata import errors
from ml_metadata.proto import metadata_store_pb2

from tffs.errors import UserError, reason

_INPUTS = (metadata_store_pb2.Event.INPUT, metadata_store_pb2.Event.DECLARED_INPUT)
_DONE = (metadata_store_pb2.Execution.COMPLETE, metadata_store_pb2.Execution.CACHED)


class Store:
    """The metadata of a pipeline, to be read only.

    Args:
        path: the SQLite database.
    """

    def __init__(self, path: str) -> None:
        if not os.path.isfile(path):
            raise UserError(f"{path} is not there: give the --pipeline_root of a pipeline that ran.")
        config = metadata_store_pb2.ConnectionConfig()
        config.sqlite.filename_uri = path
        config.sqlite.connection_mode = metadata_store_pb2.SqliteMetadataSourceConfig.READONLY
        with readable(path):
            self._store = mlmd.MetadataStore(config)
            self._store.get_artifact_types()

    def artifacts(self, kind: str) -> list[Any]:
        """List the artifacts of a type."""
        return self._store.get_artifacts_by_type(kind)

    def latest(self, pipeline: str, node: str) -> Any | None:
        """Give a component's newest execution that ended well, from the cache or not."""
        context = self._store.get_context_by_type_and_name("node", f"{pipeline}.{node}")
        found = [] if context is None else self._store.get_executions_by_context(context.id)
        done = [execution for execution in found if execution.last_known_state in _DONE]
        return max(done, key=lambda execution: execution.id, default=None)

    def producer(self, artifact: Any) -> Any:
        """Give the execution that made an artifact, rather than one that found it in the cache."""
        events = self._store.get_events_by_artifact_ids([artifact.id])
        makers = {event.execution_id for event in events if event.type not in _INPUTS}
        return min(self._store.get_executions_by_id(list(makers)), key=lambda found: found.id)

    def inputs(self, execution: Any) -> dict[str, Any]:
        """Give the artifacts that went into an execution, by name."""
        return self._linked(execution, inputs=True)

    def outputs(self, execution: Any) -> dict[str, Any]:
        """Give the artifacts that came out of an execution, by name."""
        return self._linked(execution, inputs=False)

    def _linked(self, execution: Any, inputs: bool) -> dict[str, Any]:
        events = self._store.get_events_by_execution_ids([execution.id])
        names = {
            event.artifact_id: event.path.steps[0].key for event in events if (event.type in _INPUTS) == inputs
        }
        return {names[found.id]: found for found in self._store.get_artifacts_by_id(list(names))}


@contextlib.contextmanager
def readable(path: str) -> Iterator[None]:
    """Say in one sentence that a database cannot be read."""
    try:
        yield
    except (errors.StatusError, RuntimeError) as error:  # the latter where it cannot be opened
        raise UserError(
            f"{path} is no database of ML Metadata, or it is damaged or in use ({reason(error)})."
        ) from error


def properties(node: Any) -> dict[str, Any]:
    """Give an execution's or artifact's properties, its own and custom ones, as plain values."""
    every = [*node.properties.items(), *node.custom_properties.items()]
    return {name: getattr(value, value.WhichOneof("value")) for name, value in every}
