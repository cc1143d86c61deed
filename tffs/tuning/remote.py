"""A worker of a distributed search: keras-tuner's client, asking the chief for one trial after the other.

keras-tuner's own loop asks without a pause while the chief has nothing to do.
"""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

import grpc
from keras_tuner.engine.trial import TrialStatus
from keras_tuner.src.distribute.oracle_client import OracleClient

from tffs.errors import UserError
from tffs.training.progress import Watch
from tffs.tuning.budget import Budget
from tffs.tuning.oracles import SUBJECT, finish
from tffs.tuning.role import Role
from tffs.tuning.space import Space
from tffs.tuning.subject import search_differences
from tffs.tuning.training import Bench
from tffs.tuning.trial import named
from tffs.tuning.trials import job_of

_IDLE_SECONDS = 1.0


def work_for_chief(
    role: Role,
    bench: Bench,
    subject: Mapping[str, Any],
    space: Space,
    budget: Budget,
    progress: Callable[[str], Watch],
    say: Callable[[str], None],
) -> int:
    """Train what the chief gives out, until it has nothing more.

    Args:
        role: this worker's name and the chief's address.
        bench: trains.
        subject: what is searched here; it must be what the chief searches.
        space: what is tuned.
        budget: how long trials are trained.
        progress: makes a progress line for a trial's name.
        say: receives one-sentence notes for the person.

    Returns:
        How many trials were trained.
    """
    chief = OracleClient(None)  # it finds the chief by the same environment variables
    done = 0
    try:
        _check_same(_searched_by(chief, role.address), subject, role.address)
        while (trial := chief.create_trial(role.name)).status != TrialStatus.STOPPED:
            if trial.status == TrialStatus.IDLE:
                time.sleep(_IDLE_SECONDS)
                continue
            job = job_of(trial, space, budget)
            outcome = bench.outcome(job, progress(named(job.trial)))
            if isinstance(outcome, str):
                say(f"Failed: {named(job.trial)}: {outcome}")
            finish(chief, trial, outcome)
            done += 1
    except grpc.RpcError as error:
        raise UserError(
            f"The chief at {role.address} gave no answer ({error.code().name}): see what it wrote; started "
            "again with its command it goes on, and so does this worker."
        ) from error
    return done


def _searched_by(chief: OracleClient, address: str) -> Mapping[str, Any]:
    """Ask a chief what it searches."""
    try:
        return json.loads(chief.get_space().get(SUBJECT))
    except KeyError as error:
        raise UserError(
            f"The chief at {address} is not one of tffs: give the address of a chief that was started with "
            "--mode=tune."
        ) from error


def _check_same(chief: Mapping[str, Any], here: Mapping[str, Any], address: str) -> None:
    different = search_differences(chief, here)
    if different:
        raise UserError(
            f"The chief at {address} searches with {different}: start chief and workers with the same flags "
            "on the same data."
        )
