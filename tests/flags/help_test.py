import shlex

import pytest

from tffs.config.modes import MODES
from tffs.errors import UserError
from tffs.flags import help_text, parse
from tffs.flags.definitions import every_flag
from tffs.flags.examples import EXAMPLES, example_of


def flags_on(page):
    return [line.split(":")[0].strip(" -") for line in page.splitlines() if line.startswith("  --")]


def test_help_shows_every_mode_once_with_its_example_and_is_short():
    page = help_text(["tffs", "--help"])
    assert sorted(mode for modes in EXAMPLES.values() for mode in modes) == sorted(MODES)
    for mode, what in MODES.items():
        assert f"{mode:<12}{what}\n" in page
        assert page.count(f"{example_of(mode)}\n") == 1
    assert not flags_on(page)
    lines = page.splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 108


@pytest.mark.parametrize("mode", MODES)
def test_the_example_of_a_mode_is_a_command_of_that_mode(mode):
    command = parse(["tffs", *shlex.split(example_of(mode).removeprefix("python -m tffs.main "))])
    assert command.mode == mode


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("typed", ["--mode={}", "--mode {}", "-mode={}"])
def test_help_of_a_mode_shows_its_example_and_all_of_its_options_and_no_others(mode, typed):
    page = help_text(["tffs", "--help", *typed.format(mode).split(), "--num_selected=3"])
    assert page.startswith(f"--mode={mode}: {MODES[mode][:20]}")
    assert f"  {example_of(mode)}\n" in page
    own = [name for name, (option, modes) in every_flag().items() if mode in modes and option.group]
    assert sorted(flags_on(page)) == sorted(own)


def test_helpfull_shows_every_option_once():
    page = help_text(["tffs", "--mode=select", "--helpfull"])
    assert sorted(flags_on(page)) == sorted(name for name, (option, _) in every_flag().items() if option.group)
    assert "--budget: for select: " in page


def test_help_of_a_mode_that_does_not_exist_names_the_modes():
    with pytest.raises(UserError, match="--mode must be one of run, inspect, .*, but received 'chose'"):
        help_text(["tffs", "--mode=chose", "--help"])
