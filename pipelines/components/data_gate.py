"""DataGate: stop the run where its data is not what a model can be trained on; say how tasks differ."""

import json
import os

import tensorflow_data_validation as tfdv
import tfx.v1 as tfx
from tensorflow_metadata.proto.v0 import anomalies_pb2
from tfx.components.statistics_gen import stats_artifact_utils
from tfx.types import artifact_utils
from tfx.types.standard_artifacts import ExampleAnomalies, ExampleStatistics, Model, Schema

from pipelines.artifacts import TaskReport
from pipelines.columns import SOURCE
from pipelines.data_problems import problems
from pipelines.models import description_of
from pipelines.task_report import task_report
from tffs.errors import UserError

REPORT = "tasks.json"
SHOWN = 3


@tfx.dsl.components.component
def DataGate(  # noqa: N802
    statistics: tfx.dsl.components.InputArtifact[ExampleStatistics],
    schema: tfx.dsl.components.InputArtifact[Schema],
    anomalies: tfx.dsl.components.InputArtifact[ExampleAnomalies],
    report: tfx.dsl.components.OutputArtifact[TaskReport],
    held_out: tfx.dsl.components.Parameter[str],
    missing: tfx.dsl.components.Parameter[str],
    code: tfx.dsl.components.Parameter[str],
    last_blessed: tfx.dsl.components.InputArtifact[Model] = None,
) -> None:
    """Fail with one sentence where the data is wrong, else report how the tasks differ.

    Args:
        statistics: of both splits, with a slice a task.
        schema: of the columns.
        anomalies: what ExampleValidator found.
        report: `tasks.json`: how far each task is from the source rows, and in which features most.
        held_out: a JSON list of the tasks that must be there to evaluate on; empty for any.
        missing: what is done about missing values.
        code: a digest of the code: other code looks again.
        last_blessed: the model whose columns and tasks must still be there.
    """
    columns = tfdv.load_schema_text(os.path.join(schema.uri, "schema.pbtxt"))
    names = artifact_utils.decode_split_names(statistics.split_names)
    splits = {name: stats_artifact_utils.load_statistics(statistics, name).proto() for name in names}
    found = problems(
        splits,
        {
            name: _anomalies(anomalies, name)
            for name in artifact_utils.decode_split_names(anomalies.split_names)
        },
        json.loads(held_out),
        missing,
        [feature.name for feature in columns.feature],
        None if last_blessed is None else description_of(last_blessed),
    )
    if found:
        more = f"; and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        raise UserError("; ".join(found[:SHOWN]) + more + ".")
    os.makedirs(report.uri, exist_ok=True)
    with open(os.path.join(report.uri, REPORT), "w", encoding="utf-8") as file:
        json.dump(task_report(splits, SOURCE, columns), file, indent=1)


def _anomalies(artifact: ExampleAnomalies, split: str) -> anomalies_pb2.Anomalies:
    folder = artifact_utils.get_split_uri([artifact], split)
    found = anomalies_pb2.Anomalies()
    with tfx.dsl.io.fileio.open(os.path.join(folder, "SchemaDiff.pb"), "rb") as file:
        found.ParseFromString(file.read())
    return found
