"""The page at `/` of the embedded server: what it sends, and what a person sees in a browser."""

import contextlib
import http.client
import shutil

import numpy as np
import pandas as pd
import pytest

from tests.chromium import DESKTOP, PHONE
from tests.serving.exports import TINY_NAMES
from tests.serving.posterior import posterior_model
from tests.serving.server.running_server import RunningServer, publish
from tffs.serving import Client
from tffs.serving.export import export_model

TAG = "<script>document.title = 'taken over'</script>"
NAMES = ("Jitter(%)", TAG, "a b", "größe", "x,y", "r0c0")
RECIPE = {"nu": None, "ridge": 0.001, "components": 2}
TRAINING = {
    **{"dataset": "<b>machines</b>", "source_tasks": ["a", "b"], "validation_task": None, "target_task": None},
    **{"method": "posterior", "steps": None, "seed": 0, "software": {"tffs": "0"}, "figures": None},
    "chosen": {"recipe": RECIPE, "tried": [{**RECIPE, "error": 0.5}], "left_out": 40},
}


@pytest.fixture(scope="module")
def version(tmp_path_factory):
    """A version folder of a posterior model with a feature that looks like HTML."""
    exports = str(tmp_path_factory.mktemp("page") / "export")
    return export_model(posterior_model(novelty=True), NAMES, 4, exports, training=TRAINING)


@pytest.fixture(scope="module")
def running(version, tmp_path_factory):
    base = tmp_path_factory.mktemp("served") / "export"
    shutil.copytree(version, base / "1")
    with RunningServer(base) as server:
        yield server


@pytest.fixture(scope="module")
def client(running):
    with Client(f"http://127.0.0.1:{running.server.rest_port}", note=lambda _: None) as asking:
        yield asking


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(5)
    values = (np.arange(6) + rng.random((4, 6)) * [1, 2, 3, 0, 5, 6]).round(3)
    return pd.DataFrame(values, columns=list(NAMES))


def get(running, path="/", method="GET"):
    connection = http.client.HTTPConnection("127.0.0.1", running.server.rest_port, timeout=60)
    with contextlib.closing(connection):
        connection.request(method, path)
        response = connection.getresponse()
        return response.status, response.headers, response.read().decode()


class Person:
    """Somebody at the page in a browser."""

    def __init__(self, browser, running, **how):
        self.browser = browser
        browser.open(f"http://127.0.0.1:{running.server.rest_port}/", **how)
        browser.wait_until(lambda: self.text("#model") or self.text("#problem"))

    def text(self, selector):
        return self.browser.find(selector).text

    def drop(self, text, zone="#drop", name="rows.csv"):
        """Drop a file, and wait for what comes of it."""
        dropped = """
            const files = new DataTransfer();
            files.items.add(new File([arguments[1]], arguments[2], {type: "text/csv"}));
            const event = new DragEvent("drop", {bubbles: true, cancelable: true, dataTransfer: files});
            document.querySelector(arguments[0]).dispatchEvent(event);
        """
        self.browser.run("page.found = null;")
        self.browser.run(dropped, zone, text, name)
        self.wait_for_answer()

    def wait_for_answer(self):
        self.browser.wait_until(
            lambda: (
                self.browser.run("return page.found !== null")
                or self.text("#problem")
                or self.text("#values-problem")
            )
        )

    def choose(self, number):
        """Move the slider, as a person does: its value changes, then it is let go."""
        move = """
            const slider = document.querySelector("#slider");
            slider.value = arguments[0];
            for (const kind of ["input", "change"]) slider.dispatchEvent(new Event(kind));
        """
        self.browser.run("page.found = null;")
        self.browser.run(move, number)
        self.wait_for_answer()

    def cells(self, selector):
        """Give the lines of a table."""
        give = """
            return [...document.querySelectorAll(arguments[0] + " tbody tr")]
              .map(line => [...line.cells].map(cell => cell.textContent));
        """
        return self.browser.run(give, selector)


@pytest.fixture
def person(browser, running):
    return Person(browser, running)


def test_page_is_one_document_that_may_load_nothing_and_run_only_its_own_script(running):
    status, headers, body = get(running)
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; connect-src 'self'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert headers["Cache-Control"] == "no-cache"
    assert " src=" not in body
    assert "@import" not in body
    head = get(running, method="HEAD")
    assert (head[0], head[1]["Content-Length"], head[2]) == (200, str(len(body.encode())), "")


def test_page_is_at_the_root_alone_and_not_there_if_it_is_off(running, exports):
    assert get(running, "/page")[0] == 404
    assert get(running, "/", "POST")[0] == 404
    with RunningServer(exports, page="off") as without:
        assert without.ask("GET", "/") == without.ask("GET", "/nowhere")
        assert without.ask("GET", "/")[0] == 404
        assert without.ask("GET", without.url(""))[0] == 200


def test_dropped_rows_get_the_answer_of_the_client(person, client, rows):
    person.drop(rows.to_csv(index=False))
    ranked = client.rank(rows)
    shown = person.browser.run("return page.ranked")
    assert shown["names"] == ranked["feature"].tolist()
    np.testing.assert_allclose(shown["expected_error"], ranked["expected_error"], rtol=1e-6)
    lines = person.cells("#chosen")
    assert [line[1] for line in lines] == ranked["feature"].tolist()[:3]
    assert lines[2][2] == f"{100 * ranked['expected_error'].iloc[2]:.1f} %"
    assert f"Novelty {ranked.attrs['novelty']:.2f}" in person.text("#answer")
    assert len(person.cells("#curve-table")) == 7
    assert "rows.csv: 4 rows, answered by version 1." in person.text("#state")


def test_names_that_look_like_html_stay_names(person, rows):
    person.drop(rows.assign(**{"<img src=x onerror=alert(1)>": 1}).to_csv(index=False))
    assert "<b>machines</b>" in person.text("#model")
    assert TAG in [line[0] for line in person.cells("#features")]
    assert TAG in [line[0].removesuffix(" measured") for line in person.cells("#inferred")]
    assert "'<img src=x onerror=alert(1)>'" in person.text("#facts")
    assert person.browser.run("return document.title") == "Which features to measure: tffs"
    assert not person.browser.find_all("main img, main script, main b")
    assert not person.browser.console_errors()


def test_slider_moves_the_features_the_curve_and_what_is_inferred(person, client, rows):
    person.drop(rows.to_csv(index=False))
    person.choose(2)
    ranked = client.rank(rows)
    assert [line[1] for line in person.cells("#chosen")] == ranked["feature"].tolist()[:2]
    left = f"{100 * ranked['expected_error'].iloc[1]:.1f} %"
    assert f"Then {left}" in person.text("#sentence")
    title = person.browser.run("return document.querySelector('#curve title').textContent")
    assert title == f"Expected error with 0 to 6 features. With 2, {left} is left."
    measured = rows[ranked["feature"].tolist()[:2]]
    expected = client.reconstruct(rows, measured, interval=0.9)
    found = person.browser.run("return page.found")
    for frame, name in zip(expected, ("values", "low", "high"), strict=True):
        np.testing.assert_allclose(found[name], frame, rtol=1e-5)
    assert sum("measured" in line[0] for line in person.cells("#inferred")) == 2


def test_second_table_needs_only_what_was_measured_and_is_completed_for_download(
    person, client, rows, tmp_path
):
    person.drop(rows.to_csv(index=False))
    few = pd.DataFrame({"id": ["a;1", "b"], "x,y": [5.5, 7.25], "r0c0": [9.0, np.nan]})
    person.drop(few.to_csv(index=False), "#values-drop", "few.csv")
    assert "few.csv: 2 rows with 2 measured features." in person.text("#values-state")
    row = person.browser.find("#row")
    row.clear()
    row.send_keys("2")
    cells = {line[0]: line[1:] for line in person.cells("#inferred")}
    assert cells["x,y measured"] == ["7.25", ""]
    assert " to " in cells["r0c0"][1]

    person.browser.cdp("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    person.browser.find("#download").click()
    person.browser.wait_until(lambda: (tmp_path / "inferred.csv").is_file())
    came = pd.read_csv(tmp_path / "inferred.csv")
    assert came["id"].tolist() == ["a;1", "b"]
    expected = client.reconstruct(rows, few.drop(columns="id"), interval=0.9)
    for frame, ending in zip(expected, ("", "_low", "_high"), strict=True):
        np.testing.assert_allclose(came[[name + ending for name in NAMES]], frame, rtol=1e-5)


def test_tables_are_read_as_programs_write_them(person, client, rows):
    expected = client.rank(rows)["expected_error"]
    backwards = rows[rows.columns[::-1]].assign(note="a, b\nc")
    for text in (
        backwards.to_csv(index=False),
        "\ufeff" + rows.to_csv(index=False, lineterminator="\r\n"),
        rows.to_csv(index=False, sep=";", decimal=","),
        rows.to_csv(index=False, sep="\t"),
        rows.to_csv(index=False, quoting=1) + "\n\n",
    ):
        person.drop(text)
        assert person.text("#problem") == ""
        shown = person.browser.run("return page.ranked.expected_error")
        np.testing.assert_allclose(shown, expected, rtol=1e-6, err_msg=text)


def test_mistake_in_a_table_is_one_sentence_that_names_row_and_column(person, rows):
    text = rows.astype(object)
    text.loc[2, "a b"] = "1O"
    gap = rows.copy()
    gap.loc[1, "größe"] = np.nan
    for table, sentence in (
        (text.to_csv(index=False), "Row 3 of the column 'a b' has '1O', which is not a number."),
        (gap.to_csv(index=False), "Row 2 has no value for 'größe': fill it in, or leave the row out."),
        (rows.drop(columns="x,y").to_csv(index=False), "lacks 1 of the model's 6 features: 'x,y'."),
        ("p,q\n1,2\n", "none of the model's features as a column. Expected, for example, 'Jitter(%)'"),
        (rows.to_csv(index=False) + "1,2\n", "Row 5 has 2 cells, but there are 6 columns."),
        ("", "The table is empty"),
        ('"Jitter(%)\n1', 'A quote (") is opened and never closed'),
    ):
        person.drop(table)
        assert sentence in person.text("#problem")
        assert not person.browser.find("#answer").is_displayed()
    assert not person.browser.console_errors()


def test_limits_are_kept_and_a_wrong_one_is_named(person, client, rows):
    for name in ("include", "exclude"):
        person.browser.run("document.querySelector('#include').closest('details').open = true")
        person.browser.find(f"#{name}").send_keys({"include": "größe", "exclude": "x,y"}[name])
    person.drop(rows.to_csv(index=False))
    expected = client.rank(rows, include=["größe"], exclude=["x,y"])
    assert person.browser.run("return page.ranked.names") == expected["feature"].tolist()
    assert expected["feature"].iloc[0] == "größe"
    person.browser.find("#exclude").send_keys("\nno such feature")
    person.drop(rows.to_csv(index=False))
    assert "The model has no feature called 'no such feature'" in person.text("#problem")


def test_refusal_of_the_server_is_shown_as_it_says(person, rows):
    person.drop(pd.concat([rows] * 4200).to_csv(index=False))
    assert "16384" in person.text("#problem").replace(",", "")


def test_page_follows_the_server_to_another_model_and_tells_when_it_has_stopped(
    browser, version, exports, rows
):
    with RunningServer(exports) as server:  # a concrete model, then a posterior one
        person = Person(browser, server)
        assert "selects 3 from 2 rows" in person.text("#model")
        publish(version, exports, 2)
        shutil.rmtree(f"{exports}/1")
        server.wait_until(lambda: server.server.version == 2)
        person.drop(rows.to_csv(index=False))
        assert "answered by version 2" in person.text("#state")
        assert "measured with 3 of them" in person.text("#model")
        server.call(server.server.stop())
        server.stopped = True
        person.drop(rows.to_csv(index=False))
        assert "The server did not answer" in person.text("#problem")


def test_concrete_model_has_no_curve_and_takes_its_own_number_of_rows(browser, served, rng):
    rows = pd.DataFrame(rng.random((3, 6)).round(3), columns=list(TINY_NAMES))
    person = Person(browser, served)
    browser.find("#ask").click()
    browser.wait_until(lambda: "takes 2 rows of the new task" in person.text("#problem"))
    person.drop(rows.to_csv(index=False))
    assert person.text("#problem") == "This model takes 2 rows. Received: 3."
    person.drop(rows.head(2).to_csv(index=False))
    with Client(f"http://127.0.0.1:{served.server.rest_port}", note=lambda _: None) as client:
        chosen = client.select(rows.head(2))
        expected = client.reconstruct(rows.head(2), rows.head(2))
    assert [line[1] for line in person.cells("#chosen")] == chosen["feature"].tolist()
    np.testing.assert_allclose(browser.run("return page.found.values"), expected, rtol=1e-5)
    assert not browser.find("#curve").is_displayed()
    assert not browser.find("#slider").is_displayed()


@pytest.mark.parametrize("size", [PHONE, DESKTOP])
@pytest.mark.parametrize("dark", [False, True])
def test_page_fits_and_can_be_read_and_asks_no_other_host(browser, running, rows, size, dark):
    person = Person(browser, running, size=size, dark=dark)
    person.drop(rows.assign(other=1, x=1000).to_csv(index=False))
    browser.run("for (const part of document.querySelectorAll('details')) part.open = true;")
    assert browser.too_wide() == []
    assert browser.faint_texts() == []
    person.drop("p\n1\n")
    assert browser.faint_texts() == []
    assert browser.requests_elsewhere() == []
    assert browser.console_errors() == []


def test_page_is_used_by_keyboard_alone(person, rows):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    def press(*keys):
        ActionChains(person.browser.driver).send_keys(*keys).perform()

    def tab_to(selector):
        for _ in range(40):
            press(Keys.TAB)
            if person.browser.run("return document.activeElement.matches(arguments[0])", selector):
                return
        raise AssertionError(f"{selector} is not reached with the Tab key")

    tab_to("#file")
    tab_to("summary")  # paste rows
    press(Keys.ENTER)
    tab_to("#pasted")
    person.browser.find("#pasted").send_keys(rows.to_csv(index=False))
    tab_to("#ask")
    press(Keys.ENTER)
    person.wait_for_answer()
    tab_to("#slider")
    press(Keys.ARROW_RIGHT)
    assert len(person.cells("#chosen")) == 4
    tab_to("#values-file")
    person.browser.wait_until(lambda: person.browser.find("#found").is_displayed())
    tab_to("#row")
    press(Keys.ARROW_UP)
    assert "Row 2 of 4" in person.text("#inferred")
    tab_to("#download")


def test_model_answers_without_rows(person, client):
    person.browser.find("#ask").click()
    person.browser.wait_until(lambda: person.browser.find("#answer").is_displayed())
    expected = client.rank()
    assert [line[1] for line in person.cells("#chosen")] == expected["feature"].tolist()[:3]
    assert "No rows: the source tasks alone" in person.text("#state")


def test_printed_page_holds_the_answer_and_no_controls(browser, running, rows):
    person = Person(browser, running, media="print")
    person.drop(rows.to_csv(index=False))
    assert len(person.cells("#chosen")) == 3
    for control in ("#file", "#slider", "#download", "#values-file"):
        assert not browser.find(control).is_displayed()
    assert browser.pdf().startswith(b"%PDF")


def test_page_without_javascript_says_what_it_needs_and_how_to_ask(browser, running):
    browser.open(f"http://127.0.0.1:{running.server.rest_port}/", script=False)
    shown = browser.find("main").text
    assert "This page needs JavaScript" in shown
    assert "/v1/models/tffs:predict" in shown
    assert not browser.find("#file").is_displayed()
