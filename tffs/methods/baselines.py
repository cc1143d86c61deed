"""Find a baseline by its name in the catalogue."""

import importlib
from collections.abc import Callable
from typing import Any


def baseline(name: str) -> Callable[..., Any]:
    """Give the function that `<module>.<function>` names in `tffs.baselines`."""
    module, function = name.split(".")
    return getattr(importlib.import_module(f"tffs.baselines.{module}"), function)
