"""The command line: python -m tffs.main --flagfile=digits_r.flags."""

import importlib
import os
import signal
import sys
from collections.abc import Sequence

from tffs import flags
from tffs.config import Command
from tffs.config.modes import AFTER_TRAINING, ASKING
from tffs.distribute.cluster import cluster_of
from tffs.distribute.rejoining import rejoining
from tffs.errors import Interrupted, UserError
from tffs.live_line import shown_while
from tffs.printable import printable
from tffs.processes.threads import threads_for
from tffs.signals import Signals
from tffs.startup import memory_explained, start_tensorflow
from tffs.workdir import Workdir

# Modes that do not wait for it; the worker processes of an experiment start their own.
WITHOUT_TENSORFLOW = ("inspect", "experiment")
REST = ("http://", "https://")  # a server that is asked without it, too


def main(argv: Sequence[str]) -> int:
    """Run one command.

    Args:
        argv: the program's name and its arguments.

    Returns:
        The exit code: 0 if all went well, 1 for a mistake, 128 + signal if stopped.
    """
    mode = ""
    with Signals() as signals:
        try:
            if len(argv) < 2 or set(argv[1:]) & set(flags.HELP):
                asked = len(argv) > 1
                print(flags.help_text(argv), file=sys.stdout if asked else sys.stderr, flush=True)
                return 0 if asked else 1
            command = flags.parse(argv)
            mode = command.mode
            with shown_while("starting"):
                if mode not in WITHOUT_TENSORFLOW and not (command.question.server or "").startswith(REST):
                    start_tensorflow(_threads(command))
                from tffs.modes.console import Console

                do = getattr(importlib.import_module(f"tffs.modes.{mode}"), mode)
            with Console(signals) as console, rejoining(signals, argv), memory_explained():
                do(command, console)
        except UserError as error:
            print(printable(f"tffs: {error}"), file=sys.stderr)
            return 1
        except BrokenPipeError:  # the reader, such as head, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 128 + signal.SIGPIPE
        except OSError as error:  # standard output on a full disk, for one
            print(
                printable(f"tffs: {error}: nothing that was saved is lost; fix that and repeat the command."),
                file=sys.stderr,
            )
            return 1
        except Interrupted as stopped:
            print(f"Stopped and saved at step {stopped.step}: the same command resumes.", file=sys.stderr)
            return 128 + (signals.received or signal.SIGINT)
        except KeyboardInterrupt:
            resumes = "" if mode in ("serve", *ASKING) else ": the same command goes on from what is saved"
            print(f"Stopped{resumes}.", file=sys.stderr)
            return 128 + (signals.received or signal.SIGINT)
    return 0


def _threads(command: Command) -> int:
    """Give TensorFlow's threads: those of the flags, or what suits the run."""
    if command.threads:
        return command.threads
    stored = Workdir(command.workdir).stored_config() if command.mode in AFTER_TRAINING else None
    cluster = cluster_of(command.distribute, command.run.data.episodes_per_step)
    return threads_for(stored or command.run, cluster.count if cluster else 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
