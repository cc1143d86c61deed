"""One example of each mode, by what people want: the one place that `--help` takes them from."""

from collections.abc import Mapping

# The example of a mode is what follows `python -m tffs.main`. Those about digits run as they are.
EXAMPLES: Mapping[str, Mapping[str, str]] = {
    "Learn from many tasks": {
        "run": "--flagfile=digits_r.flags",
        "train": "--mode=train --flagfile=digits_r.flags",
        "evaluate": "--mode=evaluate --workdir=runs/digits_r",
        "export": "--mode=export --workdir=runs/digits_r",
        "report": "--mode=report --workdir=runs/digits_r",
    },
    "Ask a trained model": {
        "select": "--mode=select --model=runs/digits_r --support=runs/digits_r/support.csv",
        "reconstruct": "--mode=reconstruct --model=runs/digits_r --values=runs/digits_r/support.csv",
        "assess": "--mode=assess --model=runs/digits_r --features=r2c3,r4c4",
    },
    "Look at data": {
        "inspect": "--mode=inspect --table=machines.csv --task_column=machine",
        "prepare": "--mode=prepare --dataset=digits_r",
    },
    "Serve": {
        "serve": "--mode=serve --workdir=runs/digits_r",
    },
    "Compare and tune": {
        "experiment": "--mode=experiment --datasets=digits_r --methods=posterior,greedy --splits=2",
        "tune": "--mode=tune --flagfile=digits_r.flags --trials=5",
    },
}


def example_of(mode: str) -> str:
    """Give the example of a mode, as it is typed."""
    return f"python -m tffs.main {next(found[mode] for found in EXAMPLES.values() if mode in found)}"
