import numpy as np
import pandas as pd
import pytest

from reproduction.findings import filled
from reproduction.needed import needed
from tests.reproduction.made_lines import frame, line, rows_of

OURS = {0: (4.0, 2.0), 1: (3.0, 1.0), 25: (9.0, 7.0)}  # by split, for K = 10 and 50; the last holds rot0 out
FACTORS = {"ours": 1.0, "cae_s": 2.0, "posterior": 0.5}


@pytest.fixture
def lines():
    return frame(
        [
            line(
                "mnist_r",
                method,
                split,
                2,
                k,
                msre=factor * figure,
                target_task=f"rot{0 if split > 19 else 15}",
            )
            for method, factor in FACTORS.items()
            for split, figures in OURS.items()
            for k, figure in zip((10, 50), figures, strict=True)
        ]
    )


def test_a_task_that_was_not_drawn_is_put_into_so_many_of_twenty_splits(lines):
    made = {one.title: one for one in needed(lines)}
    section = made["A task that no split holds out"]
    drawn, *mixed, only, paper = rows_of(section.table)
    cells = np.array([*OURS[0], *OURS[1]])
    assert (drawn["splits of 20"], drawn["Ours"], drawn["gap"]) == ("none, as drawn", "2.500", "+50.0 %")
    assert drawn["Ours, deviation"] == f"{cells.std():.3f}"
    third = np.concatenate([np.repeat(cells, 17), np.repeat(OURS[25], 2 * 3)])  # 17 of 20 to 3 of 20
    assert (mixed[2]["splits of 20"], mixed[2]["Ours"]) == ("3", f"{third.mean():.3f}")
    assert mixed[2]["CAE-S, deviation"] == f"{2.0 * third.std():.3f}"
    assert (only["splits of 20"], only["Ours"]) == ("all", "8.000")
    assert [paper[name] for name in ("Ours", "CAE-S", "gap")] == ["*4.258*", "*4.459*", "+4.5 %"]
    assert section.notes == [
        "- MNIST-r, rot0: splits 25, N_S = 2, K = 10, 50. Posterior 4.000 (Ours there: 8.000)."
    ]


def test_only_sizes_that_later_splits_have_and_tasks_that_were_not_drawn_are_compared(lines):
    unfinished = lines[(lines["split"] < 20) | (lines["num_selected"] == 10)]
    again = lines[lines["split"] == 0].assign(split=30, msre=100.0)  # holds out what split 0 does
    made = {one.title: one for one in needed(pd.concat([unfinished, again]))}
    drawn, *_, only, _ = rows_of(made["A task that no split holds out"].table)
    assert (drawn["Ours"], only["Ours"]) == ("3.500", "9.000")  # of K = 10 alone


def test_other_tables_and_findings_do_not_see_later_splits_unless_they_ask_for_them(lines):
    made = {one.title: one for one in needed(lines)}
    assert {row["held-out task"] for row in rows_of(made["The held-out task"].table)} == {"rot15", "all"}
    assert rows_of(made["The gap between Ours and CAE-S"].table)[0]["splits"] == "2"
    asked = "{{ mean('ours', 'mnist_r') }} {{ mean('ours', 'mnist_r', split=25) }}"
    assert filled(asked, lines, "FINDINGS.md").split() == ["2.500", "8.000"]


def test_without_later_splits_there_is_no_such_table(lines):
    titles = {one.title for one in needed(lines[lines["split"] < 20])}
    assert "The held-out task" in titles
    assert "A task that no split holds out" not in titles
