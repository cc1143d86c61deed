import pathlib
import re

import pytest

from tffs.config.run import RunConfig
from tffs.errors import UserError
from tffs.estimator.names import CALL_OF, FLAG_OF, OF_METHOD, in_python, said_in_python
from tffs.flags.definitions import every_flag
from tffs.options import InvalidOption

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "howto" / "python.md"


@pytest.mark.parametrize(
    ("flags", "python"),
    [
        ("--num_selected=30 is more than 8.", "n_features_to_select=30 is more than 8."),
        ("--num_selected=auto was given.", "n_features_to_select='auto' was given."),
        ("raise --num_selected, or lower it", "raise n_features_to_select, or lower it"),
        ("try --scaling=standard.", "try scaling='standard'."),
        ("try --scaling=standard, or more rows", "try scaling='standard', or more rows"),
        ("--seed=3 (now 4)", "random_state=3 (now 4)"),
        ("lower --learning_rate (it is 9.0).", "lower method_params['learning_rate'] (it is 9.0)."),
        ("give --residual=off:", "give method_params={'residual': 'off'}:"),
        ("--decoder_units=32,16 (now 8)", "method_params={'decoder_units': [32, 16]} (now 8)"),
        ("--query_size=none (now 5)", "method_params={'query_size': None} (now 5)"),
        ("--include=a,b names 'b'", "include=['a', 'b'] names 'b'"),
        ("--table=x/y.csv needs --task_column: the", "path='x/y.csv' needs groups: the"),
        ("--model=http://host:8501: no answer.", "place='http://host:8501': no answer."),
        ("train one with --mode=train.", "train one with fit()."),
        ("made with num_selected=10 (8 if not given)", "made with n_features_to_select=10 (8 if not given)"),
        ("give the flags of that run to continue it", "give the parameters of that run to continue it"),
    ],
)
def test_a_sentence_about_flags_is_put_into_the_words_of_python(flags, python):
    assert in_python(flags) == python


@pytest.mark.parametrize(
    "sentence",
    [
        "Columns a and b are equal.",
        "--mode=tune needs --trials of at least 3; see --help.",
        "The column 'seed' holds 3 - 4 -- 5.",
        "/data/seed=3/model=4.csv is no table.",
    ],
)
def test_what_python_has_no_name_for_stays(sentence):
    assert in_python(sentence) == sentence


def test_a_function_that_has_a_parameter_of_the_flags_name_keeps_it():
    sentence = "--table=a.csv needs --task_column, and --workdir=x a folder"
    assert in_python(sentence, ("task_column", "workdir")) == (
        "path='a.csv' needs task_column, and workdir='x' a folder"
    )


def test_an_error_keeps_its_class_and_gets_the_words_of_python():
    class Special(UserError):
        def __init__(self, sentence, code):
            super().__init__(sentence, code)
            self.code = code

        def __str__(self):
            return self.args[0]

    with pytest.raises(Special) as caught, said_in_python():
        raise Special("--seed=3 is taken.", 7)
    assert str(caught.value) == "random_state=3 is taken."
    assert caught.value.code == 7


def test_a_value_that_an_option_may_not_have_names_the_parameter():
    values = {name: option.default for name, (option, _) in every_flag().items()}
    refused = r"^random_state must be a whole number from 0 .* received -1\.$"
    with pytest.raises(InvalidOption, match=refused), said_in_python():
        RunConfig.from_flags({**values, "seed": -1})


def test_other_errors_pass_as_they_are():
    with pytest.raises(ValueError, match=r"^--seed$"), said_in_python():
        raise ValueError("--seed")


def test_every_name_is_that_of_a_flag_or_a_mode():
    assert set(FLAG_OF.values()) <= set(every_flag())
    assert set(CALL_OF) <= set(every_flag()["mode"].option.allowed.expected.removeprefix("one of ").split(", "))
    assert not set(FLAG_OF) & set(every_flag())
    assert not set(FLAG_OF.values()) & set(OF_METHOD)


def test_the_documentation_has_the_same_names():
    section = PAGE.read_text("utf-8").split("## Names in Python and on the command line\n")[1].split("\n## ")[0]
    lines = re.findall(r"^\| `([^`]+)` \| `--([^`]+)` \|", section, re.MULTILINE)
    modes = {flag.removeprefix("mode="): python for python, flag in lines if flag.startswith("mode=")}
    assert {python: flag for python, flag in lines if not flag.startswith("mode=")} == FLAG_OF
    assert modes == CALL_OF
