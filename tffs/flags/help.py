"""The pages that `--help` shows: one of all modes, one of each mode, and one of every option."""

import textwrap
from collections.abc import Iterable, Sequence

import data_builders
from tffs.config.modes import EVERY, MODES
from tffs.errors import UserError
from tffs.flags.definitions import every_flag
from tffs.flags.examples import EXAMPLES, example_of
from tffs.flags.flagfiles import published
from tffs.options import Option

FIRST = ("dataset", "table", "method")  # of their groups
FULL = "--helpfull"
HELP = ("--help", "-help", "-h", "--helpshort", FULL)
WIDTH = 108
_ABOUT = (
    "tffs learns from many tasks (machines, patients, shops) which features are worth measuring. For a new",
    "task it chooses them from a few rows, and infers all other features from the ones that were measured.",
)


def help_text(argv: Sequence[str] = ()) -> str:
    """Write the page that arguments with `--help` among them ask for."""
    if FULL in argv:
        return _every_option()
    mode = _mode_in(argv)
    return _modes() if mode is None else _mode(mode)


def _mode_in(argv: Sequence[str]) -> str | None:
    """Give the mode that arguments name, or None."""
    found = None
    for argument, following in zip(argv, [*argv[1:], ""], strict=True):
        name, separator, value = argument.partition("=")
        if name in ("--mode", "-mode"):
            found = value if separator else following
    if found is not None and found not in MODES:
        raise UserError(f"--mode must be one of {', '.join(MODES)}, but received '{found}'.")
    return found


def _modes() -> str:
    """Write what tffs is for and what it can do."""
    lines = [
        *_ABOUT,
        "",
        "Your own table:  python -m tffs.main --table=FILE.csv --task_column=NAME",
    ]
    for purpose, modes in EXAMPLES.items():
        lines += ["", f"{purpose}:"]
        for mode in modes:
            lines += [f"  {mode:<12}{MODES[mode]}", f"      {example_of(mode)}"]
    return "\n".join(
        [
            *lines,
            "",
            *_choices(),
            "",
            "All options of a mode:   python -m tffs.main --mode=select --help",
            "All options:             python -m tffs.main --helpfull",
            "Read on:                 README.md and docs/",
        ]
    )


def _mode(mode: str) -> str:
    """Write what a mode does, one example, and all of its options."""
    about = f"--mode={mode}: {MODES[mode]}"
    lines = [*textwrap.wrap(about, WIDTH), "", "Example:", f"  {example_of(mode)}"]
    options = {name: flag for name, flag in every_flag().items() if mode in flag.modes}
    if "dataset" in options or "datasets" in options:
        lines += ["", *_choices()]
    return "\n".join([*lines, *_groups((option, EVERY) for option, _ in options.values())])


def _every_option() -> str:
    """Write all options, with the modes that use them where these are few."""
    modes = (f"  {mode:<12}{what}" for mode, what in MODES.items())
    return "\n".join(
        [*_ABOUT, "", "Modes (--mode=...):", *modes, "", *_choices(), *_groups(every_flag().values())]
    )


def _choices() -> list[str]:
    files = f"Published flag files (--flagfile=...): {', '.join(sorted(published()))}"
    return [
        f"Datasets (--dataset=...): {', '.join(data_builders.available())}",
        *textwrap.wrap(files, WIDTH, subsequent_indent="  "),
    ]


def _groups(flags: Iterable[tuple[Option, tuple[str, ...]]]) -> list[str]:
    """Write options by their groups."""
    groups: dict[str, list[list[str]]] = {}
    for option, modes in flags:
        if option.group:
            group = groups.setdefault(option.group, [])
            group.insert(0 if option.name in FIRST else len(group), option_lines(option, modes))
    lines = []
    for title, parts in groups.items():
        lines += ["", f"{title}:", *(line for part in parts for line in part)]
    return lines


def option_lines(option: Option, modes: tuple[str, ...] = EVERY) -> list[str]:
    """Write what an option is for, with the modes or methods that use it where they are few."""
    only = f"for {' and '.join(modes)}: " if len(modes) <= 2 else ""
    only += f"for --method={' or '.join(option.methods)}: " if option.methods else ""
    default = option.default
    default = ",".join(map(str, default)) if isinstance(default, tuple) else default
    shown = f" (default {default})" if default not in (None, "") else ""
    text = f"--{option.name}: {only}{option.help}{shown}"
    return textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="      ")
