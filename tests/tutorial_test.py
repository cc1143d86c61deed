"""docs/tutorial.ipynb runs from the first cell to the last, and shows what it shows."""

import pathlib

import nbformat
import pytest
from nbclient import NotebookClient

TUTORIAL = pathlib.Path(__file__).parents[1] / "docs" / "tutorial.ipynb"


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    notebook = nbformat.read(TUTORIAL, as_version=4)
    NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(tmp_path_factory.mktemp("tutorial"))}}
    ).execute()
    return notebook


def outputs(notebook):
    """Give what the cells print and show as text; pictures by their kind."""
    found = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            found.append("picture" if "image/png" in data else data.get("text/plain", output.get("text", "")))
    return found


def test_it_runs_and_makes_no_noise(executed):
    streams = [one for cell in executed.cells for one in cell.get("outputs", []) if one.get("name") == "stderr"]
    assert streams == []
    assert outputs(executed).count("picture") == 2


def test_it_holds_what_it_shows(executed):
    assert outputs(nbformat.read(TUTORIAL, as_version=4)) == outputs(executed)
