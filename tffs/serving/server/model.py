"""The served model, whatever the protocol: find the version, run a signature, tell the status."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from grpc import StatusCode
from tensorflow_serving.apis import get_model_metadata_pb2, get_model_status_pb2

from tffs.serving.contract import DEFAULT_SIGNATURE, ERROR
from tffs.serving.server.batching import Lane, Outputs
from tffs.serving.server.gate import Gate
from tffs.serving.server.limits import Limits
from tffs.serving.server.loaded_version import LoadedVersion
from tffs.serving.server.refusal import Refusal, invalid, shown
from tffs.serving.server.signature import Signature
from tffs.serving.server.versions import Versions


class Model:
    """One model by its name.

    Args:
        name: as clients call it.
        versions: its versions.
        lane: the way to compute.
        limits: of a request.

    Attributes:
        gate: which predict requests pass.
    """

    def __init__(self, name: str, versions: Versions, lane: Lane, limits: Limits) -> None:
        self.name = name
        self.gate = Gate()
        self.limits = limits
        self._versions = versions
        self._lane = lane

    async def predict(
        self,
        name: str,
        number: int | None,
        signature_name: str,
        read_inputs: Callable[[Signature], Mapping[str, np.ndarray]],
        large: bool,
        unknown: Callable[[str], Refusal],
    ) -> tuple[LoadedVersion, Signature, Outputs]:
        """Answer one request.

        Args:
            name: the model asked for.
            number: the version asked for; None for the newest.
            signature_name: empty for the default.
            read_inputs: reads the request's inputs, once it is known for which signature.
            large: whether reading them would hold up other clients, so that it happens in a thread.
            unknown: words the refusal of an unknown signature, in which TF Serving's REST and gRPC differ.

        Returns:
            The version and signature that answered, and all outputs.
        """
        self._check_name(name, number)
        with self._versions.held(name, number) as version:
            signature = version.signatures.get(signature_name or DEFAULT_SIGNATURE)
            if signature is None:
                raise unknown(shown(signature_name))
            inputs = await asyncio.to_thread(read_inputs, signature) if large else read_inputs(signature)
            outputs = await self._lane.run(version, signature, inputs)
        refuse_bad_tasks(outputs)
        return version, signature, outputs

    def status(self, name: str, number: int | None) -> Any:
        """Tell the state of one version or of all, as a GetModelStatusResponse."""
        states = dict(self._versions.states) if name == self.name else {}
        if number is not None:
            if number not in states:
                raise Refusal(StatusCode.NOT_FOUND, f"Could not find version {number} of model {shown(name)}")
            states = {number: states[number]}
        elif not states:
            raise Refusal(StatusCode.NOT_FOUND, f"Could not find any versions of model {shown(name)}")
        response = get_model_status_pb2.GetModelStatusResponse()
        for version in sorted(states, reverse=True):
            entry = response.model_version_status.add(version=version, state=states[version].state)
            entry.status.error_message = states[version].error
            entry.status.error_code = StatusCode.INTERNAL.value[0] if states[version].error else 0
        return response

    def metadata(self, name: str, number: int | None) -> Any:
        """Give the signatures of a version, as a GetModelMetadataResponse."""
        self._check_name(name, number)
        with self._versions.held(name, number) as version:
            response = get_model_metadata_pb2.GetModelMetadataResponse()
            response.model_spec.name = self.name
            response.model_spec.version.value = version.number
            signatures = get_model_metadata_pb2.SignatureDefMap()
            for key, definition in version.definitions.items():
                signatures.signature_def[key].CopyFrom(definition)
            response.metadata["signature_def"].Pack(signatures)
            return response

    def _check_name(self, name: str, number: int | None) -> None:
        if not name:
            raise invalid("ModelSpec has no name specified.")
        if name != self.name:
            asked = f"Latest({shown(name)})" if number is None else f"Specific({shown(name)}, {number})"
            raise Refusal(StatusCode.NOT_FOUND, f"Servable not found for request: {asked}")


def refuse_bad_tasks(outputs: Outputs) -> None:
    """Refuse a request if the model says that one of its tasks is wrong, in the model's words."""
    errors = outputs.get(ERROR)
    if errors is None or not any(errors):
        return
    task = next(task for task, error in enumerate(errors) if error)
    sentence = errors[task].decode(errors="replace")
    raise invalid(sentence if len(errors) == 1 else f"task {task}: {sentence}")
