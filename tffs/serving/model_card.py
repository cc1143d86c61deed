"""The model card: what a person should know of a model before trusting it."""

from collections.abc import Mapping
from typing import Any

from tffs.errors import listed
from tffs.evaluation.figures import METRICS
from tffs.methods.catalogue import CONCRETE, shown_as
from tffs.serving.description import Description

OUTSIDE = (
    "- It was made for tasks like its source tasks. Values outside the source ranges are computed with, "
    "not refused; "
    "`assets/description.json` has the ranges."
)


def model_card(description: Description) -> str:
    """Write MODEL_CARD.md of a version."""
    training = description.training
    lines = [
        f"# Feature selector, version {description.version}",
        "",
        f"{_ranks(description) if description.ranks else _chooses(description)} Written by tffs when it "
        "exported the "
        "model; `assets/description.json` has the same facts for programs.",
        "",
        "## Data",
        "",
        *_data(description, training),
        "",
        "## Figures",
        "",
        *_figures(training),
        "",
        "## Limits",
        "",
        *(_limits_of_ranking(description) if description.ranks else _limits(description)),
        "",
        "## Biased source tasks",
        "",
        "The model repeats what its source tasks have in common. Source tasks that leave out or misrepresent a "
        "group of people, machines or places lead to features chosen badly for that group, and nothing in the "
        "model tells; the paper names this as the method's possible harm. Look at who is in the source tasks "
        "before using the model for someone who is not.",
    ]
    return "\n".join(lines) + "\n"


def _chooses(description: Description) -> str:
    does = (
        "reconstructs the features that were not measured"
        if description.classes is None
        else f"predicts which of {len(description.classes)} classes a row belongs to"
    )
    return (
        f"From {description.sizes_text} rows of a new task it chooses {description.num_selected} of "
        f"{description.num_features} features in one forward pass, without retraining, and then {does} from "
        "the values of the chosen ones. Method: Kumagai, Iwata and Fujiwara, *Few-shot Learning for "
        "Unsupervised Feature Selection* (2021)."
    )


def _ranks(description: Description) -> str:
    return (
        f"From any number of rows of a new task, none included, it ranks {description.num_features} features "
        "by how much measuring them lets the expected error of all others fall, and infers all features of "
        "further rows from any that were measured, with intervals. Method: the task posterior. The source "
        "tasks give a prior of a new task's mean and covariance, the support rows update it, and features are "
        f"chosen one after the other. `select` gives the first {description.num_selected}; `rank` answers for "
        "every number."
    )


def _limits(description: Description) -> list[str]:
    return [
        f"- It takes exactly {description.sizes_text} support rows a task: the sum over the rows ties a model "
        "to the sizes it was trained for.",
        OUTSIDE,
        "- Two selectors may choose the same feature; `distinct` says how many different ones there are."
        if _argmax(description.training)
        else "- Every selector has a feature of its own; of one that it took in the place of a duplicate, the "
        "decoder saw little in training.",
        "- A score is the probability that a selector gives its feature, not how much the feature matters.",
    ]


def _limits_of_ranking(description: Description) -> list[str]:
    return [
        OUTSIDE,
        "- `novelty` says how unlike the source tasks a support is: 0.95 is more unusual than 95 % of the "
        "source tasks when they were left out. It is not known without support rows or with fewer than five "
        "source tasks. Where it is high, expected errors and intervals may not hold.",
        "- Expected errors are shares of the expected error of answering the source rows' mean. They and the "
        "intervals were calibrated on source tasks that were left out: intervals hold on average over features "
        "and tasks, not for every one.",
        "- Features are chosen one after the other. No other set of the same size was tried.",
        "- Measured values come back as they are: errors of measuring are not corrected.",
    ]


def _argmax(training: Mapping[str, Any] | None) -> bool:
    return training is None or training.get("selection") != "unique"


def _data(description: Description, training: Mapping[str, Any] | None) -> list[str]:
    lines = [
        f"- Features: {listed(description.feature_names)}.",
        f"- Scaling, inside the model: {description.scaling}. Missing values: "
        + ("filled in with the source tasks' medians." if description.missing == "median" else "refused."),
    ]
    if description.classes is not None:
        lines.append(f"- Classes: {listed(description.classes)}.")
    if training is None:
        return [*lines, "- What it was trained on was not said when it was exported."]
    return [
        f"- Dataset: {training['dataset']}.",
        f"- Source tasks ({len(training['source_tasks'])}): {listed(training['source_tasks'], 20)}.",
        f"- Validation: {_validation(training)}. Held out as the target: {training['target_task'] or 'none'}.",
        *lines,
        *_trained(training),
        f"- Software: {', '.join(f'{name} {version}' for name, version in training['software'].items())}.",
    ]


def _validation(training: Mapping[str, Any]) -> str:
    if training["validation_task"]:
        return training["validation_task"]
    return "source tasks that were left out in turn" if training.get("chosen") else "rows of the source tasks"


def _trained(training: Mapping[str, Any]) -> list[str]:
    if training["steps"] is None or training.get("chosen"):
        lines = [f"- Method: {training['method']}, with seed {training['seed']}."]
    else:
        steps, best, seed = (training[name] for name in ("steps", "best_step", "seed"))
        lines = [f"- Training: {steps} steps with seed {seed}; step {best} was best."]
    return lines + _chosen(training.get("chosen") or {})


def _chosen(chosen: Mapping[str, Any]) -> list[str]:
    if "recipe" not in chosen:
        return []
    values = ", ".join(f"{name} {_shown(value)}" for name, value in chosen["recipe"].items())
    if not chosen["left_out"]:
        lines = [f"- Not chosen, because too few source tasks were there to leave any out: {values}."]
    else:
        lines = [
            f"- Chosen of {len(chosen['tried'])} candidates by their errors on {chosen['left_out']} source "
            f"tasks that were left out in turn, without labels: {values}."
        ]
    residual = chosen.get("residual") or {}
    if residual.get("kept"):
        lines.append(
            f"- A residual network of {residual['best_step']} steps corrects it: it lowered the error "
            f"on left-out tasks from {residual['error_without']:.4g} to {residual['error_with']:.4g}."
        )
    elif residual:
        lines.append(f"- No residual network corrects it: {residual['why']}.")
    return lines


def _shown(value: Any) -> str:
    return "infinite" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def _figures(training: Mapping[str, Any] | None) -> list[str]:
    if training is None or training["figures"] is None:
        return ["None were measured before the export (`--mode=evaluate` measures them)."]
    figures = training["figures"]
    k = training["num_selected"]
    yardsticks = figures["yardsticks"].items()
    rows = {
        "this model": figures,
        **{shown_as(name, k): row for name, row in yardsticks},
    }
    metrics = [metric for name, metric in METRICS.items() if figures.get(name) is not None and metric.in_table]
    lines = [
        f"On {figures['evaluated_on']}, {figures['distinct']:.4g} distinct features of "
        f"{k}; MSRE is in scaled units, lower is better"
        + (
            "; yardsticks have a decoder of their own, trained in the same way."
            if training["method"] == CONCRETE
            else "."
        )
        + (
            " One target is an anecdote: hold out others before relying on it."
            if training["target_task"]
            else ""
        ),
        "",
        "| " + " | ".join(["choice", *(metric.title for metric in metrics)]) + " |",
        "|---" * (len(metrics) + 1) + "|",
    ]
    for name, row in rows.items():
        cells = [metric.shown(row.get(metric.name)) for metric in metrics]
        lines.append(f"| {' | '.join([name, *cells])} |")
    return lines
