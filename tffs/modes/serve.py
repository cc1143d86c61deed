"""--mode=serve: answer for an exported model over REST and gRPC."""

import asyncio
import os
import shlex
import signal
from typing import TYPE_CHECKING

from tffs.config import Command, ServeConfig
from tffs.errors import UserError
from tffs.modes.console import Console
from tffs.serving.contract import GOLDEN_REQUEST

if TYPE_CHECKING:
    from tffs.serving.server import Server

ANY_ADDRESS = ("0.0.0.0", "::")


def serve(command: Command, console: Console) -> None:
    """Serve the newest version in --model_base_path until SIGTERM or Ctrl-C."""
    try:
        import aiohttp  # noqa: F401
        import grpc_health  # noqa: F401
    except ImportError as error:
        raise UserError(
            f"--mode=serve needs the package '{error.name}', which is not installed: pip install '.[serving]'."
        ) from error

    def ready(server: "Server") -> None:
        console.show(_greeting(server, command.serve))

    try:
        from tffs.serving.server.limits import Limits
        from tffs.serving.server.until_signal import serve_until_signal

        asyncio.run(serve_until_signal(command.serve, Limits(), console.say, ready))
    except KeyboardInterrupt:  # from when it answers on, the server handles signals itself
        console.say("Stopped before serving.")
        raise SystemExit(128 + (console.signals.received or signal.SIGINT)) from None


def _greeting(server: "Server", config: ServeConfig) -> str:
    """Say where the server answers, with a command to try it."""
    name, address = config.model_name, config.bind_address
    host = f"[{address}]" if ":" in address else address
    near = "localhost" if address in ANY_ADDRESS else host
    root = f"http://{near}:{server.rest_port}/"
    url = f"{root}v1/models/{name}"
    golden = os.path.join(server.version_path, GOLDEN_REQUEST)
    attempt = f"curl -d @{shlex.quote(golden)} {url}:predict" if os.path.exists(golden) else f"curl {url}"
    page = f"\nIn a browser: {root}" if config.page == "on" else ""
    return (
        f"Serving {name}, version {server.version}: REST at {host}:{server.rest_port}, gRPC at "
        f"{host}:{server.grpc_port}.\nTry it: {attempt}{page}"
    )
