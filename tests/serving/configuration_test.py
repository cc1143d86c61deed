"""The files in serving/, which the real server reads."""

import pathlib
import re

import pytest
from google.protobuf import text_format
from tensorflow_serving.config import model_server_config_pb2

from tffs.serving import contract
from tffs.serving.sample_requests import BATCHES

SERVING = pathlib.Path(__file__).parents[2] / "serving"


@pytest.mark.parametrize("name", ["models.config", "canary.config"])
def test_model_configs_are_what_the_server_parses(name):
    text = (SERVING / name).read_text(encoding="utf-8")
    (config,) = text_format.Parse(text, model_server_config_pb2.ModelServerConfig()).model_config_list.config
    assert (config.name, config.model_platform) == (contract.MODEL_NAME, "tensorflow")
    labelled = set(config.version_labels.values())
    assert labelled <= set(config.model_version_policy.specific.versions)


def test_batches_are_padded_to_the_sizes_that_the_warm_up_has():
    text = (SERVING / "batching.config").read_text(encoding="utf-8")
    allowed = [int(size) for size in re.findall(r"^allowed_batch_sizes: (\d+)$", text, re.MULTILINE)]
    largest = int(re.search(r"max_batch_size { value: (\d+) }", text).group(1))
    assert allowed == list(BATCHES)
    assert allowed[-1] == largest  # or the server refuses the file


def test_the_compose_file_mounts_what_its_flags_name():
    text = (SERVING / "compose.yaml").read_text(encoding="utf-8")
    named = re.findall(r"=/config/(\S+)", text)
    assert sorted(named) == ["batching.config", "models.config", "monitoring.config"]
    assert all((SERVING / name).is_file() for name in named)
    assert "/models/tffs:ro" in text
