"""Ask a model server for features: TensorFlow Serving or `--mode=serve`, over REST or gRPC."""

from tffs.serving.client.client import Client
from tffs.serving.client.errors import ServerUnavailable

__all__ = ["Client", "ServerUnavailable"]
