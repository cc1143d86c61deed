"""After a worker was lost: begin again in the same process, so that all workers meet anew."""

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence

from tffs.errors import UserError, WorkerLost
from tffs.signals import Signals

MOST = 5
_VARIABLE = "TFFS_REJOINED"  # <how often in a row without getting further>:<the step that was reached>


@contextlib.contextmanager
def rejoining(signals: Signals, argv: Sequence[str], program: str = "tffs.main") -> Iterator[None]:
    """Run the same command again if the block loses a worker, unless the person wants it to stop.

    Args:
        signals: tells whether SIGTERM or Ctrl-C was received, which then raises KeyboardInterrupt.
        argv: the program's name and its arguments.
        program: the module that is the program.
    """
    try:
        yield
    except WorkerLost as lost:
        if signals.pending():
            raise KeyboardInterrupt from lost
        rejoin(lost, argv, program)


def rejoin(lost: WorkerLost, argv: Sequence[str], program: str) -> None:
    """Run the same command again in place of this process; it waits for the lost worker.

    TensorFlow cannot take a worker back into a cluster that it left, so every worker has to begin anew.

    Args:
        lost: what happened.
        argv: the program's name and its arguments.
        program: the module that is the program.
    """
    times, step = (int(part) for part in os.environ.get(_VARIABLE, "0:0").split(":"))
    times = 1 if lost.step > step else times + 1
    if times > MOST:
        raise UserError(
            f"Workers were lost {times} times in a row at about step {lost.step}: nothing that was saved is "
            "lost; see why they end or cannot reach each other, and start them again with the same commands."
        )
    where = f"at about step {lost.step}" if lost.step else "before the first step"
    print(
        f"A worker was lost {where}: waiting for it to be started again with its command, to go on from the "
        "last checkpoint.",
        file=sys.stderr,
        flush=True,
    )
    sys.stdout.flush()
    os.environ[_VARIABLE] = f"{times}:{max(lost.step, step)}"
    os.execv(sys.executable, [sys.executable, "-m", program, *argv[1:]])
