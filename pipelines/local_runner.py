"""Run the pipeline on this machine: python -m pipelines.local_runner --flagfile=digits_r.flags."""

import sys
from collections.abc import Sequence

from pipelines import configs
from pipelines.environment import require_tfx
from pipelines.trainer_worker import check_first_worker
from tffs.errors import UserError
from tffs.processes.threads import threads_for
from tffs.startup import start_tensorflow

PROGRAM = "pipelines.local_runner"


def main(argv: Sequence[str]) -> int:
    """Run one pipeline.

    Args:
        argv: the program's name and its arguments.

    Returns:
        The exit code: 0 if every component ran, also if the model was not blessed; 1 if one failed; 130 if
        stopped.
    """
    try:
        if len(argv) < 2 or {"--help", "-h", "--helpfull"} & set(argv[1:]):
            print(configs.help_text(PROGRAM))
            return 0 if len(argv) > 1 else 1
        config = configs.from_arguments(argv)
        if config.distribute == "multi_worker":
            check_first_worker(config.run.data.episodes_per_step)
        require_tfx()
        start_tensorflow(config.threads or threads_for(config.run))
        from pipelines.run import run

        run(config)
    except UserError as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped: the same command goes on from what is saved.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
