"""Values and costs files: what --values and --costs read, held against Python's csv module and pandas."""

import gzip
import random

import numpy as np

from fuzzing.almost.csv_text import NUMBERS, STRANGE, as_csv
from fuzzing.broken import Broken
from fuzzing.case import Case
from fuzzing.file_target import FileTarget
from fuzzing.files import draw_file
from fuzzing.oracles.csv_cells import Rows, compare_csv
from fuzzing.oracles.npz_arrays import compare_npz
from fuzzing.oracles.parquet_columns import compare_parquet
from fuzzing.target import ACCEPTED, Outcome
from tffs.data.costs_file import read_costs
from tffs.data.values_file import ValuesFile

NAMES = ("a", "b", "größe", "x,y")
_DRAWN = ("a", "b", "größe", "id")


class ValuesTarget(FileTarget):
    """Reads rows of which some features were measured, and what features cost."""

    kinds = ("csv", "packed", "gz", "npz", "parquet", "data")
    good = Case("csv", {}, 'größe,id,a\n1,u,\n,"v,w",-2e3\n'.encode())

    def draw(self, source: random.Random) -> Case:
        """Draw a file of values or, every fifth time, one of costs."""
        if source.random() < 0.2:
            costs = (*NUMBERS, "2,5", *STRANGE[:12])
            rows = [(name, source.choice(costs)) for name in NAMES[: source.randint(0, 4)]]
            header = ("feature", "cost") if source.random() < 0.7 else ("c", "1,5")
            return Case("csv", {"costs": "yes"}, as_csv(source, header, rows, source.choice(",,;\t")))
        kind, content = draw_file(source, _DRAWN)
        return Case(kind, {}, content)

    def read(self, path: str, case: Case) -> Outcome:
        """Read a file."""
        return Outcome(ACCEPTED, repr(_costs(path) if "costs" in case.asked else _values(path, case)))


def _costs(path: str) -> dict[str, float]:
    """Read costs, which are finite and not negative."""
    costs = read_costs(path)
    if not costs or not all(0.0 <= cost < np.inf for cost in costs.values()):
        raise Broken(f"costs were read as {costs}")
    return costs


def _is_written_as(value: float, text: str) -> bool:
    """Tell whether text is a number, in as many digits as its type has: a Parquet column may be float32."""
    with np.errstate(over="ignore"):
        return any(kind(text) == kind(value) == value for kind in (np.float64, np.float32, np.float16))


def _values(path: str, case: Case) -> list[object]:
    """Read values, part by part, and hold them against what other programs read."""
    file = ValuesFile(path, NAMES)
    parts = list(file.parts())
    x = np.concatenate([part.values.to_numpy() for part in parts])
    if len(x) != file.rows or list(parts[0].values.columns) != list(file.measured):
        raise Broken(f"{file.rows} rows of {file.measured} were announced, and {x.shape} read")
    with np.errstate(over="ignore"):
        if np.isinf(x.astype(np.float32)).any():
            raise Broken("values are not finite")
    for part in parts:
        for name, values in part.values.items():
            for text, value in zip(part.written[name].to_pylist(), values, strict=True):
                if (text is None) != np.isnan(value) or (text is not None and not _is_written_as(value, text)):
                    raise Broken(f"{value} is written as {text!r}")
        if any(len(column) != len(part.values) for column in part.kept):
            raise Broken("a column that is kept has other rows")
    read = Rows(file.measured, x, np.zeros(x.shape, bool))
    if case.kind in ("csv", "packed", "data"):
        compare_csv(case.content, read)
    elif case.kind == "gz":
        compare_csv(gzip.decompress(case.content), read)
    elif case.kind == "npz":
        compare_npz(case.content, read)
    elif case.kind == "parquet":
        compare_parquet(case.content, read)
    return [file.kept, x.tolist(), [column.to_pylist() for part in parts for column in part.kept]]
