"""How a fit is watched, stopped, kept and shared; none of it changes the result."""

import dataclasses
from collections.abc import Callable

from tffs.training.programs import Programs
from tffs.training.progress import Silent, Watch
from tffs.training.workers import ALONE, Workers


@dataclasses.dataclass(frozen=True)
class Session:
    """What a fit is given beside the run; the defaults fit silently and keep nothing.

    Attributes:
        progress: is told where training stands.
        say: receives one-sentence notes for the person.
        should_stop: asked after every chunk; True, on any worker, saves and raises `Interrupted`.
        checkpoints: the folder to resume from and save to; None where nobody would resume, and on all workers
            but the chief.
        summaries: the folder for TensorBoard, or None.
        workers: who trains together.
        fitted: what is fitted in this run beside its own model, which its checkpoints are told apart by.
        programs: compiled loops of earlier fits in this process, to be used again; None to compile anew.
        share: is called with what is being done and the share of it that is done.
    """

    progress: Watch = dataclasses.field(default_factory=Silent)
    say: Callable[[str], None] = lambda sentence: None
    should_stop: Callable[[], bool] = lambda: False
    checkpoints: str | None = None
    summaries: str | None = None
    workers: Workers = ALONE
    fitted: str = ""
    programs: Programs | None = None
    share: Callable[[str, float], None] = lambda doing, done: None
