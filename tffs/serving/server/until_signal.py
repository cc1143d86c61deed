"""Run the server until SIGTERM or Ctrl-C asks it to stop."""

import asyncio
import gc
import os
import signal
from collections.abc import Callable

import tensorflow as tf

from tffs.config import ServeConfig
from tffs.serving.server.limits import Limits
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
    server = Server(config, limits, log)
    await server.start()
    asked = asyncio.Event()

    def stop(number: int) -> None:
        if asked.is_set():
            os._exit(128 + number)
        asked.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop, number)
    ready(server)
    await asked.wait()
    log(f"Stopping: requests under way have {limits.grace_seconds:g} seconds.")
    await server.stop()
    log("Stopped.")
