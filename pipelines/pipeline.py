"""The pipeline: the same for the local runner and for Kubeflow."""

import dataclasses
import json
from typing import Any

import tfx.v1 as tfx
from tfx_bsl.public.proto import slicing_spec_pb2

from pipelines import code_version
from pipelines.columns import HELD_OUT, SOURCE, TASK
from pipelines.components.data_gate import DataGate
from pipelines.components.episode_evaluator import EpisodeEvaluator
from pipelines.components.export_check import ExportCheck
from pipelines.components.version_pusher import Pusher
from pipelines.configs import PipelineConfig
from pipelines.input_spans import SPAN
from tffs.serving.contract import versions_in

import tensorflow_data_validation as tfdv  # isort: skip  (older ones load only after TFX)

Blessed = tfx.dsl.experimental.LatestBlessedModelStrategy


def create_pipeline(config: PipelineConfig, metadata: Any = None) -> tfx.dsl.Pipeline:
    """Make the pipeline of a configuration.

    Args:
        config: see there.
        metadata: the connection to ML Metadata; None where the platform has its own, as Vertex does.
    """
    examples = tfx.components.ImportExampleGen(
        input_base=config.input,
        input_config=tfx.proto.Input(
            splits=[
                tfx.proto.Input.Split(name=split, pattern=f"{SPAN}{{SPAN}}/{split}/*")
                for split in (SOURCE, HELD_OUT)
            ]
        ),
    )
    statistics = tfx.components.StatisticsGen(
        examples=examples.outputs["examples"],
        stats_options=tfdv.StatsOptions(slicing_config=_a_slice_a_task()),
    )
    schema: Any
    if config.schema is not None:
        schema = tfx.components.ImportSchemaGen(schema_file=config.schema)
    else:
        # Where missing values are filled in, a column may have gaps in held-out tasks alone.
        gaps = config.run.data.missing == "median"
        schema = tfx.components.SchemaGen(
            statistics=statistics.outputs["statistics"],
            infer_feature_shape=True,
            exclude_splits=[] if gaps else [HELD_OUT],
        )
    validator = tfx.components.ExampleValidator(
        statistics=statistics.outputs["statistics"], schema=schema.outputs["schema"]
    )
    last_blessed = tfx.dsl.Resolver(
        strategy_class=Blessed,
        model=tfx.dsl.Channel(type=tfx.types.standard_artifacts.Model),
        model_blessing=tfx.dsl.Channel(type=tfx.types.standard_artifacts.ModelBlessing),
    ).with_id("LastBlessed")
    gate = DataGate(
        statistics=statistics.outputs["statistics"],
        schema=schema.outputs["schema"],
        anomalies=validator.outputs["anomalies"],
        last_blessed=last_blessed.outputs["model"],
        held_out=json.dumps(config.held_out),
        missing=config.run.data.missing,
        code=code_version.digest(),
    )
    transform = tfx.components.Transform(
        examples=examples.outputs["examples"],
        schema=schema.outputs["schema"],
        splits_config=tfx.proto.SplitsConfig(analyze=[SOURCE], transform=[SOURCE, HELD_OUT]),
        custom_config={
            "scaling": config.run.data.scaling,
            "missing": config.run.data.missing,
            "code": code_version.digest(),
        },
        **_module(config.modules.preprocessing, "preprocessing", "preprocessing_fn"),
    )
    transform.add_upstream_node(gate)
    common = {
        "examples": transform.outputs["transformed_examples"],
        "transform_graph": transform.outputs["transform_graph"],
        "train_args": tfx.proto.TrainArgs(splits=[SOURCE]),
        "eval_args": tfx.proto.EvalArgs(splits=[SOURCE]),
    }
    custom_config = {"run": _jsonable(config.run.to_flags()), "code": code_version.digest()}
    tuner = None
    if config.tunes:
        space = {part.flag: part.described() for part in config.space}
        tuner = tfx.components.Tuner(
            **common,
            custom_config={**custom_config, "tune": config.tune.to_options(), "space": _jsonable(space)},
            **_module(config.modules.tuner, "tuner", "tuner_fn"),
        )
    trainer = tfx.components.Trainer(
        **common,
        hyperparameters=None if tuner is None else tuner.outputs["best_hyperparameters"],
        custom_config={**custom_config, "distribute": config.distribute},
        **_module(config.modules.trainer, "trainer", "run_fn"),
    )
    check = ExportCheck(model=trainer.outputs["model"], code=code_version.digest())
    evaluator = EpisodeEvaluator(
        examples=examples.outputs["examples"],
        transform_graph=transform.outputs["transform_graph"],
        model=trainer.outputs["model"],
        export_check=check.outputs["blessing"],
        last_blessed=last_blessed.outputs["model"],
        scaling=config.run.data.scaling,
        bars=json.dumps(dataclasses.asdict(config.bars)),
        draws=config.draws,
        seed=config.run.seed,
        code=code_version.digest(),
    )
    pusher = Pusher(
        model=trainer.outputs["model"],
        model_blessing=evaluator.outputs["blessing"],
        infra_blessing=check.outputs["blessing"],
        # What is there decides what to do, so a push is not taken from the cache when the folder has changed.
        custom_config={"versions": versions_in(config.serving)},
        push_destination=tfx.proto.PushDestination(
            filesystem=tfx.proto.PushDestination.Filesystem(base_directory=config.serving)
        ),
    )
    steps = [examples, statistics, schema, validator, last_blessed, gate, transform]
    steps += [*([] if tuner is None else [tuner]), trainer, check, evaluator, pusher]
    return tfx.dsl.Pipeline(
        pipeline_name=config.name,
        pipeline_root=config.artifacts,
        components=steps,
        enable_cache=True,
        metadata_connection_config=metadata,
        beam_pipeline_args=list(config.beam_pipeline_args),
    )


def _a_slice_a_task() -> slicing_spec_pb2.SlicingConfig:
    return slicing_spec_pb2.SlicingConfig(slicing_specs=[slicing_spec_pb2.SlicingSpec(feature_keys=[TASK])])


def _module(given: str | None, name: str, function: str) -> dict[str, str]:
    """Point a component to a module file of the user, or to our function by its import path."""
    if given is not None:
        return {"module_file": given}
    return {function: f"pipelines.modules.{name}.{function}"}


def _jsonable(value: Any) -> Any:
    return json.loads(json.dumps(value))
