"""Ask one version of a model for all that a call needs, and follow the server to newer ones."""

import dataclasses
import functools
import json
import operator
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from tffs.errors import UserError, reason
from tffs.serving import contract
from tffs.serving.client.deadline import Deadline, persistently
from tffs.serving.client.errors import NotServed, ServerUnavailable
from tffs.serving.client.transport import Arrays, Transport
from tffs.serving.description import Description
from tffs.serving.model_version import AnotherModel, ModelVersion

FOLLOW_SECONDS = 5.0  # how long a version is used before asking whether it is still the one that answers
CHANGES = 5  # how many changes of version in one call are followed

Answer = TypeVar("Answer")


@dataclasses.dataclass(frozen=True)
class _Known:
    version: int
    description: Description
    checked: float  # when the server last said that this version answers


class VersionFollower:
    """A model at a server whose versions come and go.

    An answer has no meaning without the description of the version that gave it: the order of the features is
    in it. So every request names its version, and where the server no longer has it, the call starts over with
    the version that took over.

    Args:
        transport: asks the server.
        version: the only version to use, the label of one, or None for the one that the server answers with.
        timeout: seconds for a call, repetitions included.
    """

    def __init__(self, transport: Transport, version: int | str | None, timeout: float) -> None:
        self._transport = transport
        if isinstance(version, str) and version.isdecimal():
            version = int(version)
        self._label = version if isinstance(version, str) else None
        self._fixed = None if version is None or isinstance(version, str) else operator.index(version)
        self._timeout = timeout
        self._known: _Known | None = None

    def answer(self, question: Callable[[ModelVersion], Answer]) -> Answer:
        """Answer a question by one version.

        Args:
            question: may ask the version several times; asked anew if the version goes away meanwhile.

        Returns:
            The question's result.
        """
        deadline = Deadline(self._timeout)
        for _ in range(CHANGES):
            version = self._version(deadline)
            known = self._known
            try:
                known = self._describe(version, deadline)
                run = functools.partial(self._predict, version, deadline)
                return question(ModelVersion(version, known.description, run))
            except ServerUnavailable:
                raise
            except (NotServed, AnotherModel):
                if self._fixed is not None and (known is None or known.checked >= deadline.began):
                    raise
                self._known = None
            except UserError:
                # The mistake may be ours: a newer version may take what the known one does not.
                if self._fixed is not None or known is None or known.checked >= deadline.began:
                    raise
                self._known = dataclasses.replace(known, checked=-np.inf)
                if self._version(deadline) == version:
                    raise
        raise UserError(
            f"The model server changed the version of the model {CHANGES} times during one call: try again."
        )

    def _version(self, deadline: Deadline) -> int:
        """Give the version to ask."""
        if self._fixed is not None:
            return self._fixed
        known = self._known
        if known is not None and known.checked + FOLLOW_SECONDS > time.monotonic():
            return known.version
        now = time.monotonic()
        version = persistently(lambda: self._transport.served_version(self._label, deadline), deadline)
        if known is not None and known.version == version:
            self._known = dataclasses.replace(known, checked=now)
        return version

    def _describe(self, version: int, deadline: Deadline) -> _Known:
        """Give what is known of a version, asking it if need be."""
        known = self._known
        if known is not None and known.version == version:
            return known
        now = time.monotonic()
        inputs = {"request": np.zeros(1, np.int32)}
        try:
            outputs = self._predict(version, deadline, contract.DESCRIBE, inputs)
            (documents,) = outputs.values()
            description = Description.from_json(json.loads(str(documents[0])))
        except (NotServed, ServerUnavailable):
            raise
        except (UserError, ValueError, IndexError, RecursionError) as error:
            raise UserError(
                f"Version {version} is not a model exported by this release of tffs ({reason(error)}): give "
                "the name of another model, or export it again."
            ) from error
        self._known = _Known(version, description, now)
        return self._known

    def _predict(self, version: int, deadline: Deadline, signature: str, inputs: Arrays) -> Arrays:
        return persistently(lambda: self._transport.predict(signature, inputs, version, deadline), deadline)
