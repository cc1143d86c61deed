"""The model card: what a person should know of a model before trusting it."""

from collections.abc import Mapping
from typing import Any

from tffs.errors import listed
from tffs.evaluation.figures import METRICS
from tffs.methods.catalogue import YARDSTICKS_OF_CLASSIFIERS
from tffs.serving.description import Description


def model_card(description: Description) -> str:
    """Write MODEL_CARD.md of a version."""
    training = description.training
    does = (
        "reconstructs the features that were not measured"
        if description.classes is None
        else f"predicts which of {len(description.classes)} classes a row belongs to"
    )
    lines = [
        f"# Feature selector, version {description.version}",
        "",
        f"From {_sizes(description)} rows of a new task it chooses {description.num_selected} of "
        f"{description.num_features} features in one forward pass, without retraining, and then {does} from "
        "the values of the chosen ones. Method: Kumagai, Iwata and Fujiwara, *Few-shot Learning for "
        "Unsupervised Feature Selection* (2021). Written by tffs when it exported the model; "
        "`assets/description.json` has the same facts for programs.",
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
        f"- It takes exactly {_sizes(description)} support rows a task: the sum over the rows ties a model to "
        "the sizes it was trained for.",
        "- It was made for tasks like its source tasks. Values outside the source ranges are computed with, "
        "not refused; `assets/description.json` has the ranges.",
        "- Two selectors may choose the same feature; `distinct` says how many different ones there are."
        if _argmax(training)
        else "- Every selector has a feature of its own; of one that it took in the place of a duplicate, the "
        "decoder saw little in training.",
        "- A score is the probability that a selector gives its feature, not how much the feature matters.",
        "",
        "## Biased source tasks",
        "",
        "The model repeats what its source tasks have in common. Source tasks that leave out or misrepresent a "
        "group of people, machines or places lead to features chosen badly for that group, and nothing in the "
        "model tells; the paper names this as the method's possible harm. Look at who is in the source tasks "
        "before using the model for someone who is not.",
    ]
    return "\n".join(lines) + "\n"


def _sizes(description: Description) -> str:
    return " or ".join(map(str, description.support_sizes))


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
        f"- Validation: {training['validation_task'] or 'rows of the source tasks'}. Held out as the target: "
        f"{training['target_task'] or 'none'}.",
        *lines,
        f"- Training: {training['steps']} steps with seed {training['seed']}; step {training['best_step']} "
        "was best.",
        f"- Software: {', '.join(f'{name} {version}' for name, version in training['software'].items())}.",
    ]


def _figures(training: Mapping[str, Any] | None) -> list[str]:
    if training is None or training["figures"] is None:
        return ["None were measured before the export (`--mode=evaluate` measures them)."]
    figures = training["figures"]
    k = training["num_selected"]
    yardsticks = figures["yardsticks"].items()
    rows = {
        "this model": figures,
        **{YARDSTICKS_OF_CLASSIFIERS[name].title.format(k=k): row for name, row in yardsticks},
    }
    metrics = [metric for name, metric in METRICS.items() if figures.get(name) is not None and metric.in_table]
    lines = [
        f"On {figures['evaluated_on']}, {figures['distinct']:.4g} distinct features of "
        f"{k}; MSRE is in scaled units, lower is better; yardsticks have a decoder of "
        "their own, trained in the same way. One target is an anecdote: hold out others before relying on it.",
        "",
        "| " + " | ".join(["choice", *(metric.title for metric in metrics)]) + " |",
        "|---" * (len(metrics) + 1) + "|",
    ]
    for name, row in rows.items():
        cells = [metric.shown(row.get(metric.name)) for metric in metrics]
        lines.append(f"| {' | '.join([name, *cells])} |")
    return lines
