"""One run on this machine, watched: what runs, what was in the cache, what failed and why, and the outcome."""

import contextlib
import dataclasses
import hashlib
import logging
import os
import sqlite3
import sys
import time
from collections.abc import Iterator

import tfx.v1 as tfx
from absl import flags

from pipelines.configs import PipelineConfig
from pipelines.failure import sentence
from pipelines.flags import is_local
from pipelines.input_spans import check_input, check_records, dataset_of, write_input
from pipelines.native_output import native_output_to
from pipelines.outcome import outcome
from pipelines.pipeline import create_pipeline
from pipelines.watching import Watcher
from tffs.errors import UserError, reason
from tffs.file_lock import open_locked
from tffs.options import options
from tffs.whole_file import replacing

LOG, LOCK = "pipeline.log", ".lock"
EXAMPLES = "ImportExampleGen"


def run(config: PipelineConfig) -> None:
    """Run the pipeline; where a component fails, `UserError` names it and says why.

    Everything that TFX says goes to `pipeline.log`.
    """
    _check_local(config)
    with _root(config) as folder:
        if config.writes_input:
            _say("Writing the records ...")
            _say(f"Records: {write_input(config.run, config.place, config.held_out, config.input, _say)}")
        try:
            check_input(config.input)
        except UserError as error:
            raise UserError(f"{EXAMPLES}: {error}") from error
        with _logged_to(os.path.join(folder, LOG)) as watcher:
            _run_watched(_named(_with_kept_schema(config)), watcher)
        print(outcome(config), flush=True)


def _check_local(config: PipelineConfig) -> None:
    """Refuse addresses of other machines, which our components would take for folders of this one."""
    for name, option in options(PipelineConfig).items():
        path = getattr(config, option.field)
        if option.path and path and not is_local(path):
            raise UserError(
                f"--{name} must be a path on this machine, but received {path}: mount it and give the path."
            )


def _with_kept_schema(config: PipelineConfig) -> PipelineConfig:
    """Copy the user's schema to a path of its content: what has the same path, TFX takes from its cache."""
    if config.schema is None:
        return config
    try:
        with open(config.schema, "rb") as file:
            text = file.read()
        kept = os.path.join(config.root, "schemas", hashlib.sha256(text).hexdigest()[:16], "schema.pbtxt")
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        with replacing(kept) as part, open(part, "wb") as file:
            file.write(text)
    except OSError as error:
        raise UserError(f"--schema={config.schema} cannot be read or copied ({reason(error)}).") from error
    return dataclasses.replace(config, schema=kept)


def _named(config: PipelineConfig) -> PipelineConfig:
    """Name the data by what the newest span was written from, so that a model's lineage tells."""
    data = config.run.data
    data = dataclasses.replace(data, dataset=dataset_of(config.input) or data.dataset)
    return dataclasses.replace(config, run=dataclasses.replace(config.run, data=data))


def _run_watched(config: PipelineConfig, watcher: Watcher) -> None:
    connection = tfx.orchestration.metadata.sqlite_metadata_connection_config(config.metadata)
    try:
        pipeline = create_pipeline(config, connection)
        watcher.expect(len(pipeline.components))
        tfx.orchestration.LocalDagRunner().run(pipeline)
    except Exception as error:
        logging.getLogger("absl").exception("The pipeline stopped.")
        where = f"{watcher.running}: " if watcher.running else ""
        why = sentence(error)
        if watcher.running == EXAMPLES:
            why = _damage(config.input) or why
        raise UserError(f"{where}{why} (all of it: {os.path.join(config.root, LOG)})") from error
    finally:
        watcher.end()


def _damage(folder: str) -> str:
    try:
        check_records(folder)
    except UserError as error:
        return str(error)
    return ""


@contextlib.contextmanager
def _root(config: PipelineConfig) -> Iterator[str]:
    """Make the pipeline's folder, for one run at a time, and see that its metadata can be written."""
    try:
        os.makedirs(config.root, exist_ok=True)
        lock = open_locked(os.path.join(config.root, LOCK), wait=False)
    except BlockingIOError as error:
        raise UserError(
            f"Another run is at work in {config.root}: wait for it, or choose another --pipeline_root."
        ) from error
    except OSError as error:
        raise UserError(
            f"--pipeline_root={config.root} must be a folder that can be written, but it cannot "
            f"({reason(error)})."
        ) from error
    with lock:
        _check_metadata(config.metadata)
        yield config.root


def _check_metadata(path: str) -> None:
    """See that the database of ML Metadata is one, and can be written."""
    try:
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.execute("BEGIN IMMEDIATE")
            database.execute("SELECT name FROM sqlite_master").fetchall()
            database.rollback()
    except sqlite3.Error as error:
        raise UserError(
            f"ML Metadata must be able to write {path}, but it cannot ({error}): correct its permissions, put "
            "back a copy of it, or choose another --pipeline_root."
        ) from error


@contextlib.contextmanager
def _logged_to(path: str) -> Iterator[Watcher]:
    """Send every log line and native output to a file, and only what components run to the person."""
    root, absl = logging.getLogger(), logging.getLogger("absl")
    before = [(logger, logger.handlers[:], logger.level, logger.propagate) for logger in (root, absl)]
    with open(path, "a", encoding="utf-8") as file, native_output_to(file):
        handler = logging.StreamHandler(file)
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname).1s %(name)s: %(message)s"))
        watcher = Watcher(sys.stderr)
        root.handlers[:] = [handler, watcher]
        root.setLevel(logging.INFO)
        arguments = sys.argv
        sys.argv = [arguments[0], "--verbosity=0"]  # TFX takes them for its own, with absl's level of logging
        flags.FLAGS(sys.argv, known_only=True)
        absl.handlers[:], absl.propagate = [], True
        absl.setLevel(logging.INFO)
        logging.info("Run of %s", time.strftime("%Y-%m-%d %H:%M:%S"))
        try:
            yield watcher
        finally:
            sys.argv = arguments
            for logger, handlers, level, propagate in before:
                logger.handlers[:], logger.propagate = handlers, propagate
                logger.setLevel(level)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
