"""`tffs.serving.Client`: features for new rows from a model server, pandas in and out."""

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

import numpy as np
import pandas as pd

from tffs.errors import UserError
from tffs.serving import contract
from tffs.serving.client.address import parse_address
from tffs.serving.client.questions import ask_with_values, select
from tffs.serving.client.transport import Transport
from tffs.serving.client.version_follower import VersionFollower
from tffs.serving.description import Description


class Client:
    """A model at TensorFlow Serving or at `--mode=serve`.

    It may be shared by threads. Requests change nothing at the server, so one that was refused (no connection,
    a busy server, a connection lost before the answer) is repeated with growing pauses; a wrong request or one
    that took too long is not. Mistakes raise `UserError`, a server that does not answer `ServerUnavailable`,
    which is one of them.

    Args:
        address: `http://host:8501` or `https://host` for REST, which needs no TensorFlow; `host:8500`,
            `grpc://host:8500` or `grpcs://host:8500` (TLS) for gRPC, which imports it.
        model_name: what the server calls the model.
        version: the only version to ask, or the label of one; by default the one that the server answers with,
            followed within seconds when it changes.
        timeout: seconds for a call, repetitions included.
    """

    def __init__(
        self,
        address: str,
        model_name: str = contract.MODEL_NAME,
        version: int | str | None = None,
        timeout: float = 10.0,
    ) -> None:
        where = parse_address(address)
        if not timeout > 0:
            raise UserError(f"timeout must be more than 0 seconds, but {timeout} came.")
        self._transport: Transport
        if where.rest:
            from tffs.serving.client.rest_transport import RestTransport

            self._transport = RestTransport(where, model_name)
        else:
            from tffs.serving.client.grpc_transport import GrpcTransport

            self._transport = GrpcTransport(where, model_name)
        self._follower = VersionFollower(self._transport, version, timeout)

    def describe(self) -> Description:
        """Give what the model says of itself: its features, the rows it takes, how many it selects."""
        return self._follower.answer(lambda pinned: pinned.description)

    def select(self, rows: pd.DataFrame | Sequence[Sequence[float]] | np.ndarray) -> pd.DataFrame:
        """Choose features for a task.

        Args:
            rows: the task's N_S support rows in raw units: a frame with the model's features as columns, in any
                order and among others, or an array [N_S, M] in the model's order.

        Returns:
            One line a selector, numbered from 1: `feature` (its name), `index` (in the model's order) and
            `score` (the probability that its selector gives it). Selectors may choose the same feature.
            `.attrs["version"]` is the version that chose.
        """
        return self._follower.answer(lambda pinned: select(pinned, rows))

    def reconstruct(self, rows: Any, values: Any) -> pd.DataFrame:
        """Give all features of rows of which only the selected ones were measured.

        Args:
            rows: the task's support rows, as for `select`.
            values: the measured features: a frame that has them as columns, in any order and among others, or
                an array [rows, K] in the order that `select` gave. A frame is the safer one: its names are held
                against what the answering version selects, while an array's order may be another version's.

        Returns:
            All M features in raw units as columns, with the index of `values`.
        """
        return self._follower.answer(lambda pinned: ask_with_values(pinned, rows, values, contract.RECONSTRUCT))

    def classify(self, rows: Any, values: Any) -> pd.DataFrame:
        """Give the probabilities of the classes of rows, for a model trained with --loss=cross_entropy.

        Args:
            rows: the task's support rows, as for `select`.
            values: the measured features, as for `reconstruct`.

        Returns:
            The classes as columns, with the index of `values`.
        """
        return self._follower.answer(lambda pinned: ask_with_values(pinned, rows, values, contract.CLASSIFY))

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
