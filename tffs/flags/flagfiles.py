"""Flag files: a person's own and the published ones."""

import os
import pathlib
from collections.abc import Iterator, Sequence

from tffs.errors import UserError

FOLDER = pathlib.Path(__file__).parents[1] / "flagfiles"


def with_flagfiles(argv: Sequence[str], inside: tuple[str, ...] = ()) -> list[str]:
    """Replace every --flagfile by the flags in it; flag files may name others."""
    found: list[str] = []
    for argument, path in _split(argv):
        if path is None:
            found.append(argument)
            continue
        path = _flagfile(path)
        if path in inside:
            raise UserError(f"The flag file {path} names itself: take that line out.")
        found += with_flagfiles(_lines(path), (*inside, path))
    return found


def without_flagfiles(argv: Sequence[str]) -> list[str]:
    """Give the arguments that were written on the command line itself."""
    return [argument for argument, path in _split(argv) if path is None]


def _split(argv: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """Give each argument with the path of the flag file it names, or None."""
    arguments = iter(argv)
    for argument in arguments:
        name, separator, path = argument.partition("=")
        if name in ("--flagfile", "-flagfile"):
            yield argument, path if separator else next(arguments, "")
        else:
            yield argument, None


def published() -> dict[str, str]:
    """Give the paths of the published flag files by their names."""
    return {file.name: str(file) for file in FOLDER.glob("*.flags")}


def _lines(path: str) -> list[str]:
    try:
        lines = [line.strip() for line in pathlib.Path(path).read_text(encoding="utf-8-sig").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"--flagfile={path} must be a text file, one flag per line, but: {error}.") from error
    return [line for line in lines if line and not line.startswith(("#", "//"))]


def _flagfile(path: str) -> str:
    expanded = os.path.expanduser(path)
    if os.path.isfile(expanded):
        return expanded
    known = published()
    for name in (path, f"{path}.flags"):
        if name in known:
            return known[name]
    raise UserError(
        f"--flagfile={path} is not there: give the path of a file, or one of the published "
        f"{', '.join(sorted(known))}."
    )
