"""ML Metadata, read."""

import pytest

from pipelines import lineage
from pipelines.metadata_store import Store
from tests.pipelines.conftest import run
from tffs.errors import UserError


def test_a_database_that_is_not_there_is_not_made(tmp_path):
    with pytest.raises(UserError, match="is not there: give the --pipeline_root of a pipeline that ran"):
        Store(str(tmp_path / "metadata.db"))
    assert not (tmp_path / "metadata.db").exists()


def test_a_file_that_is_no_database_is_one_sentence(tmp_path):
    (tmp_path / "metadata.db").write_bytes(b"these are no metadata" * 1000)
    with pytest.raises(UserError, match="is no database of ML Metadata, or it is damaged"):
        Store(str(tmp_path / "metadata.db"))


def test_the_command_asks_for_a_model(tmp_path):
    assert run(lineage.main).code == 1
    outcome = run(lineage.main, "--format=json")
    assert (
        outcome.err
        == "pipelines.lineage: --model must be a version folder that a pipeline has pushed; see --help.\n"
    )
    outcome = run(lineage.main, f"--model={tmp_path}/serving/1", f"--pipeline_root={tmp_path}")
    assert outcome.code == 1
    assert outcome.err.startswith(f"pipelines.lineage: {tmp_path}/metadata.db is not there: ")
