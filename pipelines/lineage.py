"""Say what made a pushed model: python -m pipelines.lineage --model=runs/pipeline/serving/<version>."""

import dataclasses
import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pipelines.configs import ROOT
from pipelines.environment import require_tfx
from pipelines.flags import help_lines, only
from tffs.errors import UserError, listed
from tffs.options import Section, one_of, option
from tffs.startup import start_tensorflow

if TYPE_CHECKING:  # it imports ML Metadata, which may not be there
    from pipelines.metadata_store import Store

PROGRAM = "pipelines.lineage"


@dataclasses.dataclass(frozen=True)
class Question(Section):
    """Which model, and how to answer."""

    model: str | None = option(None, "a version folder that a pipeline has pushed", path=True)
    root: str | None = option(
        None, "of that pipeline; the folder above --model's, if not given", name="pipeline_root", path=True
    )
    format: str = option("text", "'text' for people or 'json' for programs", one_of("text", "json"))


def main(argv: Sequence[str]) -> int:
    """Print the lineage of one model.

    Args:
        argv: the program's name and its arguments.

    Returns:
        The exit code: 0 if it is known, 1 for a mistake.
    """
    try:
        if len(argv) < 2 or {"--help", "-h"} & set(argv[1:]):
            print("\n".join([__doc__, *help_lines(Question)]))
            return 0 if len(argv) > 1 else 1
        asked = only(argv, Question)
        if asked.model is None:
            raise UserError("--model must be a version folder that a pipeline has pushed; see --help.")
        if os.path.isdir(asked.model) and not os.path.isfile(os.path.join(asked.model, "saved_model.pb")):
            raise UserError(f"--model={asked.model} must be one version that was pushed, with saved_model.pb.")
        require_tfx()
        start_tensorflow()
        found = lineage(asked.model, asked.root or _root_of(asked.model))
        print(json.dumps(found, indent=1) if asked.format == "json" else text(found))
    except UserError as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 1
    return 0


def lineage(model: str, root: str) -> dict[str, Any]:
    """Trace a pushed model back.

    Args:
        model: its version folder.
        root: the pipeline's folder.

    Returns:
        `model`, `data`, `schema`, `transform`, `code`, `hyperparameters`, `evaluation`, `gate` and `trained`.
    """
    from pipelines.metadata_store import Store, readable

    database = os.path.join(root, "metadata.db")
    with readable(database):
        return _traced(Store(database), model, root)


def _traced(store: "Store", model: str, root: str) -> dict[str, Any]:
    from pipelines.evaluation_report import in_words
    from pipelines.metadata_store import properties

    pushed = [found for found in store.artifacts("PushedModel") if properties(found).get("pushed")]
    same = [
        found
        for found in pushed
        if os.path.realpath(properties(found)["pushed_destination"]) == os.path.realpath(model)
    ]
    if not same:
        known = [str(properties(found)["pushed_destination"]) for found in pushed]
        raise UserError(
            f"{model} was not pushed by the pipeline in {root}"
            + (f"; it pushed {listed(known)}." if known else ", which has pushed none.")
        )
    pusher = store.inputs(store.producer(same[-1]))
    trainer = store.producer(pusher["model"])
    evaluator = store.producer(pusher["model_blessing"])
    went_in = store.inputs(trainer)
    transformer = store.producer(went_in["transform_graph"])
    transform = store.inputs(transformer)
    given = json.loads(properties(trainer)["custom_config"])
    run = store.outputs(trainer)["model_run"].uri
    about = properties(transform["examples"])
    evaluation = _read(store.outputs(evaluator)["evaluation"].uri, "metrics.json")
    return {
        "model": {"pushed": model, "artifact": pusher["model"].uri},
        "data": {
            "dataset": given["run"]["dataset"],
            "input": properties(store.producer(transform["examples"])).get("input_base"),
            "span": about.get("span"),
            "fingerprint": " ".join(str(about.get("input_fingerprint")).split()),
            "examples": transform["examples"].uri,
        },
        "schema": os.path.join(transform["schema"].uri, "schema.pbtxt"),
        "transform": went_in["transform_graph"].uri,
        "code": {
            **(_read_if_there(run, "code.json") or {"digest": given["code"]}),
            **_modules(Transform=properties(transformer), Trainer=properties(trainer)),
        },
        # Those of the flags, where a trainer module of the user wrote none.
        "hyperparameters": _read_if_there(run, "config.json") or given["run"],
        "evaluation": {task: in_words(found) for task, found in evaluation["tasks"].items()},
        "gate": " ".join(evaluation.get("reasons", [])),  # evaluations before 0.10.0 have none
        "trained": {"execution": trainer.id, "run": run},
    }


def text(found: dict[str, Any]) -> str:
    """Write a lineage for people."""
    lines = []
    for part, facts in found.items():
        if isinstance(facts, dict):
            lines += [f"{part}:", *(f"  {name}: {_shown(value)}" for name, value in facts.items())]
        else:
            lines.append(f"{part}: {facts}")
    return "\n".join(lines)


def _modules(**components: dict[str, Any]) -> dict[str, str]:
    """Name the modules of a user that components ran, as TFX keeps them: packed, by their content."""
    paths = {f"module of {name}": found.get("module_path") for name, found in components.items()}
    return {name: path for name, path in paths.items() if path}


def _read_if_there(folder: str, name: str) -> Any:
    return _read(folder, name) if os.path.exists(os.path.join(folder, name)) else None


def _read(folder: str, name: str) -> Any:
    try:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        raise UserError(
            f"{os.path.join(folder, name)} cannot be read ({type(error).__name__}), so the lineage is "
            "not known."
        ) from error


def _shown(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _root_of(model: str) -> str:
    above = os.path.dirname(os.path.dirname(model))
    return above if os.path.exists(os.path.join(above, "metadata.db")) else os.path.abspath(ROOT)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
