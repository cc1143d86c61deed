"""Run what may never return in a thread of its own, which holds up neither the event loop nor the process."""

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable
from typing import Any


async def in_daemon_thread(function: Callable, *arguments: Any) -> Any:
    """Call a function beside the event loop.

    A process waits for the threads of an executor before it ends, so a file system that hangs would keep it.

    Args:
        function: called in a new thread.
        arguments: for it.

    Returns:
        What it gave.
    """
    answer: concurrent.futures.Future = concurrent.futures.Future()
    answer.set_running_or_notify_cancel()  # from here on only the thread settles it

    def work() -> None:
        try:
            answer.set_result(function(*arguments))
        except BaseException as error:
            answer.set_exception(error)

    threading.Thread(target=work, name="tffs-beside", daemon=True).start()
    return await asyncio.wrap_future(answer)
