import json
import pathlib

import pytest

from tests.conftest import SMALL
from tffs import flags
from tffs.config import RunConfig, TrainingConfig
from tffs.config.run import default_query_size, settle_jit
from tffs.options import InvalidOption


def test_configuration_survives_the_way_to_flags_and_back():
    config = flags.parse(["tffs", *SMALL]).run
    assert RunConfig.from_flags(config.to_flags()) == config


def test_a_configuration_of_0_2_0_which_knew_no_loss_is_read():
    config = flags.parse(["tffs", *SMALL]).run
    stored = config.to_flags()
    assert stored.pop("loss") == "reconstruction"
    assert RunConfig.from_flags(stored) == config
    del stored["steps"]
    with pytest.raises(KeyError, match="steps"):
        RunConfig.from_flags(stored)


def test_a_configuration_of_0_5_0_is_read():
    path = pathlib.Path(__file__).parent / "golden_0_5_0" / "config.json"
    stored = json.loads(path.read_text("utf-8"))
    config = RunConfig.from_flags(stored)
    assert {name: stored[name] for name in config.to_flags() if name in stored} == json.loads(
        json.dumps({name: value for name, value in config.to_flags().items() if name in stored})
    )
    assert config.data.name.shown == "plain"
    assert config.method == "concrete"  # there was no other


def test_a_temperature_that_rises_is_refused():
    with pytest.raises(InvalidOption, match="final_temperature must not be above initial_temperature, 1.0"):
        TrainingConfig(initial_temperature=1.0, final_temperature=2.0)


def test_auto_jit_compiles_long_runs_only():
    assert [settle_jit("auto", steps) for steps in (4999, 5000)] == ["off", "on"]
    assert [settle_jit(jit, 1) for jit in ("on", "off")] == ["on", "off"]


def test_query_size_makes_episodes_of_64_rows():
    assert [default_query_size(n) for n in (2, 4, 63, 64, 100)] == [62, 60, 1, 1, 1]


def test_defaults_are_the_papers():
    run = flags.parse(["tffs", "--dataset=digits_r", "--method=concrete"]).run
    assert (run.training.steps, run.training.learning_rate) == (50000, 0.001)
    assert (run.training.initial_temperature, run.training.final_temperature) == (10.0, 0.01)
    assert (run.model.selector_dim, run.model.embedding_units, run.model.decoder_units) == (300, 64, (32, 32))
    assert (run.model.task_code_dim, run.model.pi_stddev) == (1, 0.05)


@pytest.mark.parametrize(
    ("given", "validation"),
    [((), "task"), (("--target_task=none",), "rows"), (("--target_task=none", "--validation=task"), "task")],
)
def test_no_target_trains_on_every_task_unless_told_otherwise(given, validation):
    assert flags.parse(["tffs", "--dataset=digits_r", *given]).run.data.validation == validation
