"""The report in a browser: every size, both colour schemes, print, slider, search, sorting and the keyboard."""

import pytest

from tests.chromium import DESKTOP, PHONE
from tests.report.page_test import made
from tffs.report.page import page


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """The page of a model of more features than one page of a table shows."""
    path = tmp_path_factory.mktemp("many") / "many.html"
    path.write_text(page(made(120)), encoding="utf-8")
    return path


def visible(browser, selector):
    return [element.text for element in browser.find_all(selector) if element.is_displayed()]


@pytest.mark.parametrize("size", [PHONE, DESKTOP])
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("kind", ["any", "rows"])
def test_it_fits_the_window_and_can_be_read(browser, pages, kind, size, dark):
    browser.open(pages[kind], size=size, dark=dark)
    assert browser.too_wide() == []
    assert browser.faint_texts() == []
    assert browser.console_errors() == []
    assert browser.requests_elsewhere() == []


def test_without_scripts_everything_but_the_controls_is_there(browser, many):
    browser.open(many, script=False)
    assert not browser.find("#count").is_displayed()
    assert len(visible(browser, "#features-table tbody tr")) == 120
    assert visible(browser, "[data-said=answer]")[0].startswith("Measure these 10 features.")


def test_the_slider_moves_all_figures(browser, pages, selector):
    browser.open(pages["any"])
    assert len(visible(browser, "#answer-table tr[data-place]")) == 3
    before = visible(browser, "#tasks-table td[data-part=error]")
    marker = "return document.getElementById('curve-number').getBoundingClientRect().x"
    at = browser.run(marker)
    slider = browser.find("#count")
    slider.send_keys("\ue014")  # to the right: the keyboard is enough
    assert browser.find("#count-shown").text == "4"
    assert len(visible(browser, "#answer-table tr[data-place]")) == 4
    assert visible(browser, "[data-said=answer]")[0].startswith("Measure these 4 features.")
    assert visible(browser, "#tasks-table td[data-part=error]") != before
    assert len(visible(browser, "#features-table .mark")) == 4
    assert browser.run(marker) > at + 5
    assert visible(browser, ".of-number") == []  # is about three features
    browser.find("#count-back").click()
    assert visible(browser, "#tasks-table td[data-part=error]") == before


def test_the_slider_shows_what_was_measured_for_that_number(browser, pages, selector):
    browser.open(pages["any"])
    slider = browser.find("#count")
    slider.send_keys("\ue012")  # to the left
    facts = selector._figures.facts()
    by_count = facts["by_count"]
    place = by_count["counts"].index(2)
    expected = {
        task["task"]: f"{100 * errors[place]:.1f} %"
        for task, errors in zip(facts["tasks"], by_count["tasks"]["measured"], strict=True)
    }
    rows = browser.find_all("#tasks-table tbody tr")
    shown = {row.find_element("css selector", "td.name").text: row for row in rows}
    assert shown.keys() == expected.keys()
    for name, row in shown.items():
        assert row.find_element("css selector", "[data-part=error]").text == expected[name]


def test_a_long_table_pages_sorts_and_is_searched(browser, many):
    browser.open(many)
    names = "#features-table tbody td.name"
    assert len(visible(browser, names)) == 50
    browser.find("[data-pages=features-table] button:last-child").click()
    assert visible(browser, "[data-pages=features-table] span") == ["Page 2 of 3"]
    head = browser.find("#features-table thead th.name button")
    head.send_keys("\ue007")
    assert visible(browser, names)[:2] == [
        "sensor 0 of the north wing measured",
        "sensor 1 of the north wing measured",
    ]
    assert browser.find("#features-table thead th.name").get_attribute("aria-sort") == "ascending"
    share = browser.find_all("#features-table thead button")[2]
    share.click()
    shares = [
        float(text.removesuffix(" %")) for text in visible(browser, "#features-table td[data-part=share]")
    ]
    assert shares == sorted(shares, reverse=True)
    browser.find("#features-search").send_keys("Sensor 117")
    assert visible(browser, names) == ["sensor 117 of the north wing"]
    assert visible(browser, "[data-found=features-table]") == ["1 of 120"]


def test_everything_is_reached_with_the_keyboard(browser, pages):
    browser.open(pages["task"])
    reached = browser.run(
        """
        const all = [...document.querySelectorAll("a[href], button, input, summary, [tabindex='0']")];
        return all.filter(one => one.checkVisibility() && one.tabIndex < 0).map(one => one.outerHTML);
        """
    )
    assert reached == []
    unnamed = browser.run(
        """
        const named = one => one.labels && one.labels.length || one.getAttribute("aria-label")
          || one.querySelector("caption");
        const all = document.querySelectorAll("input, figure[role=img], table.sortable, [role=region]");
        return [...all].filter(one => !named(one)).map(one => one.outerHTML.slice(0, 80));
        """
    )
    assert unnamed == []
    ids = browser.run("return [...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids))


def test_all_rows_are_printed(browser, many):
    browser.open(many)
    assert len(visible(browser, "#features-table tbody tr")) == 50
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    assert len(visible(browser, "#features-table tbody tr")) == 120
    browser.run("window.dispatchEvent(new Event('afterprint'))")
    assert len(visible(browser, "#features-table tbody tr")) == 50


def test_turning_a_page_keeps_the_keyboard_where_it_is(browser, many):
    browser.open(many)
    following = browser.find_all("[data-pages=features-table] button")[1]
    following.send_keys("\ue007")
    following.send_keys("\ue007")
    assert visible(browser, "[data-pages=features-table] span") == ["Page 3 of 3"]


def test_intervals_are_sorted_by_their_numbers(browser, pages):
    browser.open(pages["task"])
    head = [button for button in browser.find_all("#new-table thead button") if button.text == "90 % interval"]
    head[0].click()
    shown = [text.removeprefix("± ") for text in visible(browser, "#new-table td[data-part=reach]")]
    reaches = [float(text) for text in shown if text]
    assert len(reaches) > 2
    assert reaches == sorted(reaches, reverse=True)


def test_it_prints_without_controls_and_in_dark_ink(browser, pages):
    browser.open(pages["any"], dark=True, media="print")
    assert not browser.find("#count").is_displayed()
    assert browser.run("return getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert browser.pdf()[:4] == b"%PDF"


def test_a_name_that_is_a_script_is_shown_and_does_not_run(browser, pages):
    browser.open(pages["any"])
    assert any(
        text.startswith("<script>alert('x')</script>") for text in visible(browser, "#features-table td.name")
    )
    assert browser.console_errors() == []
