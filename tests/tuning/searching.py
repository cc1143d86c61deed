"""A search in one process, whose trainings take no time."""

import math

from tffs import flags
from tffs.tuning.budget import budget_of
from tffs.tuning.oracles import make_oracle
from tffs.tuning.space import Choices, Range
from tffs.tuning.trial import Figures, Job
from tffs.tuning.trials import Trials
from tffs.workdir import Workdir

SPACE = (
    Range("learning_rate", 1e-4, 0.1, scale="log"),
    Range("selector_dim", 10, 50, step=10),
    Choices("decoder_units", ("8", "16,16")),
)
STEPS = 900


def figures(job):
    """Pretend that a training gave a loss, which longer trainings and a learning rate near 0.01 lower."""
    loss = math.log10(job.flags["learning_rate"] / 0.01) ** 2 + job.flags["selector_dim"] / 100 + 90 / job.steps
    return Figures(loss, 5.0, job.steps, 0.1)


def open_trials(folder, tuner, trials, seed=0):
    """Open a search in a folder, as a process that was just started does."""
    run = flags.parse(["tffs", "--dataset=digits_r", f"--steps={STEPS}", f"--seed={seed}"]).run
    workdir = Workdir(str(folder))
    budget = budget_of(tuner, trials, STEPS)
    oracle = make_oracle(tuner, budget, SPACE, seed, {"tuner": tuner}, workdir)
    return Trials(oracle, SPACE, budget, run, workdir)


def search(trials, outcome=figures):
    """Do everything that is left."""
    if not trials.default_is_known:
        trials.settle(trials.default_job, outcome(trials.default_job))
    while isinstance(job := trials.proposed("worker0"), Job):
        trials.settle(job, outcome(job))
    return trials.rows()
