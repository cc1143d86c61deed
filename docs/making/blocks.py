"""The code blocks of README.md and docs/, and what the comment above each says of it.

Python blocks and shell blocks (`sh`) are run by `tests/docs/examples_test.py`, page by page, unless a comment
above says otherwise:

    <!-- not run: REASON -->       nothing runs it
    <!-- slow: REASON -->          `make docs-outputs` runs it, the tests do not
    <!-- tested by: tests/... -->  another test runs the same mode or program with other flags; of this
                                   command only the flags are checked

A `text` block shows what the block before it printed, and is written by `make docs-outputs`:

    <!-- output -->                all of it
    <!-- output: 1-4 9- -->        these lines
    <!-- not output: REASON -->    it is something else

    <!-- file: costs.csv -->       any other block may be a file that the commands below it read
"""

import pathlib
import re
from collections.abc import Iterator
from typing import NamedTuple

ROOT = pathlib.Path(__file__).parents[2]
RUN = ("python", "sh")
NOTES = ("not run", "slow", "tested by", "output", "not output", "file")
_BLOCK = re.compile(
    r"^(?:<!-- (?P<note>[^\n]*) -->\n+)?```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


class Block(NamedTuple):
    """A code block.

    Attributes:
        page: its file, below the repository.
        line: the number of its first line.
        language: the word after the backticks.
        text: what stands in it.
        note: what kind of comment stands above it, "" for none.
        about: the rest of the comment.
        place: where the text begins and ends in the page.
    """

    page: str
    line: int
    language: str
    text: str
    note: str
    about: str
    place: tuple[int, int]

    @property
    def name(self) -> str:
        """Where a person finds it."""
        return f"{self.page}:{self.line}"


def pages() -> list[str]:
    """List every page, the README first."""
    found = sorted(ROOT.glob("docs/**/*.md"))
    return ["README.md", *(str(page.relative_to(ROOT)) for page in found if "_build" not in page.parts)]


def blocks(page: str) -> Iterator[Block]:
    """List the blocks of a page; MyST's directives are none."""
    content = (ROOT / page).read_text(encoding="utf-8")
    for found in _BLOCK.finditer(content):
        note, _, about = (found["note"] or "").partition(":")
        line = content.count("\n", 0, found.start("text")) + 1
        yield Block(page, line, found["language"], found["text"], note, about.strip(), found.span("text"))


def commands(block: Block) -> list[str]:
    """List the commands of a shell block, each in one line and without comments."""
    lines = re.sub(r"\\\n\s*", "", block.text).splitlines()
    return [command for line in lines if (command := re.sub(r"(^|\s)#\s.*", "", line).strip())]


def excerpt(printed: str, lines: str) -> str:
    """Give the lines of an output that `lines` names, like "1-4 9-"; dots stand for what is left out."""
    printed = printed.strip("\n")
    if not lines:
        return f"{printed}\n"
    every, last = printed.splitlines(), 0
    shown: list[str] = []
    for part in lines.split():
        first, dash, end = part.partition("-")
        start, stop = int(first), int(end) if end else len(every) if dash else int(first)
        if shown and start > last + 1:
            shown.append("...")
        shown += every[start - 1 : stop]
        last = stop
    return "\n".join(shown) + "\n"
