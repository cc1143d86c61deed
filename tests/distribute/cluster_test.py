import json

import pytest

from tffs.distribute.cluster import EXAMPLE, Cluster, read_cluster
from tffs.errors import UserError


def read(value):
    return read_cluster({"TF_CONFIG": value if isinstance(value, str) else json.dumps(value)})


def config(kind, index, **cluster):
    return {"cluster": cluster, "task": {"type": kind, "index": index}}


def test_the_first_worker_is_the_chief_unless_there_is_one():
    assert read(EXAMPLE) == Cluster(("host1:2222", "host2:2222"), 0)
    jobs = {"worker": ["b:2", "c:3"], "chief": ["a:1"]}
    assert read(config("chief", 0, **jobs)) == Cluster(("a:1", "b:2", "c:3"), 0)
    assert read(config("worker", 1, **jobs)) == Cluster(("a:1", "b:2", "c:3"), 2)
    assert read(config("worker", 0, worker=["localhost:1"])).count == 1


@pytest.mark.parametrize(
    ("value", "fragment"),
    [
        ("", "needs the environment variable TF_CONFIG"),
        ("worker 0", "it is not JSON"),
        ([1], "it must be an object, but received [1]"),
        ({"task": {}}, "cluster must be an object, but received null"),
        ({"cluster": {"worker": ["a:1"]}}, "task must be an object, but received null"),
        (config("worker", 0), "its cluster has no worker"),
        (config("worker", 0, worker="a:1"), 'worker must be a list of addresses, but received "a:1"'),
        (config("worker", 0, worker=["a"]), 'an address must be like host:2222, but received "a"'),
        (config("worker", 0, worker=[":1"]), "an address must be like host:2222"),
        (config("worker", 0, worker=["a:70000"]), "an address must be like host:2222"),
        (config("worker", 0, worker=[7]), "an address must be like host:2222, but received 7"),
        (config("worker", 0, worker=["a:1", "a:1"]), "the address a:1 comes twice"),
        (config("worker", 0, worker=["a:1"], ps=["b:1"]), "has the job 'ps'"),
        (config("chief", 0, worker=["a:1"], chief=["b:1", "c:1"]), "more than one chief"),
        (config("evaluator", 0, worker=["a:1"]), 'must be chief or worker, but received "evaluator"'),
        (config("worker", 1, worker=["a:1"]), "from 0 to the number of workers less one, 0, but received 1"),
        (config("worker", -1, worker=["a:1"]), "but received -1"),
        (config("worker", "0", worker=["a:1"]), 'but received "0"'),
        (config("worker", True, worker=["a:1", "b:1"]), "but received true"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_sentence(value, fragment):
    with pytest.raises(UserError) as caught:
        read(value)
    assert fragment in str(caught.value)
    assert EXAMPLE in str(caught.value)
