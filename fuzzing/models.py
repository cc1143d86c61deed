"""The two small models that requests are put to, exported once into a folder that is kept."""

import hashlib
import os
import pathlib

from fuzzing.broken import ROOT
from tests.serving.exports import export_posterior, export_tiny

_EXPORTS = {"network": export_tiny, "posterior": export_posterior}
_PACKAGES = ("layers", "models", "selection", "serving")


def version_paths(folder: str) -> dict[str, str]:
    """Give the version folders of the models, by name; those that the code at hand has not exported, it does.

    Args:
        folder: where they are kept.
    """
    paths = {}
    for name, export in _EXPORTS.items():
        exports = os.path.join(folder, _digest(), name)
        paths[name] = os.path.join(exports, "1")
        if not os.path.isdir(paths[name]):
            export(exports)
    return paths


def _digest() -> str:
    """Name the code that exports are made by."""
    digest = hashlib.sha256()
    for package in _PACKAGES:
        for path in sorted(pathlib.Path(ROOT, "tffs", package).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
