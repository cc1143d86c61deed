"""From an exception inside of a component to one sentence."""

import re

from tffs.errors import UserError, reason


def sentence(error: BaseException) -> str:
    """Say why a component failed, in one sentence.

    The innermost cause tells; Beam appends where it was running to its text.
    """
    chain = [error]
    while (inner := _before(chain[-1])) is not None and inner not in chain:
        chain.append(inner)
    ours = next((found for found in chain if isinstance(found, UserError)), None)
    if ours is not None:
        return str(ours)
    root = chain[-1]
    text = reason(Exception(re.sub(r"\s*\[while running.*", "", str(root), flags=re.DOTALL)))
    return f"{type(root).__name__}: {text}" if text else type(root).__name__


def _before(error: BaseException) -> BaseException | None:
    """Give the exception that led to this one, unless its author said `from None`."""
    return error.__cause__ or (None if error.__suppress_context__ else error.__context__)
