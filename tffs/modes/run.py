"""What each mode does, step by step; a mode imports only what it needs."""

import contextlib

import tensorflow as tf

from tffs.config import Command
from tffs.errors import UserError, reason
from tffs.flags import AFTER_TRAINING
from tffs.modes.console import Console
from tffs.workdir import Workdir


def execute(command: Command, console: Console) -> None:
    """Do what the command asks for."""
    try:
        _execute(command, console)
    except (tf.errors.ResourceExhaustedError, MemoryError) as error:
        raise UserError(
            f"There is not enough memory for a run of this size ({reason(error)}): lower --embedding_units, "
            "--decoder_units, --selector_dim, --query_size or --episodes_per_step."
        ) from error


def _execute(command: Command, console: Console) -> None:
    if command.mode == "prepare":
        from tffs.modes.prepare import prepare

        prepare(command, console)
    elif command.mode == "select":
        from tffs.modes.select import select

        select(command, console)
    elif command.mode == "tune":
        from tffs.modes.tune import tune

        tune(command, console)
    elif command.mode == "serve":
        from tffs.modes.serve import serve

        serve(command, console)
    else:
        workdir = Workdir(command.workdir)
        if command.mode in AFTER_TRAINING and workdir.stored_config() is None:
            raise UserError(
                f"--workdir={workdir.path} holds no run: give the folder of a trained run, or train one with "
                "--mode=train."
            )
        writes = command.cluster is None or command.cluster.index == 0
        with workdir.locked() if writes else contextlib.nullcontext():
            _MODES[command.mode](command, console, workdir)


def _run(command: Command, console: Console, workdir: Workdir) -> None:
    """Prepare, train, evaluate, export, and select on the held-out target with the export."""
    from tffs.modes.evaluate import evaluate
    from tffs.modes.export import export
    from tffs.modes.report import report
    from tffs.modes.train import train
    from tffs.serving.contract import versions_in
    from tffs.serving.exported_model import ExportedModel

    setting = train(command, console)
    if setting is None:
        return
    result = evaluate(command, console, setting)
    if not versions_in(workdir.exports):
        export(command, setting)
    if result["selected"] is not None:
        model = ExportedModel(workdir.exports, lambda sentence: console.say(f"Note: {sentence}"))
        chosen = model.select(setting.support)
        result = {**result, "selected": chosen["feature"].tolist()}
    console.show(report(result, workdir))


def _train(command: Command, console: Console, workdir: Workdir) -> None:
    from tffs.modes.train import train

    if train(command, console) is not None:
        console.show(f"Trained: {workdir.model}")


def _evaluate(command: Command, console: Console, workdir: Workdir) -> None:
    from tffs.modes.evaluate import evaluate
    from tffs.modes.report import report
    from tffs.modes.train import finished_setting

    result = evaluate(command, console, finished_setting(command, console))
    console.show(report(result, workdir))


def _export(command: Command, console: Console, workdir: Workdir) -> None:
    from tffs.modes.export import export
    from tffs.modes.train import finished_setting

    console.show(f"Exported: {export(command, finished_setting(command, console))}")


_MODES = {"run": _run, "train": _train, "evaluate": _evaluate, "export": _export}
