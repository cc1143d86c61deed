"""Links of README.md and BUILD.md lead somewhere; Sphinx checks those of the pages."""

import re

import pytest

from docs.making.blocks import ROOT


def anchors(page):
    """List what a link may point to in a page: its headings, as they are shown in a browser."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken(page):
    found = []
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if "://" not in link and (not target.exists() or (anchor and anchor not in anchors(target))):
            found.append(link)
    return found


@pytest.mark.parametrize("page", ["README.md", "BUILD.md", "RESULTS.md"])
def test_every_link_leads_somewhere(page):
    assert broken(ROOT / page) == []


def test_a_link_that_leads_nowhere_is_found(tmp_path):
    (tmp_path / "other.md").write_text("# A title, here\n", encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text("[a](other.md#a-title-here) [b](other.md#no) [c](none.md) [d](https://a.org/x.md)", "utf-8")
    assert broken(page) == ["other.md#no", "none.md"]
