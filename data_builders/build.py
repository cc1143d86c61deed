"""Prepare datasets without apache-beam: python -m data_builders.build --datasets=mnist_r,isolet."""

import os
import sys
import time
from collections.abc import Sequence

from absl import flags

import data_builders
from data_builders.reference import resolve
from tffs.errors import UserError
from tffs.printable import printable
from tffs.signals import Signals
from tffs.startup import start_tensorflow


def main(argv: Sequence[str]) -> int:
    """Prepare the datasets that the arguments name.

    Args:
        argv: the program's name and its arguments.

    Returns:
        The exit code: 0 if all are prepared, 1 for a mistake, 128 + signal if stopped.
    """
    with Signals() as signals:
        try:
            values = _parse(argv)
            if values is None:
                return 0
            start_tensorflow()
            _build(values)
        except UserError as error:
            print(printable(f"data_builders.build: {error}"), file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            print("Stopped: what was prepared stays, the same command goes on.", file=sys.stderr)
            return 128 + (signals.received or 0)
    return 0


def _build(values: flags.FlagValues) -> None:
    from data_builders.preparation import prepare

    data_dir = os.path.expanduser(values.data_dir)
    mirror = data_builders.mirror(values.data_mirror)
    for number, name in enumerate(values.datasets, start=1):
        print(f"[{number}/{len(values.datasets)}] {name} ...", file=sys.stderr, flush=True)
        began = time.monotonic()
        builder = prepare(name, data_dir, mirror)
        counts = {split: info.num_examples for split, info in builder.info.splits.items()}
        tasks = ", ".join(f"{split} {count}" for split, count in counts.items())
        print(
            f"{name}: {sum(counts.values())} rows in {len(counts)} tasks ({tasks}), {builder.data_path}, "
            f"{time.monotonic() - began:.1f} s",
            flush=True,
        )


def _parse(argv: Sequence[str]) -> flags.FlagValues | None:
    """Parse and check the arguments; None if help was asked for."""
    values = flags.FlagValues()
    known = data_builders.available()
    flags.DEFINE_list(
        "datasets", [], f"which to prepare, of {', '.join(known)}, or builders of your own", flag_values=values
    )
    flags.DEFINE_string(
        "data_dir", data_builders.DATA_DIR, "where prepared datasets are kept", flag_values=values
    )
    flags.DEFINE_string(
        "data_mirror",
        None,
        "a folder with <dataset>/<file name> to read instead of downloading; "
        f"the environment variable {data_builders.MIRROR_VARIABLE} says the same",
        flag_values=values,
    )
    if {"--help", "-help", "-h"} & set(argv[1:]):
        print(__doc__)
        for name in ("datasets", "data_dir", "data_mirror"):
            default = values[name].value
            print(f"  --{name}: {values[name].help}" + (f" (default {default})" if default else ""))
        return None
    try:
        rest = values(list(argv))
    except flags.Error as error:
        raise UserError(" ".join(str(error).split())) from error
    if rest[1:] or not values.datasets:
        received = f"'{rest[1]}' was given" if rest[1:] else "none was given"
        raise UserError(
            f"--datasets must name some of {', '.join(known)}, separated by commas, but {received}."
        )
    try:
        values.datasets = [resolve(name) for name in values.datasets]
    except UserError as error:
        raise UserError(f"--datasets {error}") from error
    return values


if __name__ == "__main__":
    sys.exit(main(sys.argv))
