"""The directive `flags`: a table of every flag, made from the definitions."""

import re
from typing import Any

import pandas as pd
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from tffs.config.modes import EVERY, MODES
from tffs.flags.definitions import Flag, every_flag
from tffs.markdown import table

FIRST = "The mode"


def modes_table() -> str:
    """Write the modes in Markdown."""
    rows = [[f"`{name}`", plain(what)] for name, what in MODES.items()]
    return table(pd.DataFrame(rows, columns=["mode", "what it does"]), left=2)


def flags_tables() -> str:
    """Write the flags in Markdown, a section for each group."""
    groups: dict[str, list[list[str]]] = {}
    for name, flag in every_flag().items():
        groups.setdefault(flag.option.group or FIRST, []).append(row(name, flag))
    parts = []
    for title in sorted(groups, key=lambda title: title != FIRST):
        rows = pd.DataFrame(groups[title], columns=["flag", "meaning", "default", "modes"])
        parts.append(f"## {title}\n\n{table(rows, left=4)}")
    return "\n\n".join(parts)


def row(name: str, flag: Flag) -> list[str]:
    """Write one flag: what it means, its default, and the modes that use it."""
    option, modes = flag
    default = ",".join(map(str, option.default)) if isinstance(option.default, tuple) else option.default
    meaning = f"(`--method={option.methods[0]}`) {option.help}" if option.methods else option.help
    shown = "" if default in (None, "") else f"`{default}`"
    return [f"`--{name}`", plain(meaning), shown, "all" if modes == EVERY else ", ".join(modes)]


def plain(text: str) -> str:
    """Keep what Markdown would take for a mark, and set flags and their values as code."""
    parts = re.split(r"(--[a-z_]+(?:=[\w/<>.]*\w)?)", text)
    parts[::2] = [re.sub(r"([<*_|])", r"\\\1", part) for part in parts[::2]]
    parts[1::2] = [f"`{part}`" for part in parts[1::2]]
    return "".join(parts)


class Made(SphinxDirective):
    """Parse what a function writes as Markdown, in the place of the directive."""

    def run(self) -> list[nodes.Node]:
        """Give the nodes of the tables."""
        made = {"modes": modes_table, "flags": flags_tables}[self.name]()
        return self.parse_text_to_nodes(
            StringList(made.splitlines(), source=self.name), allow_section_headings=True
        )


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives `modes` and `flags`."""
    app.add_directive("modes", Made)
    app.add_directive("flags", Made)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
