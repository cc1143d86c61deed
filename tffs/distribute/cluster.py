"""Which workers there are, as TensorFlow's variable TF_CONFIG says; without importing TensorFlow."""

import dataclasses
import json
import os
from collections.abc import Mapping
from typing import Any

from tffs.errors import UserError

VARIABLE = "TF_CONFIG"
EXAMPLE = '{"cluster": {"worker": ["host1:2222", "host2:2222"]}, "task": {"type": "worker", "index": 0}}'
_JOBS = ("chief", "worker")  # in this order: the first of all writes


@dataclasses.dataclass(frozen=True)
class Cluster:
    """The workers, seen from one of them.

    Attributes:
        addresses: host:port of every worker; the first one is the chief, who alone writes.
        index: which of them this process is.
    """

    addresses: tuple[str, ...]
    index: int

    @property
    def count(self) -> int:
        """The number of workers."""
        return len(self.addresses)


def cluster_of(distribute: str, episodes_per_step: int) -> Cluster | None:
    """Find out who trains together, and check that the episodes of a step can be shared out.

    Args:
        distribute: `none`, or `multi_worker` for those that the environment names.
        episodes_per_step: of the run.
    """
    if distribute == "none":
        return None
    cluster = read_cluster(os.environ)
    check_shares(cluster, episodes_per_step)
    return cluster


def read_cluster(environment: Mapping[str, str]) -> Cluster:
    """Read the cluster from the environment; what cannot be read raises `UserError`."""
    text = environment.get(VARIABLE, "")
    if not text.strip():
        raise UserError(
            f"--distribute=multi_worker needs the environment variable {VARIABLE}, which says who the workers "
            f"are: set it to {EXAMPLE} with another index for each worker."
        )
    try:
        value = json.loads(text)
    except ValueError as error:
        raise _malformed(f"it is not JSON ({error})") from error
    cluster = _part(_part({VARIABLE: value}, VARIABLE), "cluster")
    strangers = [job for job in cluster if job not in _JOBS]
    if strangers:
        raise _malformed(f"its cluster has the job '{strangers[0]}', but chief and worker are all there may be")
    if len(_addresses(cluster, "chief")) > 1:
        raise _malformed("there is more than one chief")
    addresses = [address for job in _JOBS for address in _addresses(cluster, job)]
    twice = [address for address in addresses if addresses.count(address) > 1]
    if twice:
        raise _malformed(f"the address {twice[0]} comes twice")
    if not addresses:
        raise _malformed("its cluster has no worker")
    task = _part(value, "task")
    job, index = task.get("type"), task.get("index")
    if job not in _JOBS:
        raise _malformed(f"the type of its task must be chief or worker, but received {json.dumps(job)}")
    own = _addresses(cluster, job)
    if type(index) is not int or not 0 <= index < len(own):
        raise _malformed(
            f"the index of its task must be from 0 to the number of {job}s less one, {len(own) - 1}, but "
            f"received {json.dumps(index)}"
        )
    return Cluster(tuple(addresses), addresses.index(own[index]))


def check_shares(cluster: Cluster, episodes_per_step: int) -> None:
    """Check that the episodes of a step can be shared out; `UserError` if not."""
    if episodes_per_step % cluster.count:
        raise UserError(
            f"--episodes_per_step must be divisible by the number of workers, {cluster.count}, but "
            f"received {episodes_per_step}: give {cluster.count} or a multiple of it."
        )


def _part(value: Mapping[str, Any], name: str) -> dict[str, Any]:
    part = value.get(name)
    if not isinstance(part, dict):
        raise _malformed(
            f"{'it' if name == VARIABLE else name} must be an object, but received {json.dumps(part)}"
        )
    return part


def _addresses(cluster: Mapping[str, Any], job: str) -> list[str]:
    """Check and give the addresses of a job; none if it is not there."""
    addresses = cluster.get(job, [])
    if not isinstance(addresses, list):
        raise _malformed(f"{job} must be a list of addresses, but received {json.dumps(addresses)}")
    for address in addresses:
        host, _, port = address.rpartition(":") if isinstance(address, str) else ("", "", "")
        if not host or not port.isdecimal() or not 0 < int(port) < 2**16:
            raise _malformed(f"an address must be like host:2222, but received {json.dumps(address)}")
    return addresses


def _malformed(what: str) -> UserError:
    return UserError(f"{VARIABLE} cannot be used, because {what}: write it like {EXAMPLE}.")
