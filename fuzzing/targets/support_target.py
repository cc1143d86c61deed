"""Support files: what --support reads, held against Python's csv module, pandas and NumPy."""

import gzip
import io
import random

import numpy as np

from fuzzing.almost.archives import npy_bytes
from fuzzing.broken import Broken, check_sentence
from fuzzing.case import Case
from fuzzing.file_target import FileTarget
from fuzzing.files import draw_file
from fuzzing.oracles.csv_cells import Rows, compare_csv
from fuzzing.oracles.npz_arrays import compare_npz
from fuzzing.oracles.parquet_columns import compare_parquet
from fuzzing.target import ACCEPTED, Outcome
from tffs.data.support_file import read_support

NAMES = ("a", "b", "größe", "x,y")


class SupportTarget(FileTarget):
    """Reads the rows of a new task."""

    kinds = ("csv", "packed", "gz", "npz", "npy", "parquet", "data")
    good = Case("csv", {}, 'größe,a,"x,y",b\n1,2,3,4\n0.1,-2e3,.5,+1\n'.encode())

    def draw(self, source: random.Random) -> Case:
        """Draw a file."""
        kind, content = (
            ("npy", npy_bytes(source, len(NAMES))) if source.random() < 0.2 else draw_file(source, NAMES)
        )
        return Case(kind, {"missing": "yes"} if source.random() < 0.3 else {}, content)

    def read(self, path: str, case: Case) -> Outcome:
        """Read a file."""
        said: list[str] = []
        missing = "missing" in case.asked
        rows = read_support(path, NAMES, said.append, missing)
        for sentence in said:
            check_sentence(sentence)
        if rows.dtype != np.float32 or rows.ndim != 2 or rows.shape[1] != len(NAMES) or not len(rows):
            raise Broken(f"support rows are {rows.dtype} {rows.shape}")
        if np.isinf(rows).any() or (np.isnan(rows).any() and not missing):
            raise Broken("support rows are not finite")
        _compare(case, rows)
        return Outcome(ACCEPTED, repr(rows.tolist()))


def _compare(case: Case, rows: np.ndarray) -> None:
    """Hold the rows against what other programs read."""
    read = Rows(NAMES, rows.astype(np.float64), np.zeros(rows.shape, bool))
    if case.kind in ("csv", "packed", "data"):
        compare_csv(case.content, read, np.float32)
    elif case.kind == "gz":
        compare_csv(gzip.decompress(case.content), read, np.float32)
    elif case.kind == "npz":
        compare_npz(case.content, read, np.float32)
    elif case.kind == "parquet":
        compare_parquet(case.content, read, np.float32)
    elif case.kind == "npy":
        expected = np.load(io.BytesIO(case.content), allow_pickle=False).astype(np.float32)
        if not np.array_equal(expected, rows, equal_nan=True):
            raise Broken("NumPy reads other numbers")
