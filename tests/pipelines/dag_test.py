"""The whole DAG with real TFX: what every component leaves, what the cache saves, and a model that is worse."""

import dataclasses
import glob
import json
import os
import re

import keras
import numpy as np
import pytest
import tensorflow as tf
from tensorflow_metadata.proto.v0 import anomalies_pb2, schema_pb2, statistics_pb2

from pipelines import lineage
from pipelines.code_version import digest
from pipelines.left_out import LeftOut
from pipelines.row_order import as_tasks
from pipelines.scaled_rows import read_scaled
from pipelines.task_report import task_slices
from pipelines.training import TrainingJob, setting_of
from pipelines.transformed import learned
from tests.pipelines import tiny
from tests.pipelines.conftest import run
from tests.pipelines.dag_runs import NODES, SPOILING, ran
from tffs.data.source_statistics import SourceStatistics
from tffs.layers import Scaling
from tffs.methods.catalogue import method_of_runs
from tffs.serving.exported_model import ExportedModel
from tffs.training.session import Session

import tensorflow_data_validation as tfdv  # isort: skip  (older ones load only after TFX)

# What looks at the model last blessed sees another one after the first push; the resolver is never cached.
LOOKS_BACK = {"LastBlessed", "DataGate", "EpisodeEvaluator", "Pusher"}
COMPLETE, CACHED = 3, 5  # of ML Metadata's states


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return str(tmp_path_factory.mktemp("pipeline") / "root")


@pytest.fixture(scope="module")
def pipeline(root, tiny_table, tmp_path_factory):
    """Run the pipeline with a module of a user, and note what ML Metadata has afterwards."""
    module = tmp_path_factory.mktemp("module") / "mine.py"
    module.write_text("from pipelines.modules.preprocessing import preprocessing_fn\n")
    return lambda *flags: ran(root, *tiny_table, f"--preprocessing_module={module}", *flags)


TUNED = ("--steps=150", "--learning_rate=0.002", "--tune", "--tuner=random", "--trials=2")  # slow by default


@pytest.fixture(scope="module")
def first(pipeline):
    return pipeline(*TUNED)


@pytest.fixture(scope="module")
def again(first, pipeline):
    return pipeline(*TUNED)


@pytest.fixture(scope="module")
def worse(again, pipeline):
    return pipeline("--steps=20", "--learning_rate=1e-6")


@pytest.fixture(scope="module")
def refused(worse, pipeline, tmp_path_factory):
    module = tmp_path_factory.mktemp("module") / "spoiling.py"
    module.write_text(SPOILING)
    return pipeline("--steps=20", f"--trainer_module={module}", "--max_regression=1000")


@pytest.fixture(scope="module")
def posterior(refused, root, tiny_table):
    """The same table with the method that is fitted where none is named."""
    place = [flag for flag in tiny_table if flag.startswith(("--table=", "--data_dir="))]
    return ran(root, *place, *tiny.POSTERIOR)


@pytest.fixture(scope="module")
def names_and_statistics(first):
    return learned(first.uris["Transform.transform_graph"])


@pytest.fixture(scope="module")
def pushed(first, root):
    return ExportedModel(os.path.join(root, "serving", str(first.versions[0])))


@pytest.fixture(scope="module")
def trained(first):
    return keras.models.load_model(os.path.join(first.uris["Trainer.model_run"], "model.keras"))


@pytest.fixture(scope="module")
def rows():
    """Rows of a held-out task, in raw units: a support set, and others."""
    matrix = tiny.values()["t5"]
    return matrix[: tiny.SUPPORT], matrix[tiny.SUPPORT :]


def _read(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file)


def _proto(message, *path):
    with open(os.path.join(*path), "rb") as file:
        message.ParseFromString(file.read())
    return message


def _statistics(ran, split):
    folder = ran.uris["StatisticsGen.statistics"]
    found = statistics_pb2.DatasetFeatureStatisticsList()
    return _proto(found, folder, f"Split-{split}", "FeatureStats.pb")


def test_a_run_says_what_every_component_did_and_nothing_else(first):
    lines = first.err.splitlines()
    assert lines[0] == "Writing the records ..."
    assert lines[1].startswith("Records: ")
    done = [line for line in lines if line.startswith("[")]
    assert [line.split(": ")[0] for line in done] == [f"[{i + 1:2}/12] {node}" for i, node in enumerate(NODES)]
    assert all(line.endswith(" s") for line in done)
    others = [line for line in lines[2:] if line not in done]
    step = r"step +\d+/150  loss .*validation MSRE .*"
    table = r"(trial|default|\d) +.*|\d trials of .*|Best: .*|"
    known = re.compile(rf"Tuner, (the default|trial \d of 2): {step}|Trainer: {step}|{table}")
    assert [line for line in others if not known.fullmatch(line)] == []
    assert others[0].startswith("Tuner, the default: ")
    assert others[-1].startswith("Trainer: ")


def test_a_run_ends_with_the_figures_of_each_held_out_task_and_where_the_model_is(first, root):
    lines = first.out.splitlines()
    assert lines[0] == ""
    assert lines[1].startswith("Held-out tasks (error: as a share of ")
    assert [line.split(":")[0] for line in lines[2:4]] == ["  t4", "  t5"]
    assert re.match(r"  t4: MSRE \S+, error \S+ %, ARI % \S+, NMI % \S+; its rows are ", lines[2])
    path = os.path.join(root, "serving", str(first.versions[0]))
    assert re.fullmatch(
        r"Decided on 2 tasks held out: median error \S+ % \(at most 100.0 %\); it gives no intervals, so "
        "coverage does not apply.",
        lines[4],
    )
    assert lines[5] == f"Blessed and pushed: {path}"
    assert re.fullmatch(
        rf"Lineage: \S*python\S* -m pipelines.lineage --model={re.escape(str(path))}", lines[-1]
    )


def test_the_schema_has_a_float_a_column_by_its_own_name_and_knows_no_held_out_task(first):
    schema = tfdv.load_schema_text(os.path.join(first.uris["SchemaGen.schema"], "schema.pbtxt"))
    types = {feature.name: feature.type for feature in schema.feature}
    numbers = dict.fromkeys(tiny.ORDER, schema_pb2.FLOAT)
    assert types == {**numbers, "task": schema_pb2.BYTES, "label": schema_pb2.INT}
    domain = next(found for found in schema.string_domain if found.name == "task")
    assert tuple(domain.value) == tiny.SOURCE


def test_the_statistics_have_a_slice_a_task(first):
    for split, tasks in (("source", tiny.SOURCE), ("held_out", tiny.HELD_OUT)):
        slices = task_slices(_statistics(first, split))
        assert tuple(slices) == tasks
        for task, found in slices.items():
            assert found.datasets[0].num_examples == tiny.ROWS
            column = next(c for c in found.datasets[0].features if c.path.step[0] == "größe")
            np.testing.assert_allclose(column.num_stats.mean, tiny.values()[task][:, 6].mean(), rtol=1e-6)


def test_the_anomalies_of_both_splits_are_recorded(first):
    folder = first.uris["ExampleValidator.anomalies"]
    of = {
        split: _proto(anomalies_pb2.Anomalies(), folder, f"Split-{split}", "SchemaDiff.pb")
        for split in ("source", "held_out")
    }
    assert dict(of["source"].anomaly_info) == {}
    assert list(of["held_out"].anomaly_info) == ["task"]  # which is new, and let through


def test_the_gate_reports_how_far_each_task_is_from_the_source(first):
    report = _read(first.uris["DataGate.report"], "tasks.json")
    assert {task: found["split"] for task, found in report.items()} == {
        **dict.fromkeys(tiny.SOURCE, "source"),
        **dict.fromkeys(tiny.HELD_OUT, "held_out"),
    }
    assert all(found["rows"] == tiny.ROWS for found in report.values())
    assert report["t5"]["mean_divergence"] > report["t2"]["mean_divergence"] > 0.0
    assert set(list(report["t5"]["differ_most"])[:2]) <= {"D2", "Jitter(%)", "f2", "f10"}  # the shifted columns


def test_the_transform_graph_has_learned_the_source_rows_and_no_others(names_and_statistics):
    names, statistics = names_and_statistics
    source = tiny.joined(tiny.SOURCE)
    expected = SourceStatistics.of(source, np.arange(len(source)), medians=False)
    assert names == tiny.ORDER
    for name in ("low", "high", "median"):
        np.testing.assert_array_equal(getattr(statistics, name), getattr(expected, name))
    for name in ("mean", "stddev"):  # summed in another order
        np.testing.assert_allclose(getattr(statistics, name), getattr(expected, name), rtol=1e-6)


@pytest.mark.parametrize("split", ["source", "held_out"])
def test_transformed_rows_are_those_of_the_cores_scaling(split, first, names_and_statistics, tmp_path):
    names, statistics = names_and_statistics
    tasks = tiny.SOURCE if split == "source" else tiny.HELD_OUT
    folder = first.uris["Transform.transformed_examples"]
    found = read_scaled([os.path.join(folder, f"Split-{split}", "*")], names, str(tmp_path))
    scaling = Scaling()
    scaling.build((None, 8))
    scaling.learn(*statistics.offset_and_width("minmax"), statistics.median)
    raw = tiny.joined(tasks)
    who = np.repeat(np.array(tasks, "S"), tiny.ROWS)
    classes = (tiny.labels(raw) == "well").astype(np.int64)
    expected = as_tasks(np.asarray(scaling(raw)), who, classes, names)
    assert found.task_names == tasks
    np.testing.assert_array_equal(found.matrix, expected.matrix)
    np.testing.assert_array_equal(found.labels, expected.labels)
    if split == "source":
        np.testing.assert_array_equal(found.matrix.min(axis=0), [0] * 8)
        np.testing.assert_allclose(found.matrix.max(axis=0), [1] * 8, rtol=1e-6)


def test_the_trainer_trains_with_the_tuned_flags_in_tfxs_folders(first):
    folder = first.uris["Trainer.model_run"]
    assert os.path.isfile(os.path.join(folder, "checkpoints", "ckpt-150.index"))
    events = glob.glob(os.path.join(folder, "tensorboard", "events.*"))
    tags = {
        value.tag
        for path in events
        for event in tf.compat.v1.train.summary_iterator(path)
        for value in event.summary.value
    }
    assert any("validation" in tag for tag in tags)
    best = _read(first.uris["Tuner.best_hyperparameters"], "best_hyperparameters.txt")["values"]
    config = _read(folder, "config.json")
    assert {"learning_rate", "selector_dim", "decoder_units"} <= set(best)
    units = ",".join(map(str, config["decoder_units"]))
    assert {flag: {**config, "decoder_units": units}[flag] for flag in best} == best
    assert config["steps"] == 150
    assert not glob.glob(os.path.join(os.path.dirname(os.path.dirname(folder)), "checkpoints", "*"))


def test_the_evaluation_has_a_slice_a_task_a_page_and_a_picture(first):
    folder = first.uris["EpisodeEvaluator.evaluation"]
    metrics = _read(folder, "metrics.json")
    assert set(metrics["tasks"]) == set(tiny.HELD_OUT)
    assert metrics["blessed"]
    assert metrics["last_blessed"] is None
    assert metrics["objections"] == []
    for found in metrics["tasks"].values():
        assert 0.0 < found["relative_error"] <= 1.0
        assert 1.0 <= found["distinct"] <= tiny.K
        assert found["coverage"] is None
        assert set(found["chosen"]) <= set(tiny.ORDER)
        assert -100.0 <= found["ari"] <= 100.0
    with open(os.path.join(folder, "report.md"), encoding="utf-8") as file:
        page = file.read()
    assert "\nBlessed.\n" in page
    assert "\n| t4 | 40 | " in page
    with open(os.path.join(folder, "tasks.png"), "rb") as file:
        assert tf.io.decode_png(file.read()).shape[1] > 400


def test_the_model_is_blessed_by_evaluator_and_by_export_check(first):
    assert os.listdir(first.uris["EpisodeEvaluator.blessing"]) == ["BLESSED"]
    assert os.listdir(first.uris["ExportCheck.blessing"]) == ["INFRA_BLESSED"]
    assert first.states == dict.fromkeys(first.states, COMPLETE)


def test_the_pushed_version_answers_like_the_trained_model_in_raw_units(pushed, trained, rows):
    support, others = rows
    selected = pushed.select(support)["index"].tolist()
    assert selected == np.asarray(trained.select(support[None]))[0].tolist()
    answer = pushed.reconstruct(support, others[:, selected])
    expected = np.asarray(trained.reconstruct(support[None], others[None][..., selected]))[0]
    np.testing.assert_allclose(answer, expected, rtol=1e-5, atol=1e-5)


def test_the_pushed_version_scales_exactly_once(pushed, trained, names_and_statistics, rows):
    _, statistics = names_and_statistics
    low, width = statistics.low, statistics.high - statistics.low
    support, others = ((part - low) / width for part in rows)
    selected = pushed.select(rows[0])["index"].tolist()
    inner = trained.selector  # computes in scaled units
    assert selected == np.asarray(inner.select(support[None]))[0].tolist()
    expected = np.asarray(inner.reconstruct(support[None], others[None][..., selected]))[0] * width + low
    expected[:, selected] = rows[1][:, selected]  # what was measured comes back
    answer = pushed.reconstruct(rows[0], rows[1][:, selected]).to_numpy()
    np.testing.assert_allclose((answer - low) / width, (expected - low) / width, atol=1e-5)
    error = np.abs(answer - rows[1]).mean(axis=0) / width
    assert (error < 0.6).all()  # of a range: the answers are in the units of the rows


def test_the_pushed_version_answers_the_same_through_the_session_loader(pushed, rows):
    support, others = rows
    expected = pushed.select(support)
    values = others[:, expected["index"]]
    with tf.compat.v1.Session(graph=tf.Graph()) as session:
        meta = tf.compat.v1.saved_model.loader.load(session, ["serve"], pushed.path)

        def ask(name, **inputs):
            signature = meta.signature_def[name]
            feed = {signature.inputs[key].name: array[None] for key, array in inputs.items()}
            return session.run({key: info.name for key, info in signature.outputs.items()}, feed)

        chosen = ask("select", support=support)
        answer = ask("reconstruct", support=support, values=values)
    assert chosen["indices"][0].tolist() == expected["index"].tolist()
    assert [name.decode() for name in chosen["names"][0]] == expected["feature"].tolist()
    np.testing.assert_allclose(answer["reconstruction"][0], pushed.reconstruct(support, values), rtol=1e-5)


def test_the_same_command_takes_from_the_cache_what_it_can_and_pushes_nothing_new(first, again):
    assert {node for node, state in again.states.items() if state == CACHED} == set(NODES) - LOOKS_BACK
    for node in sorted(set(NODES) - LOOKS_BACK):
        assert any(line.endswith(f"{node}: from the cache") for line in again.err.splitlines())
    assert again.versions == first.versions
    assert again.uris["Trainer.model"] == first.uris["Trainer.model"]
    assert "Trainer: step" not in again.err
    verdict = next(line for line in first.out.splitlines() if line.startswith("Blessed and pushed: "))
    assert verdict.replace("Blessed and pushed", "Blessed; pushed before") in again.out.splitlines()


def test_a_worse_model_is_neither_blessed_nor_pushed_and_that_is_no_error(first, worse):
    reused = {"ImportExampleGen", "StatisticsGen", "SchemaGen", "ExampleValidator", "DataGate", "Transform"}
    assert {node for node, state in worse.states.items() if state == CACHED} >= reused
    assert worse.states["Trainer"] == COMPLETE
    assert os.listdir(worse.uris["EpisodeEvaluator.blessing"]) == ["NOT_BLESSED"]
    assert worse.versions == first.versions
    lines = worse.out.splitlines()
    against = r"Against the model last blessed, on 2 tasks held out: median error \S+ %, more than "
    against += r"that one's \S+ %; .*"
    assert [line for line in lines if re.fullmatch(against, line)]
    refusal = (
        r"Not blessed, so not pushed: .*its median error of .* is above the .* of the model last blessed\."
    )
    assert [line for line in lines if re.fullmatch(refusal, line)]
    assert sum(line.startswith("    the model last blessed: MSRE ") for line in worse.out.splitlines()) == 2
    assert "Lineage:" not in worse.out
    assert worse.code == 0
    metrics = _read(worse.uris["EpisodeEvaluator.evaluation"], "metrics.json")
    before = _read(first.uris["EpisodeEvaluator.evaluation"], "metrics.json")
    assert metrics["last_blessed"]["tasks"] == before["tasks"]


def test_a_worse_model_leaves_the_serving_folder_as_it_was(first, worse, root):
    version = os.path.join(root, "serving", str(first.versions[0]))
    for folder, _, files in os.walk(version):
        for file in files:
            here = os.path.join(folder, file)
            there = os.path.join(first.uris["Pusher.pushed_model"], os.path.relpath(here, version))
            with open(here, "rb") as one, open(there, "rb") as other:
                assert one.read() == other.read()
    assert os.listdir(os.path.join(root, "serving")) == [str(first.versions[0])]


def test_a_model_that_fails_its_check_is_never_blessed_so_that_none_has_to_be_better(first, refused):
    assert os.listdir(refused.uris["ExportCheck.blessing"]) == ["INFRA_NOT_BLESSED"]
    assert os.listdir(refused.uris["EpisodeEvaluator.blessing"]) == ["NOT_BLESSED"]
    assert refused.versions == first.versions
    sentence = "Not blessed, so not pushed: The exported model failed its check and was not published ("
    assert [line for line in refused.out.splitlines() if line.startswith(sentence)]
    metrics = _read(refused.uris["EpisodeEvaluator.evaluation"], "metrics.json")
    assert (metrics["tasks"], metrics["blessed"], len(metrics["objections"])) == ({}, False, 1)


def test_lineage_names_data_schema_code_and_hyperparameters(first, root):
    model = f"--model={os.path.join(root, 'serving', str(first.versions[0]))}"
    outcome = run(lineage.main, model, "--format=json")
    assert (outcome.code, outcome.err) == (0, "")
    found = json.loads(outcome.out)
    assert found["data"]["dataset"].startswith("table/voices-")
    assert found["data"]["span"] == 1
    assert found["data"]["examples"] == first.uris["ImportExampleGen.examples"]
    assert found["schema"] == os.path.join(first.uris["SchemaGen.schema"], "schema.pbtxt")
    assert found["transform"] == first.uris["Transform.transform_graph"]
    assert found["code"]["digest"] == digest()
    assert "tfx_user_code_Transform" in found["code"]["module of Transform"]  # packed by its content
    assert "module of Trainer" not in found["code"]
    assert found["hyperparameters"] == _read(first.uris["Trainer.model_run"], "config.json")
    assert set(found["evaluation"]) == set(tiny.HELD_OUT)
    page = run(lineage.main, model)
    assert page.code == 0
    for fact in (found["schema"], found["data"]["dataset"], digest(), "learning_rate: "):
        assert fact in page.out


def test_the_lineage_of_a_folder_that_was_not_pushed_is_one_sentence(first, root):
    outcome = run(lineage.main, f"--model={os.path.join(root, 'serving', '1')}")
    assert outcome.code == 1
    assert outcome.out == ""
    assert outcome.err.startswith("pipelines.lineage: ")
    assert "was not pushed by the pipeline in" in outcome.err
    assert str(first.versions[0]) in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_posterior_that_is_better_than_the_network_last_blessed_is_blessed_and_pushed(first, posterior, root):
    metrics = _read(posterior.uris["EpisodeEvaluator.evaluation"], "metrics.json")
    before = _read(first.uris["EpisodeEvaluator.evaluation"], "metrics.json")
    assert metrics["last_blessed"] == {"tasks": before["tasks"], "left_out": None}
    assert metrics["blessed"]
    for task, found in metrics["tasks"].items():
        assert found["distinct"] == tiny.K
        assert found["relative_error"] < before["tasks"][task]["relative_error"]
    assert posterior.versions[:-1] == first.versions
    model = ExportedModel(os.path.join(root, "serving", str(posterior.versions[-1])))
    described = model.description
    assert (described.method, described.support_sizes, described.num_selected) == ("posterior", None, tiny.K)
    chosen = model.rank(tiny.values()["t4"][: tiny.SUPPORT])["index"].tolist()
    assert len({feature // 2 for feature in chosen[:4]}) == 4  # columns come in pairs: one of each
    inferred = model.reconstruct(values=tiny.values()["t5"][:1] * np.array([1, *[np.nan] * 7]), interval=0.9)
    assert (inferred.low <= inferred.values).all(axis=None)
    assert (inferred.values <= inferred.high).all(axis=None)


def test_a_posterior_is_decided_on_by_all_tasks_that_it_did_not_learn_from(posterior):
    folder = posterior.uris["EpisodeEvaluator.evaluation"]
    metrics = _read(folder, "metrics.json")
    assert set(metrics["left_out"]) == set(tiny.SOURCE)
    every = [*metrics["tasks"].values(), *metrics["left_out"].values()]
    assert metrics["decided_on"] == {
        "tasks": 6,
        "error": pytest.approx(np.median([found["relative_error"] for found in every])),
        "coverage": pytest.approx(np.mean([found["coverage"] for found in every])),
    }
    decided = r"Decided on 2 tasks held out and 4 source tasks left out in turn: median error \S+ % \(at most "
    decided += r"100.0 %\); 90 % intervals cover \S+ % \(at least 70.0 %\)\."
    against = r"Against the model last blessed, on 2 tasks held out: median error \S+ %, less than "
    against += r"that one's \S+ %; only this model gives intervals."
    said = posterior.out.splitlines()
    reasons = [line for line in said if re.fullmatch(decided, line) or re.fullmatch(against, line)]
    assert reasons == metrics["reasons"]
    with open(os.path.join(folder, "report.md"), encoding="utf-8") as file:
        page = file.read()
    assert all(f"\n{reason}\n" in page for reason in reasons)
    assert "\n## This model on source tasks that were left out in turn\n" in page
    assert "\n| t0 | 36 | " in page


def test_what_the_trainer_measured_on_tasks_left_out_goes_with_the_model(posterior):
    found = LeftOut.read(posterior.uris["Trainer.model"])
    description = ExportedModel(os.path.join(posterior.uris["Trainer.model"], "Format-Serving")).description
    assert set(description.training["source_tasks"]) == set(tiny.SOURCE)
    record = _read(posterior.uris["Trainer.model_run"], "training.json")
    assert description.training["chosen"] == record["chosen"] != {}
    measured = description.training["figures"]
    assert measured["evaluated_on"] == "4 tasks, each left out once (medians)"
    errors = [figures["relative_error"] for figures in found.tasks.values()]
    assert measured["relative_error"] == pytest.approx(np.median(errors))
    assert found.without_error == []
    lost = [{**figures, "relative_error": None} for figures in found.result["tasks"]]  # as JSON holds NaN
    assert LeftOut(found.exam, {"tasks": lost}).without_error == list(found.tasks)


def test_a_posterior_of_rows_on_the_disk_is_that_of_rows_in_memory(posterior, tmp_path):
    files = os.path.join(posterior.uris["Transform.transformed_examples"], "Split-source", "*")
    folder = posterior.uris["Trainer.model_run"]
    job = TrainingJob(_read(folder, "config.json"), posterior.uris["Transform.transform_graph"], (files,))
    setting = setting_of(job, str(tmp_path))
    assert isinstance(setting.tasks.matrix, np.memmap)
    tasks = dataclasses.replace(setting.tasks, matrix=np.array(setting.tasks.matrix))
    in_memory = dataclasses.replace(setting, tasks=tasks)
    expected = in_memory.in_raw_units(method_of_runs(setting.config).fit(in_memory, Session()).model)
    model = keras.models.load_model(os.path.join(folder, "model.keras"))
    for found, weights in zip(model.get_weights(), expected.get_weights(), strict=True):
        np.testing.assert_array_equal(found, weights)
    assert not glob.glob(os.path.join(os.path.dirname(os.path.dirname(folder)), "checkpoints", "*"))


def test_the_lineage_of_a_posterior_names_its_method_and_what_the_gate_saw(posterior, root):
    model = f"--model={os.path.join(root, 'serving', str(posterior.versions[-1]))}"
    found = json.loads(run(lineage.main, model, "--format=json").out)
    assert found["hyperparameters"]["method"] == "posterior"
    assert set(found["evaluation"]) == set(tiny.HELD_OUT)
    assert found["gate"].startswith("Decided on 2 tasks held out and 4 source tasks left out in turn: ")
