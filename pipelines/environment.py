"""Whether TFX is here."""

import importlib.util

from tffs.errors import UserError


def require_tfx() -> None:
    """Say what to do where TFX is not installed."""
    if any(importlib.util.find_spec(name) is None for name in ("tfx", "ml_metadata")):
        raise UserError(
            "TFX is not installed here: use .venv-tfx/bin/python, which make pipeline-demo makes, or install "
            "it with pip install '.[tfx]'."
        )
