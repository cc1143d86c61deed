"""Write the report of a run."""

from typing import Any

from tffs.methods.fitted import FittedRun
from tffs.planning.setting import Setting
from tffs.report.of_run import write_run_report
from tffs.running.watcher import Watcher
from tffs.serving.described_run import described_run
from tffs.serving.model_in_memory import ModelInMemory
from tffs.workdir import Workdir


def reported(
    setting: Setting,
    fitted: FittedRun,
    result: dict[str, Any],
    workdir: Workdir,
    watcher: Watcher,
    show_rows: bool,
) -> None:
    """Write `report.html`, every time: whether it shows rows is for the person to say.

    Args:
        setting: the run.
        fitted: its model.
        result: what result.json holds.
        workdir: its folder.
        watcher: is told what is being done.
        show_rows: whether rows of a held-out task are shown.
    """
    watcher.share("writing the report", 0.0)
    model = ModelInMemory(*described_run(setting, fitted, result), note=lambda sentence: None)
    write_run_report(workdir, model, show_rows)
    watcher.share("writing the report", 1.0)
