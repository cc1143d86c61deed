"""--mode=select: choose features for a new task with an exported model, from the disk or at a server."""

import json
from typing import Any

import pandas as pd

from tffs.config import Command
from tffs.data.costs_file import read_costs
from tffs.estimator.choice import AUTO, Choice, Limits, choose
from tffs.evaluation.curve import LITTLE
from tffs.modes.asking import model_name, on_the_task, opened, support_rows
from tffs.modes.console import Console
from tffs.modes.text_table import aligned
from tffs.printable import percent
from tffs.whole_file import check_folder_of


def select(command: Command, console: Console) -> None:
    """Print the features that the model chooses."""
    asked = command.question
    costs = read_costs(asked.costs) if asked.costs else None
    if asked.report is not None:
        check_folder_of(asked.report)
    with opened(command, console) as model:
        description = model.describe()
        rows = support_rows(command, description, console)
        limits = Limits(asked.include, asked.exclude, costs, asked.budget)
        if isinstance(asked.num_selected, str):  # auto
            choice = choose(model, rows, AUTO, limits)
            console.say(_how_many(choice))
            chosen = choice.ranked.head(choice.number)
        else:
            chosen = model.select(rows, num_selected=asked.num_selected, **limits.arguments())
        if asked.report is not None:
            from tffs.modes.task_report import task_report  # imports TensorFlow, which a client does without

            task_report(asked, model, chosen, rows, limits, command.report_rows)
            console.say(f"The report is in {asked.report}.")
    if asked.format == "json":
        console.show(json.dumps(selection_json(chosen, model_name(command), rows), ensure_ascii=False))
    elif "expected_error" in chosen:
        console.show("\n".join([ranking_table(chosen), *on_the_task(chosen)]))
    else:
        console.show(selection_table(chosen))


def _how_many(choice: Choice) -> str:
    """Say why so many features were chosen."""
    if choice.number == len(choice.ranked):
        return f"Note: all {choice.number} features that may be chosen are worth measuring."
    return (
        f"Note: {choice.number} features are chosen. Measuring all {len(choice.ranked)} that may be chosen "
        f"would gain little more: at most {100 * LITTLE:.0f} % of what they gain together."
    )


def selection_json(chosen: pd.DataFrame, model: str | None, rows: pd.DataFrame | None) -> dict[str, Any]:
    """Give the answer as a JSON object; what the model does not tell is null."""
    lines = chosen.rename(columns={"feature": "name"})
    if "expected_error" not in chosen:
        lines["expected_error"] = None
    columns = ["index", "name", "score", "expected_error", *(["cost"] if "cost" in chosen else [])]
    return {
        "model": model,
        "version": chosen.attrs["version"],
        "method": chosen.attrs["method"],
        "rows": 0 if rows is None else len(rows),
        "novelty": chosen.attrs.get("novelty"),
        "expected_error_of_none": chosen.attrs.get("expected_error_of_none"),
        "selected": lines[columns].to_dict("records"),
        "distinct": chosen["index"].nunique(),
    }


def ranking_table(chosen: pd.DataFrame) -> str:
    """Write features in order, with the error that is expected to be left after each."""
    lines = [["k", "feature", "index", "expected error", "score"]]
    lines.append(["0", "", "", percent(chosen.attrs["expected_error_of_none"]), ""])
    for number, line in enumerate(chosen.to_dict("records"), start=1):
        left, fall = percent(line["expected_error"]), percent(line["score"])
        lines.append([str(number), line["feature"], str(line["index"]), left, fall])
    if "cost" in chosen:
        for cells, cost in zip(lines, ["cost", "", *(f"{cost:g}" for cost in chosen["cost"])], strict=True):
            cells.append(cost)
    total = [f"The cost of all is {chosen['cost'].sum():g}."] if "cost" in chosen else []
    return "\n".join([*aligned(lines, left=(1,)), *total])


def selection_table(chosen: pd.DataFrame) -> str:
    """Write the features that the paper's network chose, one a selector."""
    width = max(len("feature"), *map(len, chosen["feature"]))
    lines = [f"{'selector':>8}  {'feature':<{width}}  {'index':>6}  {'score':>6}"]
    seen: dict[int, int] = {}
    for number, name, index, score in chosen[["feature", "index", "score"]].itertuples():
        again = f"  same as {seen[index]}" if index in seen else ""
        seen.setdefault(index, number)
        lines.append(f"{number:>8}  {name:<{width}}  {index:>6}  {score:>6.3f}{again}")
    lines.append(f"{len(seen)} distinct of {len(chosen)}")
    return "\n".join(lines)
