"""The page that `--help` shows."""

import textwrap

import data_builders
from tffs.config.modes import EVERY, MODES
from tffs.flags.definitions import every_flag
from tffs.flags.flagfiles import published
from tffs.options import Option

FIRST = ("dataset", "table", "method")  # of their groups
HELP = ("--help", "-help", "-h", "--helpshort", "--helpfull")


def help_text() -> str:
    """Write the page that `--help` shows."""
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
    groups: dict[str, list[list[str]]] = {}
    for option, modes in every_flag().values():
        if option.group:
            group = groups.setdefault(option.group, [])
            group.insert(0 if option.name in FIRST else len(group), option_lines(option, modes))
    for title, parts in groups.items():
        lines += ["", f"{title}:", *(line for part in parts for line in part)]
    return "\n".join(lines)


def option_lines(option: Option, modes: tuple[str, ...] = EVERY) -> list[str]:
    """Write what an option is for, with the modes or methods that use it where they are few."""
    only = f"for {' and '.join(modes)}: " if len(modes) <= 2 else ""
    only += f"for --method={' or '.join(option.methods)}: " if option.methods else ""
    default = option.default
    default = ",".join(map(str, default)) if isinstance(default, tuple) else default
    shown = f" (default {default})" if default not in (None, "") else ""
    text = f"--{option.name}: {only}{option.help}{shown}"
    return textwrap.wrap(text, 108, initial_indent="  ", subsequent_indent="      ")
