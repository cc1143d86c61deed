"""Everything from rows to a model that serves."""

from typing import Any

from tffs.config import Command
from tffs.evaluation.result import TARGET
from tffs.running.evaluating import evaluation
from tffs.running.exporting import new_version
from tffs.running.reporting import reported
from tffs.running.training import owned, trained
from tffs.running.watcher import Watcher
from tffs.serving.contract import versions_in
from tffs.serving.exported_model import ExportedModel


def whole_run(command: Command, watcher: Watcher) -> dict[str, Any] | None:
    """Prepare, train, evaluate, export, and select on the held-out target with the export.

    What was done before is not done again.

    Returns:
        What result.json holds, with the export's choice for a held-out target; None on a worker that is not the
        chief, who alone goes on after training.
    """
    with owned(command) as workdir:
        done = trained(command, watcher, workdir)
        if done is None:
            return None
        setting, fitted = done
        result = evaluation(setting, fitted, workdir, watcher, command.compare)
        if not versions_in(workdir.exports):
            new_version(setting, fitted, result, workdir, watcher, command.keep_versions)
        reported(setting, fitted, result, workdir, watcher, command.report_rows)
        if result["evaluated_on"] == TARGET:
            watcher.share("asking the exported model", 0.0)
            model = ExportedModel(workdir.exports, lambda sentence: watcher.say(f"Note: {sentence}"))
            result = {**result, "selected": model.select(setting.support)["feature"].tolist()}
        return result
