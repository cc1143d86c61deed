"""Put the sections together into one HTML file that needs nothing else."""

import base64
import datetime
import warnings
from typing import Any

import tffs
from tffs.canvas import FAINT, canvas
from tffs.report.answer import answer
from tffs.report.features import features
from tffs.report.how_many import how_many
from tffs.report.new_task import new_task
from tffs.report.picture import as_svg
from tffs.report.pixels import pixels
from tffs.report.stability import stability
from tffs.report.subject import Subject
from tffs.report.tasks import tasks
from tffs.report.wording import share
from tffs.web import asset, csp_hash, page_environment


def write_page(path: str, subject: Subject) -> None:
    """Write the page of a subject into a file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the model notes of the rows was said when it was first asked
        text = page(subject)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def page(subject: Subject) -> str:
    """Give the page of a subject as HTML."""
    sections: dict[str, Any] = {
        "answer": answer(subject),
        "curve": how_many(subject),
        "features": features(subject),
        "tasks": tasks(subject),
        "stability": stability(subject),
        "new_task": new_task(subject),
    }
    script = asset("tffs.report", "report.js")
    styles = asset("tffs.web", "look.css") + asset("tffs.report", "report.css")
    return (
        page_environment("tffs.report")
        .get_template("report.html")
        .render(
            subject=subject,
            **sections,
            at=subject.counts.index(subject.number),
            data=_data(subject, sections),
            training=_training(subject),
            validated=_validated(subject),
            pixels=pixels(subject, sections["features"]),
            pictures=[(one.title, base64.b64encode(one.png).decode("ascii")) for one in subject.pictures],
            script=script,
            script_hash=csp_hash(script),
            styles=styles,
            version=tffs.__version__,
            today=datetime.date.today().isoformat(),
        )
    )


def _data(subject: Subject, sections: dict[str, Any]) -> dict[str, Any]:
    """Give what the script needs to move all figures to another number of features."""
    curve, per_feature, per_task, new = (sections[name] for name in ("curve", "features", "tasks", "new_task"))
    said = {
        "answer": sections["answer"] and sections["answer"].sentences,
        "features": per_feature and per_feature.sentences,
        "tasks": per_task and per_task.sentences,
        "stability": sections["stability"] and sections["stability"].sentences,
        "guesses": sections["new_task"] and sections["new_task"].guesses,
    }
    return {
        "counts": subject.counts,
        "at": subject.counts.index(subject.number),
        "markers": curve.markers if curve else [],
        "said": {name: sentences for name, sentences in said.items() if sentences},
        "features": per_feature.by_count if per_feature else None,
        "tasks": per_task.by_count if per_task else None,
        "new": {"left": new.left, "reach": new.reach} if new and new.left else None,
    }


def _validated(subject: Subject) -> str:
    """Say what was measured where only validation episodes were: for a network without a target."""
    result = subject.result or {}
    if result.get("accuracy") is not None:
        return f"On the validation episodes, {result['accuracy']:.1f} % of the rows got the right class."
    if result.get("relative_error") is not None:
        return f"On the validation episodes, {share(result['relative_error'])} of the error was left."
    return ""


def _training(subject: Subject) -> str:
    """Draw the validated loss over the steps of a training; empty where nothing was trained."""
    steps = subject.making.steps
    if len(steps) < 2:
        return ""
    figure = canvas(8.0, 2.6)
    axes = figure.subplots()
    axes.plot([step for step, _ in steps], [loss for _, loss in steps], color="black", gid="yardstick-0")
    axes.set(xlabel="training steps", ylabel="validated loss")
    axes.set_yscale("log")
    axes.grid(color=FAINT)
    return as_svg(figure, "training")
