"""Make text from files safe to print: what would steer a terminal is shown, not obeyed."""

import re

# Control characters except line breaks and tabs, marks that turn the direction of writing, and halves of a
# character, which stand for bytes of a file name that are not UTF-8 and cannot be printed at all.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """Write characters that steer a terminal as escapes of the form that JSON reads back."""
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def percent(share: float | None) -> str:
    """Write a share; a dash stands for none."""
    return "-" if share is None else f"{100.0 * share:.1f} %"
