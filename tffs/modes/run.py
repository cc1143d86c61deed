"""--mode=run: prepare, train, evaluate, export, and select on the held-out target."""

from tffs.config import Command
from tffs.errors import UserError
from tffs.flags import AFTER_TRAINING
from tffs.modes import evaluate, export, prepare, select, train
from tffs.modes.console import Console
from tffs.modes.report import report
from tffs.serving.export import versions_in
from tffs.serving.exported_model import ExportedModel
from tffs.workdir import Workdir


def execute(command: Command, console: Console) -> None:
    """Do what the command asks for."""
    if command.mode == "prepare":
        prepare.prepare(command, console)
    elif command.mode == "select":
        select.select(command, console)
    else:
        workdir = Workdir(command.workdir)
        if command.mode in AFTER_TRAINING and workdir.stored_config() is None:
            raise UserError(
                f"--workdir={workdir.path} holds no run: give the folder of a trained run, or train one with "
                "--mode=train."
            )
        with workdir.locked():
            _MODES[command.mode](command, console, workdir)


def _run(command: Command, console: Console, workdir: Workdir) -> None:
    setting = train.train(command, console)
    result = evaluate.evaluate(command, console, setting)
    if not versions_in(workdir.exports):
        export.export(command, setting)
    if result["selected"] is not None:
        chosen = ExportedModel(workdir.exports).select(setting.tasks.matrix[setting.split.target_support])
        served = [feature.name for feature in chosen]
        if served != result["selected"]:
            raise UserError(
                f"The exported model in {workdir.exports} selects {served}, but the trained one selected "
                f"{result['selected']}: export it again with --mode=export."
            )
    console.show(report(result, workdir))


def _train(command: Command, console: Console, workdir: Workdir) -> None:
    train.train(command, console)
    console.show(f"Trained: {workdir.model}")


def _evaluate(command: Command, console: Console, workdir: Workdir) -> None:
    setting = train.finished_setting(command, console)
    console.show(report(evaluate.evaluate(command, console, setting), workdir))


def _export(command: Command, console: Console, workdir: Workdir) -> None:
    setting = train.finished_setting(command, console)
    console.show(f"Exported: {export.export(command, setting)}")


_MODES = {"run": _run, "train": _train, "evaluate": _evaluate, "export": _export}
