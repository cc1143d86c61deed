"""The report says what the model says, and is safe to mail."""

import copy
import dataclasses
import html.parser
import os
import pathlib
import re

import numpy as np
import pandas as pd
import pytest

import tffs
from tests.report import small
from tffs.report.page import page
from tffs.report.subject import Making, Subject
from tffs.serving.description import Description


class Page(html.parser.HTMLParser):
    """The texts of a page by the tags that they are in, and the rows of its tables by the tables' ids."""

    def __init__(self, text):
        super().__init__()
        self.headings, self.tags, self.tables = [], [], {}
        self._in, self._table = "", None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self._in = tag
        if tag == "table":
            self._table = self.tables.setdefault(dict(attributes).get("id"), [])
        elif tag == "tr" and self._table is not None:
            self._table.append([])
        elif tag in ("td", "th") and self._table:
            self._table[-1].append("")
        elif tag == "h2":
            self.headings.append("")

    def handle_endtag(self, tag):
        if tag == "h2":
            self._in = ""

    def handle_data(self, data):
        if self._in == "h2":
            self.headings[-1] += data
        elif self._table and self._table[-1]:
            self._table[-1][-1] += data.strip()


def read(path):
    return pathlib.Path(path).read_text("utf-8")


def test_every_page_answers_the_seven_questions_in_order(pages):
    for path in pages.values():
        headings = Page(read(path)).headings
        assert [heading[:2] for heading in headings] == [f"{number}." for number in range(1, 8)]


def test_the_answer_is_the_selectors_order_with_its_expected_errors(pages, adapted):
    lines = [line for line in Page(read(pages["task"])).tables["answer-table"] if line and line[0].isdigit()]
    shown = [line[1] for line in lines[1:]]
    assert shown == list(adapted.order_)
    assert [line[3] for line in lines] == [f"{100 * error:.1f} %" for error in adapted.error_curve_]


def test_it_says_how_much_worse_it_gets_without_a_feature(pages, adapted):
    lines = [line for line in Page(read(pages["task"])).tables["answer-table"] if line and line[0].isdigit()]
    chosen = list(adapted.get_feature_names_out())
    for line in lines[1:4]:
        others = [name for name in chosen if name != line[1]]
        expected = adapted.assess(others).yours["expected_error"].iloc[-1]
        assert line[4] == f"{100 * expected:.1f} %"


def test_the_features_table_has_what_was_measured_on_tasks_left_out(pages, selector):
    lines = {
        line[0].removesuffix("measured"): line for line in Page(read(pages["any"])).tables["features-table"][1:]
    }
    assert lines.keys() == set(small.NAMES)
    for name, figures in selector.feature_errors_.iterrows():
        rmse = "–" if np.isnan(figures["rmse"]) else f"{figures['rmse']:.3g}"
        assert lines[name][1] == rmse


def test_the_tasks_are_listed_worst_first(pages, selector):
    lines = Page(read(pages["any"])).tables["tasks-table"][1:]
    worst_first = selector.task_errors_.sort_values("relative_error", ascending=False)
    assert [line[0] for line in lines] == list(worst_first.index)
    assert lines[0][2] == f"{100 * worst_first['relative_error'].iloc[0]:.1f} %"


def test_names_stay_names(pages):
    for path in pages.values():
        text = read(path)
        assert small.SCRIPT not in text
        assert "&lt;script&gt;alert(" in text
        assert Page(text).tags.count("script") == 2  # the data and the page's own
        assert "<b>" not in text


def test_nothing_is_loaded_from_elsewhere(pages):
    for path in pages.values():
        text = read(path)
        assert "default-src 'none'" in text
        outside = re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?(https?:[^"' )>]+)""", text)
        assert outside == []


def test_rows_are_shown_only_where_asked_for(pages):
    given = small.rows(seed=1)[0].head(4)
    cells = [f"{value:.6g}" for value in given.iloc[0]]
    assert not any(cell in read(pages["task"]) for cell in cells)
    assert all(cell in read(pages["rows"]) for cell in cells)
    assert "no whole rows of the data" in read(pages["task"])
    assert "rows of the new task themselves" in read(pages["rows"])


def test_what_may_not_be_measured_is_named(pages):
    assert "Not to be measured, and only inferred: load 5." in read(pages["task"])
    assert "There, everything could be measured." in read(pages["task"])
    assert "There, everything could be measured." not in read(pages["any"])


def test_a_page_that_cannot_be_written_leaves_nothing(selector, tmp_path):
    with pytest.raises(tffs.UserError, match=r"could not be written: .* is no folder"):
        selector.report(str(tmp_path / "missing" / "page.html"))
    assert os.listdir(tmp_path) == []


def test_an_unusual_task_is_warned_of(selector, tmp_path):
    with pytest.warns(UserWarning, match="more unusual"):
        far = selector.adapt(small.rows(seed=1)[0].head(4) * 10.0 + 50.0)
    text = read(far.report(str(tmp_path / "far.html")))
    assert "the answer may not hold for this task" in text
    assert "Check the units" in text


def made(features, tasks=50):
    """Figures as a run on many features would have them."""
    rng = np.random.default_rng(0)
    names = [f"sensor {number} of the north wing" for number in range(features)]
    counts = [*range(11), 13, 21, 34, 55]
    lines = [
        {"feature": name, "rmse": 0.1234, "share": 0.1234, "coverage": 0.9012, "chosen": 0.123}
        for name in names
    ]
    curve = [
        {"num_selected": count, "expected": 0.5, "measured": 0.5, "yardsticks": {"greedy": 0.6}}
        for count in counts
    ]
    result = {
        **{"evaluated_on": "left_out", "num_selected": 10, "support_size": 4, "relative_error": 0.2},
        **{"curve": curve, "features": lines, "extremes": [], "swaps": []},
        "stability": {"supports": 0.5, "tasks": 0.5},
        "tasks": [
            {
                **{"task": f"t{number}", "rows": 100, "relative_error": 0.2, "expected_error": 0.2},
                **{"novelty": 0.5, "selected": names[:10], "yardsticks": {"greedy": 0.3}},
            }
            for number in range(tasks)
        ],
        "by_count": {
            "counts": counts,
            "tasks": {
                part: rng.random((tasks, len(counts))).round(4).tolist()
                for part in ("measured", "expected", "greedy")
            },
            "features": {
                part: rng.random((len(counts), features)).round(4).tolist()
                for part in ("rmse", "share", "coverage", "chosen")
            },
            "stability": [0.5] * len(counts),
        },
    }
    errors = np.linspace(1.0, 0.0, features + 1)[1:]
    chosen = pd.DataFrame(
        {"feature": names, "index": range(features), "expected_error": errors, "score": 1.0 / features}
    )
    chosen.attrs.update(expected_error_of_none=1.0, novelty=None, rows=0)
    description = Description(
        feature_names=tuple(names),
        num_features=features,
        num_selected=10,
        support_size=4,
        support_sizes=None,
        scaling="standard",
        missing="error",
        source_low=None,
        source_high=None,
        loss="reconstruction",
        classes=None,
        version=1,
        training=None,
        format=2,
        method="posterior",
    )
    return Subject("many", description, chosen, 10, None, None, None, False, result, Making({"Data": "made"}))


def test_two_thousand_features_are_all_there_in_less_than_three_megabytes():
    text = page(made(2000))
    assert len(text.encode()) < 3 * 2**20
    assert len(Page(text).tables["features-table"]) == 2001


def test_a_result_without_figures_by_count_is_reported_for_its_own_number(tmp_path):
    old = made(12)
    old.result["by_count"] = None  # as 0.8.0 wrote it
    lines = Page(page(old)).tables["features-table"][1:]
    assert {line[2] for line in lines} == {"12.3 %"}


def test_one_feature_is_worth_what_nothing_leaves(selector, tmp_path):
    one = copy.copy(selector).set_params(n_features_to_select=1)
    lines = [
        line
        for line in Page(read(one.report(str(tmp_path / "one.html")))).tables["answer-table"]
        if line and line[0].isdigit()
    ]
    assert lines[1][4] == f"{100 * one.error_curve_.iloc[0]:.1f} %"


def test_all_features_to_be_measured_are_listed_however_many():
    many = dataclasses.replace(made(120), number=100)
    lines = [line for line in Page(page(many)).tables["answer-table"] if line and line[0].isdigit()]
    assert len(lines) == 101  # and nothing measured


def test_a_number_that_was_not_measured_shows_the_nearest_that_was():
    text = page(dataclasses.replace(made(120), number=12))
    assert "what was measured with 13 features" in text
    assert "–" not in {line[2] for line in Page(text).tables["features-table"][1:]}


def test_a_suggestion_that_was_found_without_limits_is_not_made_with_them():
    limited = dataclasses.replace(made(12), number=3, limited=True, exclude=("sensor 5 of the north wing",))
    limited.result["left_out"] = {"suggested_num_selected": 11}
    limited = dataclasses.replace(limited, chosen=limited.chosen.head(5))
    assert "11 features give" not in page(limited)


def test_figures_of_a_held_out_task_are_said_to_be_of_it():
    held_out = made(12, tasks=1)
    held_out.result.update(evaluated_on="target", target_task="m1")
    text = page(dataclasses.replace(held_out, task="m1"))
    assert "checked on rows of task m1, which the model had not seen." in text
    assert "not on m1" not in text


def test_a_network_without_a_target_reports_its_validation():
    validated = made(12)
    validated.result.update(evaluated_on="validation", curve=None, features=None, tasks=None, stability=None)
    text = page(dataclasses.replace(validated, chosen=None))
    assert "On the validation episodes, 20.0 % of the error was left." in text


def test_percentiles_of_few_tasks_are_not_told(pages, selector):
    assert len(selector.task_errors_) < 10
    assert "8 in 10 tasks between" not in read(pages["any"])


def test_the_code_that_repeats_a_fit_names_no_folder(tmp_path):
    x, machine = small.rows()
    kept = tffs.FewShotFeatureSelector(
        2, random_state=0, folds=1, checkpoint_dir=str(tmp_path / "kept"), method_params={"residual": "off"}
    ).fit(x, groups=machine)
    text = read(kept.report(str(tmp_path / "page.html")))
    assert "FewShotFeatureSelector(folds=1, method_params=" in text
    assert str(tmp_path) not in text
