import io
import math

from tffs.training.progress import Progress, Status, duration, fitted, line

STATUS = Status(1500, 20000, 1.2345678, 2.5, 5.9566, 9.5, 10, 0.4321, 4321.9, 75.4)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_line_has_every_figure():
    assert line(STATUS) == (
        "step  1500/20000  loss 1.235  validation MSRE 2.5  tau 5.96  distinct 9.5/10  max p 0.43  "
        "4,322 steps/s  1 min 15 s left"
    )


def test_line_leaves_out_what_is_not_known_yet():
    early = STATUS._replace(validation_loss=math.nan, steps_per_second=math.nan, seconds_left=math.nan)
    assert line(early) == "step  1500/20000  loss 1.235  tau 5.96"


def test_what_is_no_msre_is_not_called_one():
    named = STATUS._replace(loss_name="loss")
    assert "  validation loss 2.5  " in line(named)
    assert " val 2.5 " in fitted(line(named), 79)


def test_durations_read_as_a_person_says_them():
    assert [duration(s) for s in (0.4, 59, 61, 3599, 3600, 7500)] == [
        "0 s",
        "59 s",
        "1 min 01 s",
        "59 min 59 s",
        "1 h 00 min",
        "2 h 05 min",
    ]


def test_terminal_gets_one_live_line():
    stream = Terminal()
    progress = Progress(stream)
    progress.update(STATUS)
    progress.update(STATUS)  # too soon to be shown
    progress.update(STATUS, final=True)
    written = stream.getvalue()
    assert written.count("\r") == 2
    assert written.count("\n") == 1
    assert written.endswith("\n")


def test_live_line_never_wraps_and_80_columns_hold_every_figure():
    stream = Terminal()  # of unknown width, so 80 columns
    Progress(stream).update(STATUS)
    shown = stream.getvalue().removeprefix("\r\x1b[K")
    assert shown == "1500/20000 loss 1.235 val 2.5 tau 5.96 dist 9.5/10 p 0.43 4,322/s 1m15 s left".rjust(
        len(shown)
    )
    assert len(shown) <= 79
    assert len(fitted(line(STATUS), 40)) == 40


def test_what_follows_a_live_line_starts_on_a_line_of_its_own():
    stream = Terminal()
    progress = Progress(stream)
    progress.end()
    assert stream.getvalue() == ""
    progress.update(STATUS)
    progress.end()
    progress.end()
    assert stream.getvalue().count("\n") == 1


def test_elsewhere_lines_are_plain_and_rare():
    stream = io.StringIO()
    progress = Progress(stream, "yardstick")
    for step in range(1, 50):
        progress.update(STATUS._replace(step=step))
    progress.update(STATUS._replace(step=50), final=True)
    lines = stream.getvalue().splitlines()
    assert len(lines) == 2
    assert all(text.startswith("yardstick: step") for text in lines)
    assert "\r" not in stream.getvalue()
