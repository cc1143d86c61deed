"""Arrays in .npy and .npz files that are almost right: headers which lie, pickles, tricks of zip."""

import io
import pickle
import random
import warnings
import zipfile
from collections.abc import Callable, Sequence

import numpy as np

DTYPES = (
    "<f4",
    "<f8",
    ">f8",
    "<f2",
    "<i4",
    "<i8",
    ">i2",
    "|u1",
    "|b1",
    "<u8",
    "<f16",
    "<c8",
    "<M8[s]",
    "|O",
    "|S0",
    "<U0",
    "|S3",
    "<U2",
    "|V4",
)
SIZES = (0, 1, 2, 3, 4, 5, -1, 2**31, 2**63, 10**12)


def npz_bytes(source: random.Random) -> bytes:
    """Draw a .npz file with `x` and `task`, and now and then the other arrays."""
    rows, columns = source.choice((0, 1, 2, 3, 5, 8)), source.choice((0, 1, 2, 3, 4))
    members = {
        "x": _numbers(source, (rows, columns)),
        "task": _names(source, rows),
    }
    if source.random() < 0.3:
        members["y"] = _names(source, rows)
    for key, count in (("task_names", 3), ("class_names", 3), ("feature_names", columns)):
        if source.random() < 0.3:
            members[key] = _texts(source, count)
    if source.random() < 0.05:
        members.pop(source.choice(list(members)))
    files = [(f"{name}.npy", npy_of(source, array)) for name, array in members.items()]
    if source.random() < 0.03:
        files.append(source.choice(files))
    return zipped(files, source.choice((zipfile.ZIP_STORED, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)))


def npy_bytes(source: random.Random, columns: int) -> bytes:
    """Draw a .npy file of rows."""
    shape = (source.choice((0, 1, 2, 5)), columns if source.random() < 0.9 else source.randint(0, 6))
    return npy_of(source, _numbers(source, shape))


def npy_of(source: random.Random, array: np.ndarray) -> bytes:
    """Write an array, now and then with a header that says something else."""
    out = io.BytesIO()
    if source.random() < 0.03:
        pickle.dump(array.tolist(), out)
        return out.getvalue()
    header = np.lib.format.header_data_from_array_1_0(array)
    content = array.tobytes("A")
    lie = source.random()
    if lie < 0.04:
        header["shape"] = tuple(source.choice(SIZES) for _ in range(source.randint(0, 3)))
    elif lie < 0.08:
        header["descr"] = source.choice(DTYPES)
    elif lie < 0.12:
        header["fortran_order"] = not header["fortran_order"]
    elif lie < 0.14:
        header["shape"] = (*header["shape"], source.choice((0, 1, True, 1.0, "1", None)))
    elif lie < 0.16:
        header[source.choice(("extra", "shape"))] = source.choice(((), None, [1]))
    elif lie < 0.18:
        content = content[: source.randint(0, len(content))]
    text = source.choice((repr(header), repr(header), repr(header) + " " * 30 + "\n"))
    if source.random() < 0.03:
        text = source.choice(
            (
                text.replace(")", "L)"),
                "(" * 300,
                text[:-2],
                text * 2,
                "{" + text,
                "\x00",
                "1" * 5000,
                "'" + text,
            )
        )
    version = source.choice(((1, 0), (1, 0), (1, 0), (2, 0), (3, 0), (9, 9)))
    raw = text.encode("latin-1", errors="replace")
    length = len(raw).to_bytes(2 if version == (1, 0) else 4, "little")
    return b"\x93NUMPY" + bytes(version) + length + raw + content


def zipped(files: Sequence[tuple[str, bytes]], compression: int = zipfile.ZIP_STORED) -> bytes:
    """Pack files."""
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", compression) as archive:
        warnings.simplefilter("ignore")  # a name may come twice
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name), content, compression)
    return out.getvalue()


def changed_member(data: bytes, source: random.Random, change: Callable[[bytes], bytes]) -> bytes | None:
    """Change one file of an archive and pack it again, so that its checksum fits; None for no archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files = [
                (info.filename, archive.read(info)) for info in archive.infolist() if info.file_size < 2**16
            ]
    except Exception:  # zipfile raises many kinds
        return None
    if not files:
        return None
    at = source.randrange(len(files))
    files[at] = (files[at][0], change(files[at][1]))
    return zipped(files)


def _numbers(source: random.Random, shape: tuple[int, ...]) -> np.ndarray:
    values = np.array([source.uniform(-9.0, 9.0) for _ in range(int(np.prod(shape)))]).reshape(shape)
    if values.size and source.random() < 0.1:
        values.flat[source.randrange(values.size)] = source.choice((np.nan, np.inf, 1e39, -1e300))
    dtype = source.choice(("<f4", "<f8", "<f8", ">f8", ">f4", "<f2", "<i8", "|u1", "|b1", "<f16", "<i2"))
    with np.errstate(all="ignore"):
        array = values.astype(dtype)
    return np.asfortranarray(array) if source.random() < 0.2 else array


def _names(source: random.Random, rows: int) -> np.ndarray:
    kind = source.random()
    if kind < 0.4:
        return np.array(
            [source.randint(0, 2) for _ in range(rows)], source.choice(("<i8", "|u1", "<i4", ">i4"))
        )
    if kind < 0.5:
        return np.array([source.choice((0.0, 1.0, np.nan, -0.5)) for _ in range(rows)])
    if kind < 0.55:
        return np.array([source.random() < 0.5 for _ in range(rows)])
    return _texts(source, rows)


def _texts(source: random.Random, count: int) -> np.ndarray:
    texts = [
        source.choice(("u", "v", "ü", "", "NA", "a\nb", "x" * 9, f"n{number}", "\x00u", "\ud800"))
        if source.random() < 0.2
        else f"n{number % 3}"
        for number in range(count)
    ]
    if source.random() < 0.8:
        return np.array(texts, dtype=np.str_)
    return np.array([text.encode("utf-8", errors="replace") for text in texts], dtype=np.bytes_)
