"""The page that `--help` shows."""

import textwrap

import data_builders
from tffs.flags.definitions import GROUPS, define
from tffs.flags.flagfiles import published
from tffs.flags.modes import MODES

HELP = ("--help", "-help", "-h", "--helpshort", "--helpfull")


def help_text() -> str:
    """Write the page that `--help` shows."""
    values = define()
    lines = [
        "Few-shot unsupervised feature selection: learn from source tasks which features to measure, choose",
        "them for a new task from a few rows, reconstruct the rest.",
        "",
        "Try it:  python -m tffs.main --flagfile=digits_r.flags",
        "Then:    python -m tffs.main --mode=select --model=runs/digits_r --support=runs/digits_r/support.csv",
        "Yours:   python -m tffs.main --mode=inspect --table=FILE.csv --task_column=NAME",
        "",
        "Modes (--mode=...):",
        *(f"  {mode:<12}{what}" for mode, what in MODES.items()),
        "",
        f"Datasets (--dataset=...): {', '.join(data_builders.available())}",
        *textwrap.wrap(
            f"Published flag files (--flagfile=...): {', '.join(sorted(published()))}",
            108,
            subsequent_indent="  ",
        ),
    ]
    for group, names in GROUPS.items():
        lines += ["", f"{group}:"]
        for name in names:
            default = values[name].value
            default = ",".join(default) if isinstance(default, list) else default
            shown = f" (default {default})" if default not in (None, "") else ""
            lines += textwrap.wrap(
                f"--{name}: {values[name].help}{shown}", 108, initial_indent="  ", subsequent_indent="      "
            )
    return "\n".join(lines)
