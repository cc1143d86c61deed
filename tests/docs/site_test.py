"""The documentation's site is built without a warning, and its pages ask no other host for anything."""

import html.parser
import pathlib
import re

import pytest
from sphinx.cmd.build import build_main

import tffs
from docs.making.flags_table import flags_tables
from tffs import baselines
from tffs.flags.definitions import every_flag

DOCS = pathlib.Path(__file__).parents[2] / "docs"
# Attributes that a browser fetches without being asked; a link that a person may click is none.
FETCHED = {"link": "href", "script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src"}


# What the extensions still use of Sphinx is their affair.
pytestmark = pytest.mark.filterwarnings("ignore::PendingDeprecationWarning", "ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    assert (
        build_main(["-W", "--keep-going", "-q", "-d", f"{folder}/doctrees", str(DOCS), f"{folder}/html"]) == 0
    )
    return folder / "html"


class Fetched(html.parser.HTMLParser):
    """Lists what a page lets the browser fetch."""

    def __init__(self):
        super().__init__()
        self.addresses = []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.addresses.append(found.get(FETCHED.get(tag)) or "")
        self.addresses += re.findall(r"url\(([^)]*)\)", found.get("style") or "")


def fetched(page):
    parser = Fetched()
    parser.feed(page)
    return [address for address in parser.addresses if re.match(r"\s*([a-z]+:)?//", address)]


def test_no_page_asks_another_host(site):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 20
    assert {str(page): found for page in pages if (found := fetched(page.read_text(encoding="utf-8")))} == {}


def test_a_page_that_asks_another_host_is_found():
    page = '<a href="https://a.org">a</a><script src="//cdn.org/x.js"></script><p style="background:url(http://b/c)">'
    assert fetched(page) == ["//cdn.org/x.js", "http://b/c"]


def test_no_style_asks_another_host(site):
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert not re.search(r"""(@import\s+|url\()\s*["']?\s*(https?:)?//""", text), style


def test_equations_are_drawn_by_the_browser(site):
    page = (site / "explanation" / "network.html").read_text(encoding="utf-8")
    assert page.count("<math ") > 10


def test_every_public_name_is_in_the_reference(site):
    page = (site / "reference" / "api.html").read_text(encoding="utf-8")
    names = [f"tffs.{name}" for name in tffs.__all__ if name not in ("__version__", "baselines")]
    names += [f"tffs.baselines.{name}" for name in baselines.__all__]
    assert [name for name in names if f'id="{name}"' not in page] == []


def test_every_flag_is_in_the_reference(site):
    page = (site / "reference" / "flags.html").read_text(encoding="utf-8")
    assert [name for name in every_flag() if f"--{name}</span>" not in page] == []
    assert flags_tables().count("\n| `--") == len(every_flag())


def test_the_tutorial_shows_its_outputs(site):
    page = (site / "tutorial.html").read_text(encoding="utf-8")
    assert page.count("<img ") >= 2
    assert "of the error is left on this pump" in page
