"""Pusher: whole versions, once, and the model that is blessed is the one that is served."""

import json
import os

import pytest
import tfx.v1 as tfx
from google.protobuf import json_format
from tfx.types.standard_artifacts import InfraBlessing, Model, ModelBlessing, PushedModel

from pipelines.components.version_pusher import VersionPusher
from tffs.errors import UserError
from tffs.serving import contract
from tffs.serving.contract import versions_in
from tffs.serving.description import Description


@pytest.fixture
def push(tmp_path):
    """Push a model that was made as version `made`, and give what was noted of the push."""

    def of(made, blessed=(True, True), serving=str(tmp_path / "serving")):
        destination = tfx.proto.PushDestination(
            filesystem=tfx.proto.PushDestination.Filesystem(base_directory=serving)
        )
        model = Model()
        model.uri = str(tmp_path / f"model-{made}")
        folder = os.path.join(model.uri, "Format-Serving")
        description = Description(
            ("a", "b"), 2, 1, 4, (4,), "none", "error", None, None, "reconstruction", None, made, None
        )
        os.makedirs(os.path.dirname(os.path.join(folder, contract.DESCRIPTION)), exist_ok=True)
        with open(os.path.join(folder, contract.DESCRIPTION), "w", encoding="utf-8") as file:
            json.dump(description.to_json(), file)
        verdicts = [ModelBlessing(), InfraBlessing()]
        for verdict, good in zip(verdicts, blessed, strict=True):
            verdict.set_int_custom_property("blessed", int(good))
        pushed = PushedModel()
        pushed.uri = str(tmp_path / f"pushed-{made}")
        VersionPusher().Do(
            {"model": [model], "model_blessing": [verdicts[0]], "infra_blessing": [verdicts[1]]},
            {"pushed_model": [pushed]},
            {"push_destination": json_format.MessageToJson(destination)},
        )
        return pushed

    return of


def _made(tmp_path, version):
    with open(tmp_path / "serving" / str(version) / contract.DESCRIPTION, encoding="utf-8") as file:
        return json.load(file)["version"]


def test_a_model_is_pushed_once_and_under_its_own_number(push, tmp_path):
    for _ in range(2):
        pushed = push(100)
        assert pushed.get_string_custom_property("pushed_version") == "100"
        assert versions_in(str(tmp_path / "serving")) == [100]


def test_an_earlier_model_that_is_blessed_again_becomes_the_newest(push, tmp_path):
    push(100)
    push(200)
    version = int(push(100).get_string_custom_property("pushed_version"))
    assert versions_in(str(tmp_path / "serving")) == [100, 200, version]
    assert version > 200
    assert _made(tmp_path, version) == 100
    push(100)
    assert versions_in(str(tmp_path / "serving"))[-1] == version


def test_a_folder_that_was_emptied_is_filled_again(push, tmp_path):
    push(100)
    os.rename(tmp_path / "serving", tmp_path / "gone")
    push(100)
    assert versions_in(str(tmp_path / "serving")) == [100]


@pytest.mark.parametrize("blessed", [(False, True), (True, False), (False, False)])
def test_what_is_not_blessed_by_both_stays_away(blessed, push, tmp_path):
    push(100)
    assert push(200, blessed=blessed).get_int_custom_property("pushed") == 0
    assert versions_in(str(tmp_path / "serving")) == [100]


def test_an_address_elsewhere_is_not_taken_for_a_folder(push, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match="gs://bucket/serving must be a folder that this machine has mounted"):
        push(100, serving="gs://bucket/serving")
    assert not (tmp_path / "gs:").exists()
