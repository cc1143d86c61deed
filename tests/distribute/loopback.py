"""Clusters on this machine."""

import json
import socket


def free_ports(count):
    """Find ports that nobody has."""
    sockets = [socket.create_server(("", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def tf_config(ports, index):
    """Write TF_CONFIG for worker `index`."""
    cluster = {"worker": [f"localhost:{port}" for port in ports]}
    return json.dumps({"cluster": cluster, "task": {"type": "worker", "index": index}})
