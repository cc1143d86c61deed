"""Write the outputs that README.md and docs/ show: `make docs-outputs`.

Every page is run, in a temporary folder with the real table of Parkinson's telemonitoring. What the blocks print
goes into the `text` blocks below them (see `docs.making.blocks`); figures from `results/` go between their marks.
"""

import os
import pathlib
import re
import tempfile

import data_builders
from docs.making.blocks import ROOT, blocks, excerpt, pages
from docs.making.comparison import comparison
from docs.making.workspace import TABLE, Workspace

MARKED = re.compile(r"(?<=<!-- comparison -->\n\n).*?(?=\n\n<!-- end of comparison -->)", re.DOTALL)


def with_outputs(page: str, printed: dict[int, str]) -> str:
    """Put what the blocks of a page have printed into the page."""
    content, end, parts, last = (ROOT / page).read_text(encoding="utf-8"), 0, [], None
    for block in blocks(page):
        if block.line in printed:
            last = printed[block.line]
        elif block.note == "output":
            if last is None:
                raise ValueError(f"{block.name} shows an output, but the block before it is not run.")
            start, stop = block.place
            parts += [content[end:start], excerpt(last, block.about)]
            end = stop
        else:
            last = None
    return "".join([*parts, content[end:]])


def real_table() -> pathlib.Path:
    """Find the real table, beside the clone or where the environment says."""
    mirror = os.environ.get(data_builders.MIRROR_VARIABLE, ROOT.parent / "shared" / "data")
    return pathlib.Path(mirror) / "parkinsons" / TABLE


def main() -> None:
    """Run every page and rewrite it."""
    with tempfile.TemporaryDirectory() as folder, Workspace(pathlib.Path(folder), real_table()) as workspace:
        for page in pages():
            printed = workspace.run(page, slow=True)
            made = with_outputs(page, printed)
            made = MARKED.sub(lambda _: comparison(), made)
            (ROOT / page).write_text(made, encoding="utf-8")
            print(f"{page}: {len(printed)} blocks were run", flush=True)


if __name__ == "__main__":
    main()
