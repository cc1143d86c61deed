"""What NumPy reads in a .npz file, and whether tffs read the same."""

import io

import numpy as np

from fuzzing.broken import Broken
from fuzzing.oracles.csv_cells import Rows

ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06")  # what NumPy takes for a zip file: one with members, and one without


def compare_npz(content: bytes, read: Rows, precision: type = np.float64) -> None:
    """Raise `Broken` if NumPy reads other numbers, or other tasks where these are numbers without names."""
    if not content.startswith(ARCHIVES):  # zip goes by a file's end, and NumPy by its beginning
        return
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        x = arrays["x"].astype(precision)
        names = arrays["feature_names"] if "feature_names" in arrays else [f"x{i}" for i in range(x.shape[1])]
        tasks = None if "task_names" in arrays or "task" not in arrays else arrays["task"]
    texts = [name.decode() if isinstance(name, bytes) else str(name) for name in names]
    header = [" ".join(name.split()) or f"unnamed {place}" for place, name in enumerate(texts, start=1)]
    columns = [header.index(name) for name in read.names]
    if not np.array_equal(x[:, columns], read.x, equal_nan=True):
        raise Broken("NumPy reads other numbers")
    if read.tasks is not None and tasks is not None and tasks.dtype.kind in "iu":
        expected = list(map(str, tasks.tolist()))
        if list(read.tasks[1]) != expected:
            raise Broken(f"tasks were read as {list(read.tasks[1])[:9]}, not {expected[:9]}")
