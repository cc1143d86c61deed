"""Run a command of the pipelines in this process, with all that a terminal would show."""

import contextlib
import os
import sys
import tempfile
from typing import NamedTuple

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # as the commands do before they load TensorFlow

import pytest

from tests.pipelines import tiny


class Outcome(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


@contextlib.contextmanager
def _caught(descriptor, name):
    """Catch what is written to a stream, by Python or by native code."""
    with tempfile.TemporaryFile() as file:
        kept, stream = os.dup(descriptor), getattr(sys, name)
        stream.flush()
        os.dup2(file.fileno(), descriptor)
        setattr(sys, name, os.fdopen(os.dup(descriptor), "w", encoding="utf-8"))
        text = []
        try:
            yield text
        finally:
            getattr(sys, name).close()
            setattr(sys, name, stream)
            os.dup2(kept, descriptor)
            os.close(kept)
            file.seek(0)
            text.append(file.read().decode())


def run(main, *arguments):
    """Run the `main` of a program."""
    with _caught(1, "stdout") as out, _caught(2, "stderr") as err:
        code = main(["program", *arguments])
    return Outcome(code, out[0], err[0])


@pytest.fixture(scope="module")
def tiny_table(tmp_path_factory):
    """The flags of the tiny table."""
    folder = tmp_path_factory.mktemp("table")
    (folder / "voices.csv").write_text(tiny.table(), encoding="utf-8")
    return (f"--table={folder / 'voices.csv'}", f"--data_dir={folder / 'tfds'}", *tiny.FLAGS)
