"""A compiled loop that several trainings use."""

import numpy as np
import pytest

from tests.training import parts
from tffs.training.programs import Programs
from tffs.training.session import Session
from tffs.training.trainer import Trainer


def make_trainer(model_seed, programs=None, length=10, **changes):
    model = parts.make_model(seed=model_seed)
    trainer = Trainer(model, parts.make_chunks(length=length), None, parts.config(**changes), Session())
    own = trainer.loop
    if programs is not None:
        own.run = programs.run((length, *changes.items()), own.run, own.state)
    return model, trainer


@pytest.mark.parametrize("jit", ["on", "off"])
def test_a_training_with_anothers_program_gives_the_bits_of_its_own(jit):
    programs = Programs()
    first, one = make_trainer(0, programs, jit=jit)
    second, other = make_trainer(1, programs, jit=jit)
    runs = [one.chunk_by_chunk(), other.chunk_by_chunk()]
    for _ in zip(*runs, strict=True):  # in turns, so that each puts its own variables in every time
        pass
    assert len(programs) == 1
    for seed, model in enumerate((first, second)):
        expected, alone = make_trainer(seed, jit=jit)
        alone.fit()
        for mine, theirs in zip(parts.weights(model), parts.weights(expected), strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_trainings_of_other_names_have_programs_of_their_own():
    programs = Programs()
    for changes in ({}, {"initial_temperature": 1.0}, {}):
        model, trainer = make_trainer(0, programs, jit="off", **changes)
        trainer.fit()
        expected, alone = make_trainer(0, jit="off", **changes)
        alone.fit()
        for mine, theirs in zip(parts.weights(model), parts.weights(expected), strict=True):
            np.testing.assert_array_equal(mine, theirs)
    assert len(programs) == 2
