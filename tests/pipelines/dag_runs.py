"""Runs of the whole pipeline on the tiny table, and what ML Metadata has of them afterwards."""

import os
from typing import NamedTuple

from pipelines import local_runner
from pipelines.metadata_store import Store
from tests.pipelines import tiny
from tests.pipelines.conftest import run
from tffs.serving.contract import versions_in

NODES = (
    *("ImportExampleGen", "LastBlessed", "StatisticsGen", "SchemaGen", "ExampleValidator", "DataGate"),
    *("Transform", "Tuner", "Trainer", "ExportCheck", "EpisodeEvaluator", "Pusher"),
)

# A module of a user, which writes what no server answers as it should.
SPOILING = """
import json, os
from pipelines.modules import trainer

def run_fn(fn_args):
    trainer.run_fn(fn_args)
    path = os.path.join(fn_args.serving_model_dir, "assets.extra", "golden_response.json")
    with open(path) as file:
        answer = json.load(file)
    answer["predictions"][0]["indices"][0] += 1
    with open(path, "w") as file:
        json.dump(answer, file)
"""


class Ran(NamedTuple):
    """What a run did, as of its end."""

    code: int
    out: str
    err: str
    states: dict
    uris: dict
    versions: list


def ran(root, *flags):
    """Run the pipeline, which must end well."""
    held_out = f"--held_out_tasks={','.join(tiny.HELD_OUT)}"
    beside = set(os.listdir())
    outcome = run(local_runner.main, *flags, f"--pipeline_root={root}", held_out)
    assert outcome.code == 0, outcome.err
    assert set(os.listdir()) == beside  # all that it writes is below the root
    store = Store(os.path.join(root, "metadata.db"))
    executions = {node: store.latest("tffs", node) for node in NODES}
    done = {node: execution for node, execution in executions.items() if execution}
    uris = {
        f"{node}.{name}": artifact.uri
        for node, execution in done.items()
        for name, artifact in store.outputs(execution).items()
    }
    states = {node: execution.last_known_state for node, execution in done.items()}
    return Ran(*outcome, states, uris, versions_in(os.path.join(root, "serving")))
