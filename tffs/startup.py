"""Start TensorFlow quietly, with a given number of threads."""

import contextlib
import gc
import logging
import os
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from typing import Any

from tffs.errors import UserError, reason

# Keras imports them, if they are there, for wrappers and pictures that nothing here uses: two seconds.
OPTIONAL = ("sklearn", "matplotlib", "pandas")
_STARTING = threading.Lock()


def start_tensorflow(threads: int = 1) -> None:
    """Import TensorFlow without its start-up noise and set its threads."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    with quiet_stderr():
        with _no_collecting(), _hidden(OPTIONAL):
            import tensorflow as tf

        with contextlib.suppress(RuntimeError):  # it has started already, in a longer-lived process
            tf.config.threading.set_intra_op_parallelism_threads(threads)
            tf.config.threading.set_inter_op_parallelism_threads(threads)
        tf.config.list_physical_devices()
    # Without warnings for those who write TensorFlow code, of retracing and of the age of the session loader.
    tf.get_logger().setLevel("ERROR")


def started_tensorflow() -> Any:
    """Give TensorFlow, started quietly in a worker process in which it has not started yet; threads may ask."""
    with _STARTING:
        if "tensorflow" not in sys.modules:
            start_tensorflow()
    return sys.modules["tensorflow"]


def import_tensorflow() -> None:
    """Import TensorFlow without its start-up noise, and leave a user's process as it is."""
    if "tensorflow" in sys.modules:
        return
    level = os.environ.get("TF_CPP_MIN_LOG_LEVEL")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # which TensorFlow reads when it starts
    try:
        with quiet_stderr():
            import tensorflow as tf

            tf.config.list_physical_devices()
    finally:
        if level is None:
            del os.environ["TF_CPP_MIN_LOG_LEVEL"]


@contextlib.contextmanager
def quiet_tracing() -> Iterator[None]:
    """Hold back TensorFlow's advice to trace less, which is for those who write TensorFlow code."""

    def advice(record: logging.LogRecord) -> bool:
        return "triggered tf.function retracing" not in str(record.msg)

    logger = logging.getLogger("tensorflow")
    logger.addFilter(advice)
    try:
        yield
    finally:
        logger.removeFilter(advice)


@contextlib.contextmanager
def memory_explained() -> Iterator[None]:
    """Turn a lack of memory in the block into a sentence."""
    try:
        yield
    except Exception as error:
        # TensorFlow may not be imported, and must not be for this.
        if not isinstance(error, MemoryError) and type(error).__name__ != "ResourceExhaustedError":
            raise
        raise UserError(
            f"There is not enough memory for a run of this size ({reason(error)}): lower --embedding_units, "
            "--decoder_units, --selector_dim, --query_size or --episodes_per_step."
        ) from error


@contextlib.contextmanager
def _no_collecting() -> Iterator[None]:
    """Look for no garbage in the block, nor later in what a first import leaves: a million lasting objects."""
    first = "tensorflow" not in sys.modules
    gc.disable()
    try:
        yield
        if first:
            gc.freeze()
    finally:
        gc.enable()


@contextlib.contextmanager
def _hidden(packages: Iterable[str]) -> Iterator[None]:
    """Let imports in the block go without these packages, unless they are imported already."""
    hidden = [name for name in packages if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


@contextlib.contextmanager
def quiet_stderr() -> Iterator[None]:
    """Hold back what native code writes to standard error, and give it only if the block fails."""
    if sys.stderr is None:  # it was closed before we came
        yield
        return
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as held:
        os.dup2(held.fileno(), 2)
        try:
            yield
        except Exception:
            held.seek(0)
            os.write(kept, held.read())
            raise
        finally:
            os.dup2(kept, 2)
            os.close(kept)
