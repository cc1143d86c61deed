"""The search space's file: what it may hold, and every mistake in it as one sentence."""

import pytest

from tffs import flags
from tffs.errors import UserError
from tffs.search_spaces import published_spaces
from tffs.tuning.search_space import read_space
from tffs.tuning.space import Choices, Range, tuned_flags


def parsed(path, *more):
    command = flags.parse(["tffs", "--mode=tune", "--dataset=digits_r", f"--search_space={path}", *more])
    return read_space(command.tune.search_space, command.run)


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "space.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_a_table_a_flag_gives_ranges_and_choices(file):
    text = """
    [learning_rate]
    low = 1e-4
    high = 1
    scale = "log"
    [selector_dim]
    low = 50
    high = 200
    step = 50
    [decoder_units]
    choices = ["32, 32", "64", "32,32"]
    [noise]
    choices = ["on", "off"]
    """
    assert parsed(file(text)) == (
        Range("learning_rate", 1e-4, 1.0, None, "log"),
        Range("selector_dim", 50, 200, 50, "linear"),
        Choices("decoder_units", ("32,32", "64")),
        Choices("noise", ("on", "off")),
    )


def test_the_published_space_is_found_by_its_name_and_covers_what_matters():
    names = {part.flag for part in parsed("default")}
    assert names >= {"learning_rate", "initial_temperature", "final_temperature", "selector_dim"}
    assert names >= {"embedding_units", "pi_stddev", "decoder_units"}
    assert parsed(published_spaces()["default"]) == parsed("default")


def test_what_an_oracle_proposes_is_rounded_and_stays_inside():
    space = (
        Range("learning_rate", 1.2345e-4, 0.01),
        Range("selector_dim", 50, 200),
        Choices("pi_stddev", (0.1, 0.2)),
    )
    proposed = {
        "learning_rate": 0.0012345678,
        "selector_dim": 201,
        "pi_stddev": 0.10000000149,
        "tuner/epochs": 3,
    }
    assert tuned_flags(space, proposed) == {"learning_rate": 0.001235, "selector_dim": 200, "pi_stddev": 0.1}
    assert space[0].settled(1.2345e-4) == 1.2345e-4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "names no flag: write a table such as"),
        ("[learning_rate\nlow = 1", r"must be a TOML file, but: .*line 1.*default.toml is an example"),
        (b"\xff\xfe[x]", "must be a TOML file"),
        ("[learning_rate]\nlow=1\nhigh=2\n[learning_rate]\nlow=1", "must be a TOML file"),
        ("[learnrate]\nlow=1\nhigh=2", r"\[learnrate\] .* is no flag of a run; use some of learning_rate, "),
        ("[seed]\nchoices=[1, 2]", r"\[seed\] .* may not be tuned: its trials could not be compared; use"),
        ("[dataset]\nchoices=['a']", "may not be tuned"),
        ("[num_selected]\nlow=1\nhigh=2", "may not be tuned"),
        ("[support_size]\nlow=1\nhigh=2", "may not be tuned"),
        ("[steps]\nlow=1\nhigh=2", "may not be tuned"),
        ("learning_rate = 0.1", r"must be a table with low and high, or with choices, but received 0.1"),
        ("[learning_rate]\nlo=1\nhigh=2", "takes low, high, scale and step, or choices, but received 'lo'"),
        ("[learning_rate]\nlow=1", "has no high: give low and high, or choices"),
        ("[learning_rate]\nlow=2\nhigh=1", "a low that is not above its high, but received 2.0 and 1.0"),
        (
            "[learning_rate]\nlow=0\nhigh=1\nscale='log'",
            "for low .* must be a number from 1e-30 .* but received 0.0",
        ),
        ("[learning_rate]\nlow=1\nhigh=nan", "for high that is not allowed: learning_rate must be"),
        ("[learning_rate]\nlow='1'\nhigh=2", "must have numbers for low, but received '1'"),
        ("[learning_rate]\nlow=true\nhigh=2", "must have numbers for low, but received True"),
        ("[learning_rate]\nlow=1\nhigh=2\nscale='ln'", "a scale of linear or log, but received 'ln'"),
        ("[learning_rate]\nlow=1\nhigh=2\nstep=0", "a step above 0, but received 0.0"),
        (
            "[learning_rate]\nlow=1\nhigh=2\nstep=1\nscale='log'",
            'above 1 with scale = "log", but received 1.0',
        ),
        ("[learning_rate]\nchoices=[]", "a list of one or more choices, but received \\[\\]"),
        ("[learning_rate]\nchoices=0.1", "a list of one or more choices, but received 0.1"),
        ("[learning_rate]\nchoices=[0.1]\nlow=1", "has choices and a range: keep one"),
        ("[learning_rate]\nchoices=[0.1, -1]", "for choices that is not allowed: learning_rate must be"),
        ("[selector_dim]\nlow=1.5\nhigh=3", "must have whole numbers for low, but received 1.5"),
        ("[selector_dim]\nlow=0\nhigh=3", "selector_dim must be a whole number from 1"),
        ("[decoder_units]\nlow=1\nhigh=3", "takes no range: write choices"),
        (
            "[decoder_units]\nchoices=[32]",
            'texts in quotes for choices, like "32,32", but received 32',
        ),
        ("[decoder_units]\nchoices=['32,x']", "decoder_units must be whole numbers"),
        ("[noise]\nchoices=['maybe']", "noise must be one of on, off"),
        ("[final_temperature]\nlow=1\nhigh=20", "up to 20.0, is above their initial_temperature, from 10.0"),
    ],
)
def test_a_mistake_in_the_file_is_one_sentence(text, message, file):
    with pytest.raises(UserError, match=message) as caught:
        parsed(file(text))
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--search_space=nowhere"], "--search_space=nowhere is not there: .* one of the published default"),
        (["--tuner=grid"], "--tuner must be one of random, bayesian, hyperband, but received 'grid'"),
        (["--trials=0"], "--trials must be a whole number from 1"),
        (["--tuner=hyperband", "--trials=3"], "--tuner=hyperband needs --trials of at least 4"),
    ],
)
def test_a_mistake_in_a_flag_is_one_sentence(more, message):
    with pytest.raises(UserError, match=message):
        parsed("default", *more)
