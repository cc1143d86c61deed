"""Workers that find each other, each in a thread of its own, over real sockets."""

import concurrent.futures
import math
import socket
import threading

import pytest

from tests.distribute.loopback import free_ports
from tffs.distribute import gathering
from tffs.distribute.cluster import Cluster
from tffs.distribute.gathering import gather
from tffs.errors import UserError


def clusters(count):
    addresses = tuple(f"localhost:{port}" for port in free_ports(count))
    return [Cluster(addresses, index) for index in range(count)]


def said(cluster, seconds):
    """Gather, and give what was said."""
    notes = []
    gather(cluster, seconds, notes.append)
    return notes


def port_of(cluster):
    return int(cluster.addresses[cluster.index].rpartition(":")[2])


def connected_to(cluster):
    """Connect to a worker, once it listens."""
    while True:
        try:
            return socket.create_connection(("localhost", port_of(cluster)), 5.0)
        except ConnectionRefusedError:
            continue


def test_all_go_when_the_last_has_come_in_whatever_order(monkeypatch):
    monkeypatch.setattr(gathering, "_NEWS_AFTER", math.inf)
    for order in ((0, 1, 2), (2, 1, 0)):
        everyone = clusters(3)
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            early = [pool.submit(said, everyone[index], 30.0) for index in order[:2]]
            done, _ = concurrent.futures.wait(early, timeout=1.0)
            assert not done
            last = pool.submit(said, everyone[order[2]], 30.0)
            assert [future.result(timeout=30.0) for future in (*early, last)] == [[], [], []]
        for cluster in everyone:  # nobody keeps the port that TensorFlow needs next
            socket.create_server(("", port_of(cluster))).close()


def test_a_worker_that_comes_and_goes_is_not_counted():
    everyone = clusters(3)
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        chief = pool.submit(said, everyone[0], 30.0)
        connected_to(everyone[0]).close()
        with pytest.raises(UserError, match="Waited .* minutes for the other workers in vain"):
            said(everyone[1], 1.5)
        second = pool.submit(said, everyone[2], 30.0)
        done, _ = concurrent.futures.wait([chief, second], timeout=1.0)
        assert not done
        again = pool.submit(said, everyone[1], 30.0)
        for future in (chief, second, again):
            future.result(timeout=30.0)


def test_strangers_at_the_port_do_no_harm(monkeypatch):
    monkeypatch.setattr(gathering, "_PATIENCE", 0.5)
    monkeypatch.setattr(gathering, "_NEWS_AFTER", math.inf)
    everyone = clusters(2)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        chief = pool.submit(said, everyone[0], 30.0)
        strangers = [connected_to(everyone[0]) for _ in range(2)]
        strangers[0].sendall(b"GET / HTTP/1.1\r\n\r\n")
        done, _ = concurrent.futures.wait([chief], timeout=1.5)
        assert not done
        worker = pool.submit(said, everyone[1], 30.0)
        assert chief.result(timeout=30.0) == worker.result(timeout=30.0) == []
        for stranger in strangers:
            stranger.close()


def test_who_is_missing_is_said_and_the_waiting_ends(monkeypatch):
    monkeypatch.setattr(gathering, "_NEWS_AFTER", 0.3)
    chief, worker, *_ = clusters(3)
    for cluster, missing in ((chief, (1, 2)), (worker, (0,))):
        notes = []
        names = " and ".join(f"worker {index} ({cluster.addresses[index]})" for index in missing)
        with pytest.raises(UserError) as caught:
            gather(cluster, 0.9, notes.append)
        assert notes == [f"Waiting for {names}, for up to 0.015 minutes."]
        assert str(caught.value).startswith(f"Waited 0.015 minutes for {names} in vain: nothing that was saved")


def test_a_worker_that_waits_without_a_limit_names_none(monkeypatch):
    monkeypatch.setattr(gathering, "_NEWS_AFTER", 0.0)
    chief, worker = clusters(2)
    told = threading.Event()
    notes = []

    def note(sentence):
        notes.append(sentence)
        told.set()

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(gather, worker, math.inf, note)
        assert told.wait(10.0)
        gather(chief, 30.0, lambda sentence: None)
        waiting.result(timeout=30.0)
    assert notes == [f"Waiting for worker 0 ({chief.addresses[0]})."]


def test_a_port_that_another_process_has_is_named():
    cluster = clusters(2)[0]
    with socket.create_server(("", port_of(cluster))), pytest.raises(UserError) as caught:
        gather(cluster, 5.0, print)
    assert f"Port {port_of(cluster)} of worker 0 in TF_CONFIG cannot be used" in str(caught.value)


def test_one_worker_waits_for_nobody():
    assert said(Cluster(("nowhere.invalid:1",), 0), 0.0) == []
