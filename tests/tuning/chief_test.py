"""A chief in this process, over real gRPC on loopback."""

import contextlib
from concurrent import futures

import grpc
import keras_tuner as kt
import pytest
from keras_tuner.engine.trial import TrialStatus
from keras_tuner.src.distribute import oracle_client
from keras_tuner.src.distribute.oracle_chief import OracleServicer
from keras_tuner.src.protos import get_service_grpc

from tests.distribute.loopback import free_ports
from tests.tuning.searching import SPACE, figures, open_trials, search
from tffs.errors import UserError
from tffs.tuning.chief import Chief
from tffs.tuning.oracles import finish
from tffs.tuning.remote import work_for_chief
from tffs.tuning.role import Role


def chief_of(trials, address):
    return Chief(trials._oracle, trials, address, lambda standing: None, lambda note: None)


@pytest.fixture
def address(monkeypatch):
    (port,) = free_ports(1)
    monkeypatch.setenv("KERASTUNER_ORACLE_IP", "127.0.0.1")
    monkeypatch.setenv("KERASTUNER_ORACLE_PORT", str(port))
    monkeypatch.setenv("KERASTUNER_TUNER_ID", "tuner0")
    return f"127.0.0.1:{port}"


def ask(address):
    """Be a worker that has nothing to train, and give what went wrong."""
    with pytest.raises(UserError) as caught:
        work_for_chief(Role("tuner0", address), None, {}, SPACE, None, None, None)
    return str(caught.value)


def test_two_chiefs_do_not_share_a_port(address, tmp_path):
    first = chief_of(open_trials(tmp_path / "one", "random", 2), address)
    with pytest.raises(UserError, match=f"The chief cannot listen on {address}: give the address"):
        chief_of(open_trials(tmp_path / "two", "random", 2), address)
    first._server.stop(None).wait()


@pytest.mark.parametrize("tuner", ["random", "hyperband"])
def test_the_chief_of_a_search_that_is_done_waits_for_nobody(tuner, address, tmp_path):
    rows = search(open_trials(tmp_path, tuner, 4))
    again = open_trials(tmp_path, tuner, 4)
    chief_of(again, address).run(lambda: None)
    assert again.rows() == rows


@contextlib.contextmanager
def serving(trials, address):
    """Serve as a chief does until it is killed."""
    chief = chief_of(trials, address)
    chief._server.start()
    try:
        yield
    finally:
        chief._server.stop(None).wait()


def test_a_worker_that_is_started_again_under_its_name_gets_its_trial_again(address, tmp_path):
    with serving(open_trials(tmp_path, "random", 3), address):
        mine, again, other = (
            oracle_client.OracleClient(None).create_trial(name) for name in ("tuner0", "tuner0", "tuner1")
        )
    assert (again.trial_id, again.hyperparameters.values) == (mine.trial_id, mine.hyperparameters.values)
    assert other.trial_id != mine.trial_id


def test_a_chief_that_is_started_again_takes_what_was_trained_meanwhile_and_gives_out_the_rest(
    address, tmp_path
):
    worker = oracle_client.OracleClient(None)
    trials = open_trials(tmp_path, "random", 2)
    with serving(trials, address):
        mine, lost = worker.create_trial("tuner0"), worker.create_trial("tuner1")
    again = open_trials(tmp_path, "random", 2)
    assert again.rows() == []
    outcome = figures(again.job(mine))
    with serving(again, address):
        finish(worker, mine, outcome)
        next_one = worker.create_trial("tuner0")
        assert next_one.trial_id == lost.trial_id
        finish(worker, next_one, figures(again.job(next_one)))
        assert worker.create_trial("tuner0").status == TrialStatus.STOPPED
    assert [row.trial for row in again.rows()] == [mine.trial_id, lost.trial_id]
    assert again.rows()[0].figures == outcome


def test_a_trial_counts_when_it_has_its_score(tmp_path):
    trials = open_trials(tmp_path, "random", 2)
    job = trials.proposed("tuner0")
    # What another thread sees while keras-tuner ends a trial.
    trials._oracle.trials[job.trial].status = TrialStatus.COMPLETED
    assert trials.rows() == []
    trials.settle(job, figures(job))
    assert [row.trial for row in trials.rows()] == [job.trial]


def test_a_worker_says_that_nobody_answers(address, monkeypatch):
    monkeypatch.setattr(oracle_client, "TIMEOUT", 0.5)
    assert ask(address).startswith(f"The chief at {address} gave no answer (DEADLINE_EXCEEDED): see what")


def test_a_worker_leaves_a_chief_that_is_not_of_tffs(address):
    oracle = kt.oracles.RandomSearchOracle(kt.Objective("loss", "min"), max_trials=1)
    server = grpc.server(futures.ThreadPoolExecutor(1))
    get_service_grpc().add_OracleServicer_to_server(OracleServicer(oracle), server)
    server.add_insecure_port(address)
    server.start()
    try:
        assert ask(address).startswith(f"The chief at {address} is not one of tffs")
    finally:
        server.stop(None).wait()
