"""An embedded twin of TF Serving for laptops, tests and small teams."""

from tffs.serving.server.limits import Limits
from tffs.serving.server.server import Server

__all__ = ["Limits", "Server"]
