"""Trials are trained in one process on data that is loaded once."""

import math

import pytest

from tests.conftest import SMALL
from tffs import flags
from tffs.tuning.training import bench_of
from tffs.tuning.trial import DEFAULT, Figures, Job
from tffs.tuning.tuned_run import shortened, with_flags

OWN = {"learning_rate": 0.001, "decoder_units": "16,16"}


class Watched:
    """Remembers what it is told."""

    def __init__(self):
        self.statuses = []

    def update(self, status, final=False):
        self.statuses.append(status)

    def end(self):
        pass


@pytest.fixture(scope="module")
def command(data_dir):
    return flags.parse(["tffs", *SMALL, f"--data_dir={data_dir}"])


@pytest.fixture(scope="module")
def bench(command):
    return bench_of(command.run, command.place)


def test_a_trial_of_full_length_is_the_run_that_the_flags_describe(bench, finished):
    figures = bench.outcome(Job(DEFAULT, OWN, 300), Watched())
    trained = finished.read_json("training.json")
    assert figures.validation_loss == trained["validation_loss"]
    assert figures.distinct == trained["validation_distinct"]
    assert figures.best_step == trained["best_step"]


def test_a_short_trial_goes_through_the_whole_schedule_in_fewer_steps(bench, command):
    watched = Watched()
    outcome = bench.outcome(Job("0", {**OWN, "learning_rate": 0.01, "decoder_units": "8"}, 100), watched)
    assert isinstance(outcome, Figures)
    last = watched.statuses[-1]
    assert (last.step, last.steps) == (100, 100)
    # The last tau is T_1, as after all the steps, and every tau on the way is that of the same share of them.
    training = command.run.training
    ratio = training.final_temperature / training.initial_temperature
    for status in watched.statuses:
        assert status.tau == pytest.approx(
            training.initial_temperature * ratio ** (status.step / 100), rel=1e-4
        )
    validations = {
        status.validation_loss for status in watched.statuses if not math.isnan(status.validation_loss)
    }
    assert len(validations) == 3  # as many as in 300 steps


def test_shortening_keeps_everything_but_length_and_compilation(command):
    run = with_flags(command.run, {"steps": 20000, "eval_every": 500})
    short = shortened(run, 741, "auto")
    assert (short.training.steps, short.training.eval_every, short.training.jit) == (741, 19, "off")
    assert shortened(run, 20000, "auto").training.jit == "on"
    assert shortened(run, 20000, run.training.jit) == run
    assert shortened(run, 1, "on").training.eval_every == 1
    assert with_flags(run, {"decoder_units": "8,9"}).model.decoder_units == (8, 9)


def test_a_training_that_diverges_gives_its_reason(bench):
    outcome = bench.outcome(Job("1", {**OWN, "learning_rate": 1e25}, 100), Watched())
    assert isinstance(outcome, str)
    assert "lower --learning_rate (it is 1e+25)" in outcome
