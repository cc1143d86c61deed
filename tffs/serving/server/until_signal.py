"""Run the server until SIGTERM or Ctrl-C asks it to stop."""

import asyncio
import gc
import os
import signal
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tffs.config import ServeConfig
from tffs.errors import reason
from tffs.serving.server.limits import Limits
from tffs.serving.server.seldom_log import SeldomLog
from tffs.serving.server.server import Server


async def serve_until_signal(
    config: ServeConfig, limits: Limits, log: Callable[[str], None], ready: Callable[[Server], None]
) -> None:
    """Serve; the first signal lets requests under way finish, the second ends the process at once.

    Args:
        config: the model and the addresses.
        limits: what clients may ask for at most.
        log: takes one line.
        ready: called when the server answers.
    """
    # TensorFlow calls the session loader old, on every start; it is the one that TF Serving uses.
    tf.get_logger().setLevel("ERROR")
    # What the imports made lives as long as the process: collecting the garbage of an old version need not
    # look at it, which would hold up requests for a quarter of a second.
    gc.freeze()
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(_reports(log))
    server = Server(config, limits, log)
    await server.start()
    asked = asyncio.Event()

    def stop(number: int) -> None:
        if asked.is_set():
            os._exit(128 + number)
        asked.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop, number)
    ready(server)
    await asked.wait()
    log(f"Stopping: requests under way have {limits.grace_seconds:g} seconds.")
    await server.stop()
    log("Stopped.")


def _reports(log: Callable[[str], None]) -> Callable[[asyncio.AbstractEventLoop, dict[str, Any]], None]:
    """Log what the event loop reports, such as that no more files can be opened, without a flood of lines."""
    seldom = SeldomLog(log)

    def report(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        why = f" ({type(error).__name__}: {reason(error)})" if isinstance(error, Exception) else ""
        seldom.say(context["message"], f"The server goes on after an error: {context['message']}{why}.")

    return report
