"""The ways in, one file each."""

import os
from collections.abc import Callable, Sequence

from fuzzing.target import Target

FILES = ("table", "support", "values")
REQUESTS = ("json", "http", "grpc")
NAMES = (*FILES, *REQUESTS)


def file_target(name: str) -> Target:
    """Make a target of files, which needs no TensorFlow."""
    if name == "table":
        from fuzzing.targets.table_target import TableTarget

        return TableTarget()
    if name == "support":
        from fuzzing.targets.support_target import SupportTarget

        return SupportTarget()
    from fuzzing.targets.values_target import ValuesTarget

    return ValuesTarget()


def request_targets(version_paths: dict[str, str], names: Sequence[str] = REQUESTS) -> dict[str, Target]:
    """Make targets of requests, with models in this process.

    Args:
        version_paths: the folders of exported versions, `network` and `posterior`.
        names: of the targets.
    """
    from fuzzing.in_process import InProcess
    from fuzzing.targets.grpc_target import GrpcTarget
    from fuzzing.targets.http_target import HttpTarget
    from fuzzing.targets.json_target import JsonTarget

    kinds: dict[str, Callable[[dict[str, InProcess]], Target]] = {
        "json": JsonTarget,
        "http": HttpTarget,
        "grpc": GrpcTarget,
    }
    models = {name: InProcess(path) for name, path in version_paths.items()}
    return {name: kinds[name](models) for name in names}


def loaded_target(name: str, folder: str) -> Target:
    """Make a target by its name; the models that it may need are kept in the folder."""
    if name in FILES:
        return file_target(name)
    from fuzzing.models import version_paths

    return request_targets(version_paths(os.path.join(folder, "models")), [name])[name]
