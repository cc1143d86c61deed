"""The versions of a model: the newest that loads is served, and a swap loses no request."""

import asyncio
import contextlib
import dataclasses
import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from grpc import StatusCode
from tensorflow_serving.apis import get_model_status_pb2

from tffs.errors import UserError, reason
from tffs.serving.contract import versions_in
from tffs.serving.server.daemon_threads import in_daemon_thread
from tffs.serving.server.fingerprint import Fingerprint, fingerprint_of
from tffs.serving.server.limits import Limits
from tffs.serving.server.loaded_version import LoadedVersion
from tffs.serving.server.refusal import Refusal

State = get_model_status_pb2.ModelVersionStatus.State
CLOSE_SECONDS = 3.0  # for a version that is being loaded when the server stops


@dataclasses.dataclass(frozen=True)
class VersionState:
    """What GetModelStatus tells of a version.

    Attributes:
        state: TF Serving's name for it.
        error: a sentence for clients, or nothing.
    """

    state: Any
    error: str = ""


@dataclasses.dataclass(eq=False)
class _Attempt:
    """One try at loading a version.

    Attributes:
        fingerprint: the folder when it began.
        again: when to try again even if the folder is the same; never while it is under way.
        why: it failed; empty while it has not.
    """

    fingerprint: Fingerprint
    again: float = math.inf
    why: str = ""


class Versions:
    """Watches a folder of versions and keeps the newest loadable one in memory (TF Serving's default policy).

    Its methods run in one event loop; what touches the file system happens in threads beside it.

    Args:
        base_path: the folder of numbered versions.
        poll_seconds: how often to look at it.
        limits: of loading, and of the states that are kept.
        log: takes one line.

    Attributes:
        states: what became of each version.
    """

    def __init__(self, base_path: str, poll_seconds: float, limits: Limits, log: Callable[[str], None]) -> None:
        self.states: dict[int, VersionState] = {}
        self._seen: Sequence[int] = ()
        self._base_path = base_path
        self._poll_seconds = poll_seconds
        self._limits = limits
        self._log = log
        self._current: LoadedVersion | None = None
        self._attempts: dict[int, _Attempt] = {}  # that failed or are under way
        self._orphaned = False
        self._loading: set[asyncio.Task] = set()
        self._closing: set[asyncio.Task] = set()
        self._watching: asyncio.Task | None = None

    @property
    def current(self) -> LoadedVersion:
        """The version that answers."""
        assert self._current is not None
        return self._current

    async def start(self) -> None:
        """Load the newest version that loads, and watch for newer ones."""
        if not os.path.isdir(self._base_path):
            raise UserError(
                f"--model_base_path={self._base_path} is not a folder: give the folder that holds the numbered "
                "versions of an exported model, such as a run's export folder."
            )
        await self._look()
        while self._current is None and self._loading:
            await asyncio.wait(self._loading, timeout=self._poll_seconds, return_when=asyncio.FIRST_COMPLETED)
            await self._look()
        if self._current is None:
            raise UserError(
                f"--model_base_path={self._base_path} holds no version that can be loaded: "
                + _advice(self._base_path)
            )
        self._watching = asyncio.create_task(self._watch())

    async def close(self) -> None:
        """Stop watching and give the memory back."""
        if self._watching is not None:
            self._watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._watching
        if self._loading:
            await asyncio.wait(self._loading, timeout=CLOSE_SECONDS)
        for task in self._loading:  # its thread is left behind
            task.cancel()
        await asyncio.gather(*self._loading, return_exceptions=True)
        if self._closing:
            await asyncio.wait(self._closing)
        if self._current is not None:
            await in_daemon_thread(self._current.close)
            self._current = None

    @contextlib.contextmanager
    def held(self, name: str, number: int | None) -> Iterator[LoadedVersion]:
        """Keep a version in memory while a request needs it.

        Args:
            name: of the model, for the refusal.
            number: a version, or None for the newest.
        """
        version = self.current
        if number is not None and number != version.number:
            raise Refusal(StatusCode.NOT_FOUND, f"Servable not found for request: Specific({name}, {number})")
        version.in_use += 1
        try:
            yield version
        finally:
            version.in_use -= 1
            if version is not self._current and version.in_use == 0:
                self._retire(version)

    async def _watch(self) -> None:
        trouble = ""
        while True:
            await asyncio.sleep(self._poll_seconds)
            try:
                await self._look()
                trouble = ""
            except Exception as error:  # watching must go on, whatever a file system does
                why = f"{type(error).__name__}: {reason(error)}"
                if why != trouble:
                    self._log(f"The versions could not be looked at ({why}).")
                trouble = why

    async def _look(self) -> None:
        """Serve the newest version that loads, unless it is the one that serves already."""
        self._seen = numbers = await in_daemon_thread(versions_in, self._base_path)
        self._attempts = {number: entry for number, entry in self._attempts.items() if number in numbers}
        for number in reversed(numbers):
            if self._gives_way(number):
                break
            if await self._load(number):
                break
        else:
            if self._current is not None and not self._orphaned:
                self._log(
                    f"Version {self._current.number} is gone from the folder and no other can be loaded: "
                    "it keeps serving from memory."
                )
            self._orphaned = True
            return
        self._orphaned = False

    def _gives_way(self, number: int) -> bool:
        """Tell whether a version that is at least as new serves, and was in the folder at the last look."""
        serving = self._current
        return serving is not None and number <= serving.number and serving.number in self._seen

    async def _load(self, number: int) -> bool:
        """Load a version and tell whether it serves; one that hangs is left to itself after a while."""
        path = os.path.join(self._base_path, str(number))
        fingerprint = await in_daemon_thread(fingerprint_of, path)
        if self._current is not None and self._current.number == number:  # it was loaded meanwhile
            return True
        before = self._attempts.get(number)
        if before is not None and before.fingerprint == fingerprint and time.monotonic() < before.again:
            return False
        attempt = self._attempts[number] = _Attempt(fingerprint)
        known = before.why if before is not None and before.fingerprint == fingerprint else ""
        task = asyncio.create_task(self._try(number, path, attempt, known))
        self._loading.add(task)
        task.add_done_callback(self._loading.discard)
        await asyncio.wait({task}, timeout=self._limits.load_seconds)
        if task.done():
            return task.result()
        self._log(
            f"Version {number} is still being loaded after {self._limits.load_seconds:g} seconds: the newest "
            "other version serves until it is there."
        )
        return False

    async def _try(self, number: int, path: str, attempt: _Attempt, known: str) -> bool:
        """Load a version and let it serve.

        Args:
            number: the version.
            path: its folder.
            attempt: takes the outcome.
            known: why it failed before, which is not said again.
        """
        self._set(number, State.LOADING)
        try:
            version = await in_daemon_thread(LoadedVersion, path, number)
        except Exception as error:  # a damaged folder can fail anywhere in TensorFlow
            attempt.why = f"{type(error).__name__}: {reason(error)}"
            attempt.again = time.monotonic() + self._limits.retry_seconds
            self._set(number, State.END, "This version could not be loaded.")
            keeps = "" if self._current is None else f"; version {self._current.number} keeps serving"
            if attempt.why != known:
                self._log(f"Version {number} was skipped, it cannot be loaded ({attempt.why}){keeps}.")
            return False
        outdated = self._attempts.get(number) is not attempt
        if not outdated:
            del self._attempts[number]
        if outdated or self._gives_way(number):
            self._retire(version)
            return False
        before, self._current = self._current, version
        self._set(number, State.AVAILABLE)
        if before is not None:  # the first one serves only when the ports answer, too
            self._log(f"Version {number} was loaded and serves now.")
            self._set(before.number, State.UNLOADING)
            if before.in_use == 0:
                self._retire(before)
        return True

    def _retire(self, version: LoadedVersion) -> None:
        task = asyncio.create_task(self._close(version))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _close(self, version: LoadedVersion) -> None:
        await in_daemon_thread(version.close)
        if self._current is None or self._current.number != version.number:
            self._set(version.number, State.END)
        self._log(f"Version {version.number} was unloaded.")

    def _set(self, number: int, state: Any, error: str = "") -> None:
        self.states.pop(number, None)  # the newest entry is the last
        self.states[number] = VersionState(state, error)
        ended = [number for number, entry in self.states.items() if entry.state == State.END]
        for old in ended[: max(len(ended) - self._limits.ended_versions, 0)]:
            del self.states[old]


def _advice(path: str) -> str:
    """Name the folder that was probably meant."""
    if os.path.exists(os.path.join(path, "saved_model.pb")):
        return (
            f"it is a version itself, so give the folder around it, {os.path.dirname(os.path.abspath(path))}."
        )
    exports = os.path.join(path, "export")
    if versions_in(exports):
        return f"the versions are in {exports}, so give that folder."
    return "give the folder of the numbered versions of an exported model, or export one with --mode=export."
