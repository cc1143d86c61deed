"""The versions of a model: the newest that loads is served, and a swap loses no request."""

import asyncio
import contextlib
import dataclasses
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from grpc import StatusCode
from tensorflow_serving.apis import get_model_status_pb2

from tffs.errors import UserError, reason
from tffs.serving.contract import versions_in
from tffs.serving.server.loaded_version import LoadedVersion
from tffs.serving.server.refusal import Refusal

State = get_model_status_pb2.ModelVersionStatus.State
Fingerprint = tuple[tuple[str, int, int], ...]


@dataclasses.dataclass(frozen=True)
class VersionState:
    """What GetModelStatus tells of a version.

    Attributes:
        state: TF Serving's name for it.
        error: a sentence for clients, or nothing.
    """

    state: Any
    error: str = ""


class Versions:
    """Watches a folder of versions and keeps the newest loadable one in memory (TF Serving's default policy).

    Its methods run in one event loop; loading and closing happen in a thread beside it.

    Args:
        base_path: the folder of numbered versions.
        poll_seconds: how often to look at it.
        ended_versions: how many versions that are gone or broken stay in `states`.
        log: takes one line.

    Attributes:
        states: what became of each version.
    """

    def __init__(
        self, base_path: str, poll_seconds: float, ended_versions: int, log: Callable[[str], None]
    ) -> None:
        self.states: dict[int, VersionState] = {}
        self._base_path = base_path
        self._poll_seconds = poll_seconds
        self._ended_versions = ended_versions
        self._log = log
        self._current: LoadedVersion | None = None
        self._broken: dict[int, Fingerprint] = {}
        self._orphaned = False
        self._thread = ThreadPoolExecutor(1, "tffs-load")
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
        if self._closing:
            await asyncio.wait(self._closing)
        if self._current is not None:
            await self._in_thread(self._current.close)
            self._current = None
        self._thread.shutdown()

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
        while True:
            await asyncio.sleep(self._poll_seconds)
            try:
                await self._look()
            except Exception as error:  # watching must go on, whatever a file system does
                self._log(f"The versions could not be looked at ({type(error).__name__}: {reason(error)}).")

    async def _look(self) -> None:
        """Serve the newest version that loads, unless it is the one that serves already."""
        numbers = await self._in_thread(versions_in, self._base_path)
        self._broken = {number: mark for number, mark in self._broken.items() if number in numbers}
        for number in reversed(numbers):
            if self._current is not None and number == self._current.number:
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

    async def _load(self, number: int) -> bool:
        path = os.path.join(self._base_path, str(number))
        fingerprint = await self._in_thread(_fingerprint, path)
        if self._broken.get(number) == fingerprint:
            return False
        self._set(number, State.LOADING)
        try:
            version = await self._in_thread(LoadedVersion, path, number)
        except Exception as error:  # a damaged folder can fail anywhere in TensorFlow
            self._broken[number] = fingerprint
            self._set(number, State.END, "This version could not be loaded.")
            keeps = "" if self._current is None else f"; version {self._current.number} keeps serving"
            why = f"{type(error).__name__}: {reason(error)}"
            self._log(f"Version {number} was skipped, it cannot be loaded ({why}){keeps}.")
            return False
        before, self._current = self._current, version
        self._broken.pop(number, None)
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
        await self._in_thread(version.close)
        if self._current is None or self._current.number != version.number:
            self._set(version.number, State.END)
        self._log(f"Version {version.number} was unloaded.")

    def _set(self, number: int, state: Any, error: str = "") -> None:
        self.states.pop(number, None)  # the newest entry is the last
        self.states[number] = VersionState(state, error)
        ended = [number for number, entry in self.states.items() if entry.state == State.END]
        for old in ended[: max(len(ended) - self._ended_versions, 0)]:
            del self.states[old]

    async def _in_thread(self, function: Callable, *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, *arguments)


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


def _fingerprint(path: str) -> Fingerprint:
    """Describe a folder's files, to tell whether a broken version was mended."""
    files = []
    for folder, _, names in os.walk(path):
        for name in names:
            with contextlib.suppress(OSError):
                entry = os.stat(os.path.join(folder, name))
                files.append((os.path.join(folder, name), entry.st_size, entry.st_mtime_ns))
    return tuple(sorted(files))
