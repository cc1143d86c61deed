"""What is compiled for Kubeflow and Vertex."""

import json

import pytest

from pipelines import kubeflow_runner
from pipelines.code_version import digest
from tests.pipelines.conftest import run

FLAGS = (
    "--dataset=digits_r",
    "--steps=70",
    "--seed=5",
    "--held_out_tasks=rot30",
    "--input=gs://bucket/input",
    "--pipeline_root=gs://bucket/root",
    "--pipeline_name=digits",
    "--image=registry.example/tffs:1",
    "--beam_pipeline_args=--runner=DataflowRunner",
    "--beam_pipeline_args=--project=mine",
)
NODES = {
    *("ImportExampleGen", "StatisticsGen", "SchemaGen", "ExampleValidator", "DataGate", "Transform"),
    *("Tuner", "Trainer", "EpisodeEvaluator", "ExportCheck", "Pusher"),
}


@pytest.fixture(scope="module")
def specification(tmp_path_factory):
    path = tmp_path_factory.mktemp("kubeflow") / "pipeline.json"
    outcome = run(kubeflow_runner.main, *FLAGS, "--tune", "--trials=3", f"--output={path}")
    assert outcome == (0, f"Written: {path}\n", "")
    return json.loads(path.read_text())


def _parameter(specification, node, name):
    given = specification["pipelineSpec"]["root"]["dag"]["tasks"][node]["inputs"]["parameters"][name]
    return json.loads(given["runtimeValue"]["constantValue"]["stringValue"])


def test_the_specification_has_every_component_below_the_root(specification):
    resolvers = {"LastBlessed-model-resolver", "LastBlessed-model-blessing-resolver"}
    assert set(specification["pipelineSpec"]["root"]["dag"]["tasks"]) == NODES | resolvers
    assert specification["runtimeConfig"]["gcsOutputDirectory"] == "gs://bucket/root/artifacts"
    assert specification["pipelineSpec"]["pipelineInfo"]["name"] == "digits"


def test_every_component_that_computes_runs_in_the_given_image(specification):
    executors = specification["pipelineSpec"]["deploymentSpec"]["executors"]
    images = {name: found["container"]["image"] for name, found in executors.items() if "container" in found}
    assert set(images.values()) == {"registry.example/tffs:1"}
    assert {name.removesuffix("_executor") for name in images} == NODES


def test_the_specification_of_a_posterior_has_no_search(tmp_path):
    path = tmp_path / "pipeline.json"
    assert run(kubeflow_runner.main, *FLAGS, f"--output={path}").code == 0
    found = json.loads(path.read_text())
    assert _parameter(found, "Trainer", "custom_config")["run"]["method"] == "posterior"
    assert "Tuner" not in found["pipelineSpec"]["root"]["dag"]["tasks"]


def test_the_trainer_and_the_tuner_get_the_flags_of_the_run(specification):
    custom = {node: _parameter(specification, node, "custom_config") for node in ("Trainer", "Tuner")}
    for config in custom.values():
        assert (config["run"]["steps"], config["run"]["seed"], config["run"]["dataset"]) == (70, 5, "digits_r")
        assert config["code"] == digest()
    assert custom["Tuner"]["tune"]["trials"] == 3
    assert _parameter(specification, "DataGate", "held_out") == ["rot30"]


def test_beam_gets_its_arguments_where_it_runs(specification):
    executors = specification["pipelineSpec"]["deploymentSpec"]["executors"]
    for node in ("ImportExampleGen", "StatisticsGen", "Transform"):
        arguments = executors[f"{node}_executor"]["container"]["args"]
        assert "--runner=DataflowRunner" in arguments
        assert "--project=mine" in arguments


MISSING = {
    "--image": "--output and --image must both be given; see --help.",
    "--input": "--input must name records that the cluster can read; python -m pipelines.write_records writes "
    "them.",
}


@pytest.mark.parametrize("flag", MISSING)
def test_a_flag_that_is_missing_is_said(flag, tmp_path):
    flags = [given for given in FLAGS if not given.startswith(f"{flag}=")]
    outcome = run(kubeflow_runner.main, *flags, f"--output={tmp_path / 'p.json'}")
    assert outcome == (1, "", f"pipelines.kubeflow_runner: {MISSING[flag]}\n")
    assert not (tmp_path / "p.json").exists()


def test_a_file_that_cannot_be_written_is_said(tmp_path):
    outcome = run(kubeflow_runner.main, *FLAGS, f"--output={tmp_path}/nowhere/p.json")
    assert outcome.code == 1
    assert outcome.err.startswith(f"pipelines.kubeflow_runner: --output={tmp_path}/nowhere/p.json cannot be")
    assert outcome.err.count("\n") == 1
