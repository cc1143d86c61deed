import json

import pytest

from tests.data_builders.table.files import write
from tffs.printable import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\u001b[31mred"),
        ("title\x1b]0;gone\x07", "title\\u001b]0;gone\\u0007"),
        ("\x9b2J", "\\u009b2J"),
        ("over\rwritten\x7f", "over\\u000dwritten\\u007f"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("not UTF-8: \udcff", "not UTF-8: \\udcff"),
        ("two\nlines\tand né 漢 😀", "two\nlines\tand né 漢 😀"),
    ],
)
def test_what_would_steer_a_terminal_is_shown(text, shown):
    assert printable(text) == shown


def test_json_stays_json():
    value = {"feature": "a\x1b[31m\x9b"}
    assert json.loads(printable(json.dumps(value, ensure_ascii=False))) == value


def test_names_with_escape_sequences_reach_the_terminal_escaped(run_main, tmp_path):
    rows = "".join(f"{'stu'[i % 3]}\x1b]0;gone\x07,{i % 7},{i % 5}\n" for i in range(60))
    path = write(tmp_path / "t\x1b[2J.csv", f"task,a\x1b[31m,b\n{rows}")
    for mode, more in (("inspect", ("--num_selected=1",)), ("prepare", ()), ("inspect", ("--num_selected=9",))):
        outcome = run_main(f"--mode={mode}", f"--table={path}", "--task_column=task", *more)
        assert outcome.code == ("--num_selected=9" in more), outcome.err
        assert "\x1b" not in outcome.out + outcome.err
        assert "\x07" not in outcome.out + outcome.err
        assert "s\\u001b]0;gone\\u0007" in outcome.out
