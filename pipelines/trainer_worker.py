"""A worker of the Trainer: TF_CONFIG=... python -m pipelines.trainer_worker --pipeline_root=runs/pipeline.

The workers are joined before anything else of TensorFlow has run, so each is a process of its own: the Trainer
starts the first, and the others are started by this command, before or after it.
"""

import dataclasses
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipelines.configs import ROOT
from pipelines.environment import require_tfx
from pipelines.flags import help_lines, only
from tffs.distribute.cluster import check_shares, read_cluster
from tffs.distribute.rejoining import rejoining
from tffs.errors import Interrupted, UserError
from tffs.options import Section, option
from tffs.signals import Signals
from tffs.startup import start_tensorflow
from tffs.whole_file import replacing

if TYPE_CHECKING:  # it imports TensorFlow, which must not be there when a worker is told what is wrong
    from pipelines.training import TrainingJob

PROGRAM = "pipelines.trainer_worker"
JOB = "job.json"
_POLL_SECONDS = 0.5


@dataclasses.dataclass(frozen=True)
class Place(Section):
    """Where to work."""

    root: str = option(ROOT, "of the pipeline whose Trainer to work for", name="pipeline_root", path=True)
    end_with_stdin: bool = option(False, "end when standard input does; the Trainer gives it")


def main(argv: Sequence[str]) -> int:
    """Train with the other workers, once.

    Args:
        argv: the program's name and its arguments.

    Returns:
        The exit code: 0 if the training has ended, 1 for a mistake, 128 + signal if stopped.
    """
    with Signals() as signals:
        try:
            if {"--help", "-h"} & set(argv[1:]):
                print("\n".join([__doc__, *help_lines(Place)]))
                return 0
            place = only(argv, Place)
            if place.end_with_stdin:
                threading.Thread(target=_end_with_stdin, daemon=True).start()
            cluster = read_cluster(os.environ)
            require_tfx()
            path = job_file(os.path.join(place.root, "artifacts", "Trainer"))
            _wait_for(path)
            start_tensorflow()
            from pipelines.training import TrainingJob, say, train
            from tffs.distribute.joining import WAIT_SECONDS, join

            with rejoining(signals, argv, PROGRAM):
                # What a killed Trainer left to do says nothing about when the next one comes.
                workers = join(cluster, say, math.inf if cluster.index else WAIT_SECONDS)
                with open(path, encoding="utf-8") as file, signals.deferred():
                    train(TrainingJob(**json.load(file)), workers, signals.pending)
        except UserError as error:
            print(f"{PROGRAM}: {error}", file=sys.stderr, flush=True)
            return 1
        except OSError as error:  # the first worker has failed at once, and its job is gone, for one
            print(
                f"{PROGRAM}: {error}: nothing that was saved is lost; fix that and repeat the command.",
                file=sys.stderr,
                flush=True,
            )
            return 1
        except Interrupted as stopped:
            print(f"Stopped and saved at step {stopped.step}: the same command resumes.", file=sys.stderr)
            return 128 + (signals.received or signal.SIGINT)
        except KeyboardInterrupt:
            print("Stopped: the same command goes on from what is saved.", file=sys.stderr)
            return 128 + (signals.received or signal.SIGINT)
    return 0


def job_file(component: str) -> str:
    """Name the file that tells workers what to train."""
    return os.path.join(component, JOB)


def check_first_worker(episodes_per_step: int) -> None:
    """Check that TF_CONFIG makes this machine the first of workers who can share the episodes of a step."""
    cluster = read_cluster(os.environ)
    check_shares(cluster, episodes_per_step)
    if cluster.index:
        raise UserError(
            f"The pipeline must be the first worker, but the task in TF_CONFIG is worker {cluster.index}: give "
            "it index 0, and start the others with python -m pipelines.trainer_worker."
        )


def train_with_workers(job: "TrainingJob") -> None:
    """Tell the workers what to train, and train as the first of them, in a new process.

    Args:
        job: what to train; its folders must be there for every worker.
    """
    check_first_worker(job.run["episodes_per_step"])  # which a search may have changed
    path = job_file(job.component)
    root = os.path.dirname(os.path.dirname(job.component))
    os.makedirs(job.component, exist_ok=True)
    with replacing(path) as part, open(part, "w", encoding="utf-8") as file:
        json.dump(dataclasses.asdict(job), file)
    command = [sys.executable, "-m", PROGRAM, f"--pipeline_root={root}", "--end_with_stdin"]
    try:
        # Standard error is not the log, where native output goes; nothing but the end of this process, however
        # it ends, ends the worker's standard input.
        with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=sys.stderr) as worker:
            code = worker.wait()
    finally:
        os.remove(path)
    if code:
        raise UserError("the first worker could not train, for the reason above: fix that and run again.")


def _end_with_stdin() -> None:
    """End this process at once when its standard input ends.

    It would go on training in a folder in which the next Trainer trains, on the port that it needs.
    """
    while os.read(0, 1):  # sys.stdin would be locked when the interpreter ends
        pass
    os._exit(1)


def _wait_for(path: str) -> None:
    """Wait until the Trainer says what to train."""
    if not os.path.exists(path):
        print(f"Waiting for the Trainer to write {path} ...", file=sys.stderr, flush=True)
    while not os.path.exists(path):
        time.sleep(_POLL_SECONDS)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
