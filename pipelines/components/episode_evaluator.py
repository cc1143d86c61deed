"""EpisodeEvaluator: measure a model on tasks that it did not learn from, and bless it or not.

TFX's Evaluator counts predictions an example. Here an answer belongs to a task: features are chosen from a
support set and measured on other rows, so the unit is an episode and a slice is a task.
"""

import json
import os
from typing import Any

import tfx.v1 as tfx
from tfx.types import artifact_utils
from tfx.types.standard_artifacts import (
    Examples,
    InfraBlessing,
    Model,
    ModelBlessing,
    ModelEvaluation,
    TransformGraph,
)

from pipelines.blessing import Evidence, Standing, objections
from pipelines.columns import HELD_OUT
from pipelines.configs import Bars
from pipelines.episodes import HeldOut, read_raw
from pipelines.evaluation_report import reasons, report
from pipelines.left_out import LeftOut
from pipelines.models import version_folder
from pipelines.task_picture import draw
from pipelines.transformed import learned
from tffs.finite import finite
from tffs.serving.exported_model import ExportedModel

METRICS, PAGE, PICTURE = "metrics.json", "report.md", "tasks.png"


@tfx.dsl.components.component
def EpisodeEvaluator(  # noqa: N802
    examples: tfx.dsl.components.InputArtifact[Examples],
    transform_graph: tfx.dsl.components.InputArtifact[TransformGraph],
    model: tfx.dsl.components.InputArtifact[Model],
    export_check: tfx.dsl.components.InputArtifact[InfraBlessing],
    evaluation: tfx.dsl.components.OutputArtifact[ModelEvaluation],
    blessing: tfx.dsl.components.OutputArtifact[ModelBlessing],
    scaling: tfx.dsl.components.Parameter[str],
    bars: tfx.dsl.components.Parameter[str],
    draws: tfx.dsl.components.Parameter[int],
    seed: tfx.dsl.components.Parameter[int],
    code: tfx.dsl.components.Parameter[str],
    last_blessed: tfx.dsl.components.InputArtifact[Model] = None,
) -> None:
    """Evaluate and bless.

    Args:
        examples: raw, with the split of the held-out tasks.
        transform_graph: whose scaling gives the units of the errors.
        model: to be blessed.
        export_check: the verdict of ExportCheck: what no server can load is never blessed, or later models
            would have to be better than one that never served.
        evaluation: `metrics.json`, `report.md` and `tasks.png`.
        blessing: as TFX's Evaluator writes it, for Pusher and for the next run.
        scaling: what `transform_graph` scales by.
        bars: as JSON, what the model must reach.
        draws: support sets of each task.
        seed: of the draws.
        code: a digest of the code: other code evaluates again.
        last_blessed: the model to be no worse than.
    """
    candidate = last = None
    why: list[str] = []
    if export_check.get_int_custom_property("blessed"):
        names, statistics = learned(transform_graph.uri)
        files = [os.path.join(uri, "*") for uri in artifact_utils.get_split_uris([examples], HELD_OUT)]
        made = _opened(model)
        before = None if last_blessed is None else _opened(last_blessed)
        size = max(found.description.support_size for found in (made, before) if found is not None)
        held_out = HeldOut(read_raw(files, names), statistics, scaling, draws, seed, size)
        candidate = Evidence(held_out.figures(made), LeftOut.read(model.uri))
        if before is not None:
            last = Evidence(held_out.figures(before), LeftOut.read(last_blessed.uri))
        required = Bars(**json.loads(bars))
        against = objections(candidate, last, required)
        why = reasons(candidate, last, required)
    else:
        against = [export_check.get_string_custom_property("reason").rstrip(".")]
    os.makedirs(evaluation.uri, exist_ok=True)
    found = {"blessed": not against, "objections": against, "reasons": why, **_figures(candidate, last)}
    with open(os.path.join(evaluation.uri, METRICS), "w", encoding="utf-8") as file:
        json.dump(finite(found), file, indent=1, allow_nan=False)
    with open(os.path.join(evaluation.uri, PAGE), "w", encoding="utf-8") as file:
        file.write(report(candidate, last, why, against))
    draw(os.path.join(evaluation.uri, PICTURE), candidate, last)
    _bless(blessing, model, last_blessed, not against)


def _figures(candidate: Evidence | None, last: Evidence | None) -> dict[str, Any]:
    """Give all figures, for programs: by task, what decides, and the comparisons."""
    if candidate is None:
        return {"tasks": {}, "left_out": None, "decided_on": None, "last_blessed": None, "compared": []}
    compared = [] if last is None else candidate.compared(last)
    return {
        **_of(candidate),
        "decided_on": Standing.on(candidate.deciding)._asdict(),
        "last_blessed": None if last is None else _of(last),
        "compared": [
            {"where": one.where, "now": one.now._asdict(), "before": one.before._asdict()} for one in compared
        ],
    }


def _of(evidence: Evidence) -> dict[str, Any]:
    left_out = evidence.left_out
    return {"tasks": evidence.held_out, "left_out": None if left_out is None else left_out.tasks}


def _opened(model: Model) -> ExportedModel:
    """Load a model; a note for each of the many supports that are drawn would help nobody."""
    return ExportedModel(version_folder(model), note=lambda sentence: None)


def _bless(blessing: ModelBlessing, model: Model, last_blessed: Model | None, blessed: bool) -> None:
    """Write a verdict where Pusher and the strategy of the latest blessed model look for it."""
    blessing.set_int_custom_property("blessed", int(blessed))
    blessing.set_string_custom_property("current_model", model.uri)
    blessing.set_int_custom_property("current_model_id", model.id)
    if last_blessed is not None:
        blessing.set_string_custom_property("baseline_model", last_blessed.uri)
        blessing.set_int_custom_property("baseline_model_id", last_blessed.id)
    os.makedirs(blessing.uri, exist_ok=True)
    with open(os.path.join(blessing.uri, "BLESSED" if blessed else "NOT_BLESSED"), "w", encoding="utf-8"):
        pass
