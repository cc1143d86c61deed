"""Make a case smaller as long as the same fault shows."""

import dataclasses
import time
from collections.abc import Callable

from fuzzing.case import Case

MOST_SECONDS = 20.0


def shrunk(case: Case, same: Callable[[Case], bool]) -> Case:
    """Leave out what a person said and parts of the content, ever smaller ones, while the fault stays.

    Hypothesis shrinks what it drew itself, and libFuzzer a process that dies; this is an input of neither.

    Args:
        case: which shows the fault.
        same: tells whether another one shows it, too.
    """
    until = time.monotonic() + MOST_SECONDS
    for name in case.asked:
        fewer = dataclasses.replace(
            case, asked={key: value for key, value in case.asked.items() if key != name}
        )
        if same(fewer):
            case = fewer
    size = len(case.content) // 2
    while size:
        place = 0
        while place < len(case.content) and time.monotonic() < until:
            shorter = dataclasses.replace(case, content=case.content[:place] + case.content[place + size :])
            if same(shorter):
                case = shorter
            else:
                place += size
        size //= 2
    return case
