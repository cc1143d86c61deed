"""Run what may never return in a thread of its own, which holds up neither the event loop nor the process."""

import asyncio
import contextlib
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
    loop = asyncio.get_running_loop()
    answer = loop.create_future()

    def work() -> None:
        result, failure = None, None
        try:
            result = function(*arguments)
        except BaseException as error:
            failure = error
        with contextlib.suppress(RuntimeError):  # the event loop has ended
            loop.call_soon_threadsafe(_settle, answer, result, failure)

    threading.Thread(target=work, name="tffs-beside", daemon=True).start()
    return await answer


def _settle(answer: asyncio.Future, result: Any, failure: BaseException | None) -> None:
    if answer.done():  # nobody waits any more
        return
    if failure is None:
        answer.set_result(result)
    else:
        answer.set_exception(failure)
