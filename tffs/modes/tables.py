"""--mode=tables: turn the lines of the experiment grid into RESULTS.md and its figures."""

import os

from tffs.config import Command
from tffs.errors import UserError
from tffs.modes.console import Console
from tffs.tables.figures import draw_figures
from tffs.tables.page import results_page
from tffs.tables.results_files import load, load_pictures, load_runs
from tffs.whole_file import replacing

FIGURES, FINDINGS = "figures", "FINDINGS.md"


def tables(command: Command, console: Console) -> None:
    """Read --results_dir, and write the page and the figures."""
    folder, page = command.experiment.results_dir, command.experiment.results_page
    results, runs, pictures = load(folder), load_runs(folder), load_pictures(folder)
    try:
        drawings = draw_figures(results, pictures, os.path.join(folder, FIGURES))
        text = results_page(results, runs, drawings, os.path.dirname(os.path.abspath(page)), _findings(folder))
        with replacing(page) as part, open(part, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UserError(
            f"{error.filename or page} could not be read or written ({error.strerror or error}): mend that and "
            "repeat the command."
        ) from error
    written = [page, *(drawing.path for drawing in drawings.values() if drawing is not None)]
    lines = [f"Written from {len(results):,} lines of {folder}:", *(f"  {path}" for path in written)]
    console.show("\n".join(lines))


def _findings(folder: str) -> str | None:
    """Read what a person wrote about what was tried, if anything."""
    path = os.path.join(folder, FINDINGS)
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()
