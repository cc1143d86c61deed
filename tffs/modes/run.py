"""--mode=run: everything from rows to a model that serves."""

from tffs.config import Command
from tffs.evaluation.result import TARGET
from tffs.modes.console import Console
from tffs.modes.evaluate import evaluation
from tffs.modes.export import new_version
from tffs.modes.report import report
from tffs.modes.train import owned, trained
from tffs.serving.contract import versions_in
from tffs.serving.exported_model import ExportedModel


def run(command: Command, console: Console) -> None:
    """Prepare, train, evaluate, export, and select on the held-out target with the export."""
    with owned(command) as workdir:
        done = trained(command, console, workdir)
        if done is None:  # another worker goes on
            return
        setting, fitted = done
        result = evaluation(setting, fitted, workdir, console, command.compare)
        if not versions_in(workdir.exports):
            new_version(setting, fitted, result, workdir, command.keep_versions)
        if result["evaluated_on"] == TARGET:
            model = ExportedModel(workdir.exports, lambda sentence: console.say(f"Note: {sentence}"))
            result = {**result, "selected": model.select(setting.support)["feature"].tolist()}
        console.show(report(result, workdir))
