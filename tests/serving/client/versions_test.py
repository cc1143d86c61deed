import numpy as np
import pandas as pd
import pytest

from tests.serving.client.twin import Model
from tffs.errors import UserError
from tffs.serving import Client
from tffs.serving.client import version_follower

ROWS = pd.DataFrame({"a": [0.0, 1.0], "b": [2.0, 3.0], "c": [4.0, 5.0], "d": [6.0, 7.0], "e": [8.0, 9.0]})
VALUES = pd.DataFrame({"a": [10.0], "b": [20.0], "c": [30.0], "d": [40.0]})
# The same features in another order, so that rows in the old order would be answered wrongly.
NEWER = Model(names=("d", "c", "b", "a"), chosen=(0, 1))


def test_selection_follows_when_another_version_takes_over(client, twin):
    assert client.select(ROWS)["feature"].tolist() == ["c", "a"]
    twin.versions = {2: NEWER}
    selection = client.select(ROWS)
    assert selection["feature"].tolist() == ["d", "c"]
    assert selection["score"].tolist() == [
        6.0,
        4.0,
    ]  # the twin's first values: the rows were put in the new order
    assert selection.attrs["version"] == 2


def test_reconstruction_is_by_one_version_when_another_takes_over_in_between(client, twin):
    def take_over(signature):
        if signature == "reconstruct":
            twin.versions = {2: NEWER}

    twin.before = take_over
    reconstruction = client.reconstruct(ROWS, VALUES)
    assert reconstruction.to_dict("records") == [{"d": 40.0, "c": 30.0, "b": 0.0, "a": 0.0}]
    assert reconstruction.attrs["version"] == 2
    assert twin.requests == ["metadata", "describe", "select", "reconstruct"] * 2


def test_version_that_leaves_before_it_is_described_is_not_missed(client, twin):
    def take_over(signature):
        if signature == "describe":
            twin.versions = {2: NEWER}

    twin.before = take_over
    assert client.describe().feature_names == NEWER.names


def test_values_that_fit_only_the_version_before_are_refused_by_name(client, twin):
    measured = VALUES[client.select(ROWS)["feature"]]
    twin.versions = {2: NEWER}
    with pytest.raises(UserError, match="Version 2 .* selects 'd', 'c' .* lack 'd': .* by another version"):
        client.reconstruct(ROWS, measured)


def test_newer_version_is_followed_even_if_the_one_before_stays(client, twin, monkeypatch):
    client.select(ROWS)
    twin.versions[2] = NEWER
    assert client.select(ROWS).attrs["version"] == 1  # known a moment ago
    monkeypatch.setattr(version_follower, "FOLLOW_SECONDS", 0.0)
    assert client.select(ROWS).attrs["version"] == 2
    before = len(twin.requests)
    client.select(ROWS)
    assert twin.requests[before:] == ["metadata", "select"]  # no new description for the same version


def test_rows_are_not_refused_by_what_an_older_version_wanted(client, twin):
    client.describe()
    twin.versions[2] = Model(names=("a", "e"), chosen=(1,))
    assert client.select(ROWS[["a", "e"]])["feature"].tolist() == ["e"]


def test_another_model_under_the_same_number_is_noticed_by_its_names(client, twin):
    client.select(ROWS)
    twin.versions = {1: NEWER}
    assert client.select(ROWS)["feature"].tolist() == ["d", "c"]


def test_server_that_changes_all_the_time_is_given_up(client, twin):
    twin.before = lambda signature: (
        twin.versions.update({max(twin.versions) + 1: NEWER}) or twin.versions.pop(min(twin.versions))
    )
    with pytest.raises(UserError, match="changed the version of the model 5 times"):
        client.select(ROWS)


def test_given_version_is_kept(address, twin):
    twin.versions[2] = NEWER
    with Client(address, version=np.int64(1)) as client:
        assert client.select(ROWS).attrs["version"] == 1
        twin.versions.pop(1)
        with pytest.raises(UserError, match="does not serve the model 'tffs' with the version 1 .Servable not"):
            client.select(ROWS)
    assert "metadata" not in twin.requests


def test_label_stands_for_the_version_that_has_it(address, twin):
    twin.versions[2] = NEWER
    twin.labels = {"stable": 1}
    with Client(address, version="stable") as client:
        assert client.select(ROWS).attrs["version"] == 1
    with Client(address, version="canary") as client, pytest.raises(UserError, match="label: canary"):
        client.select(ROWS)


def test_unknown_model_is_named(address):
    with Client(address, model_name="other") as client, pytest.raises(UserError, match="the model 'other' "):
        client.describe()
