"""Which code ran: a digest of it, so that a change of code makes components run again."""

import functools
import hashlib
import pathlib

import pipelines
import tffs
from tffs import provenance


@functools.cache
def digest() -> str:
    """Digest the source files of tffs and of the pipelines."""
    found = hashlib.sha256()
    for package in (tffs, pipelines):
        folder = pathlib.Path(package.__path__[0])
        for file in sorted(folder.rglob("*.py")):
            found.update(str(file.relative_to(folder)).encode() + b"\0" + file.read_bytes() + b"\0")
    return found.hexdigest()[:16]


def code() -> dict[str, str]:
    """Say which code this is, for the lineage of a model."""
    return {"tffs": tffs.__version__, "digest": digest(), "commit": provenance.commit() or "no repository"}
