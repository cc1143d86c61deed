"""What an input must never do, and how the same fault is known again."""

import os
import re
import traceback

from tffs.printable import printable

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LONGEST_SENTENCE = 4000
# No sentence for people has these: an exception that was passed on, or an object of Python.
_RAW = re.compile(
    r"Traceback|<class |<built-in|<function|object at 0x|\b\w+(Error|Exception|Warning)\(|^\w+Error\b"
)
_LIST_ITEM = "\n  - "  # the only line breaks of a sentence


class Broken(Exception):
    """A property that does not hold; the message says which."""


def check_sentence(sentence: object) -> None:
    """Raise `Broken` unless this is what a person can be told, as the command line prints it."""
    if not isinstance(sentence, str) or not sentence.strip():
        raise Broken(f"no sentence: {sentence!r}")
    shown = printable(sentence)
    for fault, found in (
        ("a sentence without end", len(shown) > LONGEST_SENTENCE),
        ("a sentence with line breaks", "\n" in shown.replace(_LIST_ITEM, "") or "\t" in shown),
        ("a sentence of Python's", _RAW.search(shown)),
        ("a sentence that cannot be printed", not _encodable(shown)),
    ):
        if found:
            raise Broken(f"{fault}: {shown[:300]!r}")


def signature_of(error: BaseException) -> str:
    """Give what is the same for the same fault: its kind, its place, and our words without numbers."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if frame.filename.startswith(ROOT) and "/.venv" not in frame.filename]
    place = f"{os.path.relpath(ours[-1].filename, ROOT)}:{ours[-1].name}" if ours else "elsewhere"
    words = re.sub(r"'.*'|\".*\"|[\d\W]+", " ", str(error))[:60].strip() if isinstance(error, Broken) else ""
    return f"{type(error).__name__} at {place} {words}".strip()


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
