"""Open one file of a table, whatever kind it is."""

import os
import stat

from data_builders.table.column_block import TableFile
from data_builders.table.csv_file import CsvFile
from data_builders.table.npz_file import NpzFile
from data_builders.table.parquet_file import ParquetFile
from data_builders.table.unit import LONGEST_NAME
from tffs.errors import UserError, one_line

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def open_file(path: str) -> TableFile:
    """Open one file and check that its columns have names that can be used."""
    check_file(path)
    file = _open(path)
    for column, name in enumerate(file.header, start=1):
        if len(name) > LONGEST_NAME:
            raise UserError(
                f"{path} has a name of {len(name)} characters for column {column}, '{one_line(name[:20])}...', "
                f"but at most {LONGEST_NAME} can be used: does its first line name the columns?"
            )
    return file


def _open(path: str) -> TableFile:
    """Open a file by its ending or its first bytes; what is neither Parquet nor .npz is taken for a CSV."""
    kind = ending(path)
    with open(path, "rb") as file:
        start = file.read(4)
    if kind == ".parquet" or (kind == "" and start == b"PAR1"):
        return ParquetFile(path)
    if kind == ".npz":
        return NpzFile(path)
    if start[:2] == b"PK":
        raise UserError(
            f"{path} is a spreadsheet or an archive: save the table as CSV (also .gz), Parquet or .npz."
        )
    return CsvFile(path)


def ending(path: str) -> str:
    """Give the file's ending if it says more than that it is a CSV."""
    return next((kind for kind in (".parquet", ".npz", ".gz") if path.lower().endswith(kind)), "")


def check_file(path: str) -> None:
    """Refuse what is not a file, and could wait for ever, and a name that other programs cannot write down."""
    check_name(path)
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "something else")
        raise UserError(f"{path} must be a file, but it is {kind}: write the rows to a file and give its path.")


def state_of(path: str) -> tuple[int, ...]:
    """Give what changes when a file is written to or replaced."""
    found = os.stat(path)
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def check_name(path: str) -> None:
    """Refuse a path that is not UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise UserError(f"The name of {path} must be UTF-8, but it is not: rename it.") from error
