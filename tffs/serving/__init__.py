"""The exported SavedModel: writing it, and using it for selection.

The names below are imported when first used, so that a client over HTTP does not wait for TensorFlow.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tffs.serving.client import Client, ServerUnavailable

__all__ = ["Client", "ServerUnavailable"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'tffs.serving' has no attribute {name!r}")
    from tffs.serving import client

    return getattr(client, name)
