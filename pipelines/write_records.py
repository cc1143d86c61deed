"""Only write the records: python -m pipelines.write_records --input=DIR --flagfile=digits_r.flags."""

import sys
from collections.abc import Sequence

from pipelines import configs
from tffs.errors import UserError
from tffs.startup import start_tensorflow

PROGRAM = "pipelines.write_records"


def main(argv: Sequence[str]) -> int:
    """Write the records of the flags' dataset as the newest span of --input.

    Args:
        argv: the program's name and its arguments.

    Returns:
        The exit code: 0 if they are there, 1 for a mistake, 130 if stopped.
    """
    try:
        if len(argv) < 2 or {"--help", "-h"} & set(argv[1:]):
            print(configs.help_text(PROGRAM))
            return 0 if len(argv) > 1 else 1
        config = configs.from_arguments(argv)
        start_tensorflow()
        from pipelines.input_spans import write_input

        def say(sentence: str) -> None:
            print(sentence, file=sys.stderr, flush=True)

        print(write_input(config.run, config.place, config.held_out, config.input, say))
    except UserError as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped: spans that were there are untouched.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
