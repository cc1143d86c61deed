"""Tables as CSV that are almost right: quotes, marks, missing values, ragged rows, other encodings."""

import random
from collections.abc import Sequence

NAMES = ("task", "y", "a", "b", "größe", "x,y", "a b", ' "q" ', "", "task", "1.5", "x;y", "a\tb")
NUMBERS = ("1", "0", "-1", "2.5", "1e3", ".5", "3.", "-0.0", "1e-300", "7" * 30, "1e38", "3.5e38", "1e400")
STRANGE = (
    *(
        "",
        " ",
        "NA",
        "nan",
        "NaN",
        "?",
        "null",
        "None",
        "inf",
        "-Infinity",
        "true",
        "False",
        "+1",
        "--1",
        "+-1",
    ),
    *("1,5", "1.000", "1,000", "1.000,5", "1 000", "1_000", "0x1A", "1e", "e1", "1.2.3", "NaN(1)", "infin"),
    *(
        "text",
        "x\ny",
        'q"q',
        "1\x00",
        "\x00",
        "١",
        "1",
        "−1",
        "\u00a01",
        " 1 ",
        "\ufeff1",
        "1\u2028",
        "x\x1b[2Jy",
    ),
    *("9223372036854775808", "-9223372036854775809", "1" + "0" * 400, "0." + "0" * 400 + "1", "z" * 2000),
)
TASKS = ("u", "v", "w", "1", "02", " u", "", "NA", "nan", "u\nv", "ü", "1.0", "²", "١")
ENDS = ("\n", "\n", "\n", "\r\n", "\r")


def csv_bytes(source: random.Random) -> bytes:
    """Draw a CSV file with the columns `task` and, sometimes, `y`."""
    delimiter = source.choice(",,,,;;\t|")
    names = ["task", *source.sample(NAMES[1:], source.randint(1, 4))]
    if source.random() < 0.9:
        names = list(dict.fromkeys(names))
    strange = _share(source)
    rows = [
        [
            source.choice(TASKS if source.random() < strange else TASKS[:3])
            if name in ("task", "y")
            else _number(source, delimiter, strange)
            for name in names
        ]
        for _ in range(_few(source))
    ]
    return as_csv(source, names, rows, delimiter)


def named_csv_bytes(source: random.Random, names: Sequence[str]) -> bytes:
    """Draw a CSV file which has most of these columns, and perhaps others."""
    chosen = [name for name in names if source.random() < 0.95]
    if source.random() < 0.3:
        chosen.insert(source.randint(0, len(chosen)), source.choice(NAMES))
    if source.random() < 0.3:
        source.shuffle(chosen)
    delimiter = source.choice(",,,,;;\t|")
    strange = _share(source)
    rows = [[_number(source, delimiter, strange) for _ in chosen] for _ in range(_few(source))]
    return as_csv(source, chosen, rows, delimiter)


def as_csv(source: random.Random, names: Sequence[str], rows: Sequence[Sequence[str]], delimiter: str) -> bytes:
    """Write names and rows, now and then in a way that not every program does."""
    end, quotes, ragged = source.choice(ENDS), source.random() < 0.3, source.random() < 0.05
    lines = []
    for cells in (names, *rows):
        written = [_cell(source, cell, delimiter, quotes) for cell in cells]
        if ragged and source.random() < 0.3:
            written = written[:-1] if source.random() < 0.5 else [*written, "1"]
        lines.append(delimiter.join(written))
        if source.random() < 0.02:
            lines.append(source.choice(("", " ", delimiter, "#")))
    text = end.join(lines) + (end if source.random() < 0.8 else "")
    if source.random() < 0.1:
        text = "\ufeff" + text
    encoding = "utf-8" if source.random() < 0.95 else source.choice(("latin-1", "utf-16", "cp1252"))
    data = text.encode(encoding, errors="replace")
    if source.random() < 0.05:
        at = source.randint(0, len(data))
        data = (
            data[:at]
            + source.choice((b"\x00", b'"', b"\xff", b"\r", b"\xef\xbb\xbf", b"\xed\xa0\x80"))
            + data[at:]
        )
    return data


def _few(source: random.Random) -> int:
    return source.choice((0, 1, 2, 3, 4, 5, 6, 8, 12, 25))


def _share(source: random.Random) -> float:
    """Draw how many of a file's cells are strange."""
    return source.choice((0.0, 0.0, 0.01, 0.05, 0.3))


def _number(source: random.Random, delimiter: str, strange: float) -> str:
    kind = source.random()
    if kind < strange:
        return source.choice(STRANGE)
    if kind < 0.1 + strange:
        return source.choice(NUMBERS)
    number = repr(round(source.uniform(-9.0, 9.0), source.randint(0, 4)))
    return number.replace(".", ",") if delimiter == ";" and source.random() < 0.8 else number


def _cell(source: random.Random, cell: str, delimiter: str, quotes: bool) -> str:
    needed = any(mark in cell for mark in (delimiter, '"', "\n", "\r"))
    if (needed and source.random() < 0.95) or (quotes and source.random() < 0.5):
        return '"' + cell.replace('"', '""') + '"'
    return cell
