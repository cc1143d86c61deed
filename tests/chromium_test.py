"""The browser of the tests sees what it is there to see."""

import pytest

from tests.chromium import DESKTOP, PHONE

PAGE = """<!doctype html><html lang="en"><title>t</title><meta name="viewport" content="width=device-width">
<style>
  body { color: #000; background: #fff; margin: 0; }
  .faint { color: #999; } .large { font-size: 24px; } .wide { width: 600px; }
  .frame { overflow-x: auto; width: 300px; }
  @media (prefers-color-scheme: dark) { body { background: #333; } }
  @media print { .screen { display: none; } }
</style>
<body><p class="screen">plain</p><p class="faint">weak</p><p class="faint large">large</p>
<p hidden class="faint">unseen</p><div class="frame"><p class="wide">in a frame</p></div>%s
<script>document.body.dataset.ran = "yes";</script></body></html>
"""


@pytest.fixture
def page(tmp_path):
    def write(more=""):
        path = tmp_path / "page.html"
        path.write_text(PAGE % more, encoding="utf-8")
        return path

    return write


def test_faint_text_is_found_in_both_colour_schemes_and_large_text_may_be_fainter(browser, page):
    browser.open(page('<p class="faint large">large</p><p style="color: #767676">just enough</p>'))
    assert [text.split(":")[0] for text in browser.faint_texts()] == ["weak", "large", "large"]
    browser.open(page('<p style="color: #949494; font-size: 24px">large</p>'))
    assert [text.split(":")[0] for text in browser.faint_texts()] == ["weak", "large"]
    browser.open(page(), dark=True)
    assert "plain" in [text.split(":")[0] for text in browser.faint_texts()]


def test_what_is_wider_than_a_phone_is_named_unless_it_scrolls_in_a_frame(browser, page):
    browser.open(page(), PHONE)
    assert not browser.too_wide()
    browser.open(page('<p class="wide" id="far">far</p>'), PHONE)
    assert browser.too_wide() == ['<p id="far" class="wide">']
    browser.open(page('<p class="wide" id="far">far</p>'), DESKTOP)
    assert not browser.too_wide()


def test_scripts_media_and_errors_are_as_a_test_sets_them(browser, page):
    browser.open(page(), script=False)
    assert not browser.find("body").get_attribute("data-ran")
    browser.open(page("<script>throw new Error('broken')</script>"), media="print")
    assert browser.find("body").get_attribute("data-ran") == "yes"
    assert not browser.find(".screen").is_displayed()
    assert ["broken" in error for error in browser.console_errors()] == [True]
    assert browser.pdf().startswith(b"%PDF")
    browser.open(page())
    assert not browser.console_errors()


def test_a_request_to_another_host_is_seen_and_does_not_leave(browser, page):
    browser.open(page())
    assert browser.requests_elsewhere() == []
    browser.open(page('<img alt="" src="http://elsewhere.example/a.png">'))
    assert browser.requests_elsewhere() == ["http://elsewhere.example/a.png"]
    assert any("ERR_NAME_NOT_RESOLVED" in error for error in browser.console_errors())
