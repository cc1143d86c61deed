"""Write the outputs that README.md and docs/ show: `make docs-outputs`.

Every page is run, in a temporary folder with the real table of Parkinson's telemonitoring. What blocks print
goes into the `text` blocks below them (see `docs.making.blocks`), README.md gets its table of methods from
`results/`, and pictures come from the runs.
"""

import argparse
import os
import pathlib
import re
import shutil
import tempfile

import data_builders
from docs.making.blocks import ROOT, blocks, excerpt, pages
from docs.making.comparison import comparison
from docs.making.workspace import TABLE, Workspace
from tests.chromium import MISSING, Browser, is_installed

PICTURES = {  # of docs/pictures/, from the runs that the pages make
    "parkinsons.png": "runs/parkinsons_updrs/features.png",
    "digits_r.png": "runs/digits_r/reconstructions.png",
}
REPORT, REPORT_SIZE = "report.png", (1000, 1900)
MARKED = re.compile(r"(?<=<!-- comparison -->\n).*?(?=<!-- end of comparison -->)", re.DOTALL)


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


def picture_of_report(page: pathlib.Path) -> None:
    """Take a picture of what the report begins with, where there is a browser."""
    if not is_installed():
        print(f"docs/pictures/{REPORT} stays as it is: {MISSING}")
        return
    browser = Browser()
    try:
        browser.open(page, size=REPORT_SIZE)
        browser.screenshot(ROOT / "docs" / "pictures" / REPORT, whole=False)
    finally:
        browser.close()


def main() -> None:
    """Run every page and rewrite it."""
    argparse.ArgumentParser(prog="python -m docs.making.outputs", description=__doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder, Workspace(pathlib.Path(folder), real_table()) as workspace:
        for page in pages():
            printed = workspace.run(page, slow=True)
            content = with_outputs(page, printed)
            content = MARKED.sub(lambda _: f"\n{comparison()}\n\n", content)
            (ROOT / page).write_text(content, encoding="utf-8")
            print(f"{page}: {len(printed)} blocks were run", flush=True)
        for name, made in PICTURES.items():
            shutil.copy(workspace.folder / made, ROOT / "docs" / "pictures" / name)
        picture_of_report(workspace.folder / "runs" / "parkinsons_updrs" / "report.html")


if __name__ == "__main__":
    main()
