"""Cases that are files of a table: how they are drawn, changed and laid down."""

import gzip
import io
import os
import random
import re
import zipfile
import zlib
from collections.abc import Callable, Sequence

from fuzzing.almost.archives import changed_member, npz_bytes, zipped
from fuzzing.almost.csv_text import csv_bytes, named_csv_bytes
from fuzzing.almost.parquet_bytes import parquet_bytes
from fuzzing.case import Case

# The ending of the file that a kind of case becomes; `packed` is a CSV that is gzipped when it is laid down.
ENDINGS = {
    "csv": ".csv",
    "packed": ".csv.gz",
    "gz": ".csv.gz",
    "npz": ".npz",
    "npy": ".npy",
    "parquet": ".parquet",
    "data": ".data",
    "folder": "",
}
Change = Callable[[bytes], bytes]
_MEMBER = re.compile(r"[\w. -]{1,40}")


def lay_down(case: Case, folder: str) -> str:
    """Write a case as the file or the folder that it is, and give its path."""
    path = os.path.join(folder, f"t{ENDINGS[case.kind]}")
    if case.kind == "folder":
        os.makedirs(path)
        for name, content in members_of(case.content):
            _write(os.path.join(path, name), content)
    else:
        _write(path, gzip.compress(case.content, 1) if case.kind == "packed" else case.content)
    return path


def members_of(content: bytes) -> list[tuple[str, bytes]]:
    """Give the files of a case of kind `folder`, which is an archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            files = {
                info.filename: archive.read(info) for info in archive.infolist()[:5] if info.file_size < 2**16
            }
    except Exception:  # zipfile raises many kinds
        return []
    return [(name, data) for name, data in files.items() if _MEMBER.fullmatch(name) and name.strip(". ")]


def draw_file(source: random.Random, names: Sequence[str] | None = None) -> tuple[str, bytes]:
    """Draw the kind and the content of a file; with the columns that are named, or with `task` and others."""

    def text() -> bytes:
        return csv_bytes(source) if names is None else named_csv_bytes(source, names)

    kind = source.choice(("csv", "csv", "csv", "csv", "packed", "gz", "npz", "npz", "parquet", "data"))
    if kind == "gz":
        return kind, gzip.compress(text(), mtime=0) + source.choice(
            (b"", b"", gzip.compress(b"u,1\n", mtime=0), b"x", b"\x00" * 9)
        )
    if kind == "npz":
        return kind, npz_bytes(source)
    if kind == "parquet":
        return kind, parquet_bytes(source, names)
    return kind, text()


def draw_folder(source: random.Random) -> bytes:
    """Draw a folder of files, as an archive."""
    first = csv_bytes(source)
    files = [("u.csv", first)]
    for name in source.sample(
        ("v.csv", "w.csv", "u.tsv", "v.csv.gz", "n.npz", "p.parquet", "readme", "V.CSV"), 2
    ):
        files.append((name, first if source.random() < 0.7 else draw_file(source)[1]))
    return zipped(files)


def changed_content(case: Case, source: random.Random, change: Change) -> bytes:
    """Change some bytes of a case, within the packing where there is one."""
    inner = None
    if case.kind in ("npz", "folder") and source.random() < 0.7:
        inner = changed_member(case.content, source, change)
    elif case.kind == "gz" and source.random() < 0.5:
        try:
            inner = gzip.compress(change(gzip.decompress(case.content)[: 2**16]), 1, mtime=0)
        except (OSError, EOFError, zlib.error):
            inner = None
    return change(case.content) if inner is None else inner


def _write(path: str, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)


def listed(folder: str) -> list[tuple[str, int]]:
    """List all files of a folder with their sizes."""
    paths = [os.path.join(root, name) for root, _, names in os.walk(folder) for name in names]
    return sorted((path, os.path.getsize(path)) for path in paths)
