"""Pusher: push a version whole, under its own number, once; under a new one if a newer version is there.

TFX's own copies file by file into the folder that a server polls, and numbers versions by the time of the copy,
so a kill leaves half of a version and the same model is pushed twice under two numbers.
"""

import os
import time
from typing import Any

import tfx.v1 as tfx
from tfx.components.pusher import executor
from tfx.dsl.components.base import executor_spec
from tfx.proto import pusher_pb2
from tfx.types import Artifact, artifact_utils
from tfx.utils import io_utils, proto_utils

from pipelines.models import description_of, read_description
from tffs.errors import UserError
from tffs.serving.contract import versions_in
from tffs.serving.version_folders import number_after, staging

ANEW = "anew"  # of a PushedModel: whether this push wrote it, or found it there


class VersionPusher(executor.Executor):
    """Pushes what is blessed."""

    def Do(  # noqa: N802
        self,
        input_dict: dict[str, list[Artifact]],
        output_dict: dict[str, list[Artifact]],
        exec_properties: dict[str, Any],
    ) -> None:
        """Push the model, unless it is not blessed or the newest one there already."""
        pushed = artifact_utils.get_single_instance(output_dict["pushed_model"])
        if not self.CheckBlessing(input_dict):
            self._MarkNotPushed(pushed)
            return
        destination = pusher_pb2.PushDestination()
        proto_utils.json_to_proto(exec_properties["push_destination"], destination)
        folder = destination.filesystem.base_directory
        if "://" in folder:
            raise UserError(f"{folder} must be a folder that this machine has mounted: give --serving_dir one.")
        model = self.GetModelPath(input_dict)
        made = description_of(artifact_utils.get_single_instance(input_dict["model"])).version
        newest = max(versions_in(folder), default=0)
        there = newest and read_description(os.path.join(folder, str(newest))).version == made
        # A server takes the greatest number, which an earlier model that is blessed again must get anew.
        if there:
            number = newest
        else:
            number = made if made > newest else max(int(time.time()), number_after(newest, folder))
        version = str(number)
        path = os.path.join(folder, version)
        if not there:
            os.makedirs(folder, exist_ok=True)
            with staging(folder) as part:
                io_utils.copy_dir(model, os.path.join(part, version))
                os.rename(os.path.join(part, version), path)
        io_utils.copy_dir(model, pushed.uri)
        self._MarkPushed(pushed, pushed_destination=path, pushed_version=version)
        pushed.set_int_custom_property(ANEW, int(not there))


class Pusher(tfx.components.Pusher):
    """TFX's Pusher with our executor."""

    EXECUTOR_SPEC = executor_spec.ExecutorClassSpec(VersionPusher)
