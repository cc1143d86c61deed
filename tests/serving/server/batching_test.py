import asyncio
import contextlib
import json
import socket
import threading

import numpy as np
import pytest
from grpc import StatusCode

from tests.serving.server.running_server import PATIENCE, RunningServer, predict_request
from tffs.serving.server.limits import Limits


def in_threads(calls):
    """Start calls at once; the returned function waits for their results, in order."""
    results = [None] * len(calls)

    def run(number, call):
        results[number] = call()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(calls)]
    for thread in threads:
        thread.start()

    def wait():
        for thread in threads:
            thread.join(PATIENCE)
        return results

    return wait


def recorded_runs(running, monkeypatch):
    """Note the number of tasks of each run of the model."""
    version = running.server._versions.current
    runs, run = [], version.run

    def recording(signature, inputs):
        runs.append(len(next(iter(inputs.values()))))
        return run(signature, inputs)

    monkeypatch.setattr(version, "run", recording)
    return runs


@pytest.mark.parametrize("batching", [True, False])
def test_waiting_requests_are_merged_and_each_gets_its_own_answer(exports, loaded, rng, batching, monkeypatch):
    supports = [rng.random((tasks, 2, 6), dtype=np.float32) for tasks in (1, 3, 2)]
    with RunningServer(exports, batching=batching) as running:
        runs = recorded_runs(running, monkeypatch)
        with running.busy_lane():
            calls = [lambda support=support: running.predict("select", support=support) for support in supports]
            results = in_threads(calls)
            running.wait_for_queue(4)
        for support, response in zip(supports, results(), strict=True):
            expected = loaded.run(loaded.signatures["select"], {"support": support})
            assert list(response.outputs["indices"].int_val) == expected["indices"].ravel().tolist()
        assert (sorted(runs), len(runs)) == (([6], 1) if batching else ([1, 2, 3], 3))


def test_a_batch_holds_no_more_tasks_than_the_limit_and_only_what_fits_together(exports, rng, monkeypatch):
    supports = [rng.random((2, 2, 6), dtype=np.float32) for _ in range(3)]
    values = rng.random((2, 1, 3), dtype=np.float32)
    calls = [lambda support=support: running.predict("select", support=support) for support in supports]
    calls += [
        lambda: running.predict("reconstruct", support=supports[0], values=values),
        lambda: running.predict("reconstruct", support=supports[0], values=values.repeat(2, axis=1)),
    ]
    with RunningServer(exports, Limits(batch_tasks=4)) as running:
        runs = recorded_runs(running, monkeypatch)
        with running.busy_lane():
            results = in_threads(calls)
            running.wait_for_queue(6)
        assert all(response.outputs for response in results())
        assert sorted(runs) == [2, 2, 2, 4]


def test_a_bad_request_in_a_batch_does_not_touch_its_neighbours(exports, loaded, rng, monkeypatch):
    good = rng.random((1, 2, 6), dtype=np.float32)
    bad = np.full((2, 2, 6), np.nan, np.float32)
    bad[0] = 0.5
    with RunningServer(exports) as running:
        runs = recorded_runs(running, monkeypatch)
        with running.busy_lane():
            results = in_threads(
                [
                    lambda: running.predict(support=good),
                    lambda: running.refusal(lambda: running.predict(support=bad)),
                    lambda: running.post({"instances": good.tolist()}),
                    lambda: running.post(json.dumps({"instances": bad[1:].tolist()}).encode()),
                ]
            )
            running.wait_for_queue(5)
        answer, (code, sentence), (status, document), (bad_status, error) = results()
    assert runs == [5]
    expected = loaded.run(loaded.signatures["select"], {"support": good})["indices"].ravel().tolist()
    assert list(answer.outputs["indices"].int_val) == expected
    assert (status, document["predictions"][0]["indices"]) == (200, expected)
    assert (code, sentence[:8]) == (StatusCode.INVALID_ARGUMENT, "task 1: ")
    assert (bad_status, error["error"]) == (400, sentence[8:])


def test_when_a_run_fails_only_the_guilty_request_fails_and_the_client_learns_no_detail(
    exports, support, monkeypatch
):
    with RunningServer(exports) as running:
        version = running.server._versions.current
        run = version.run

        def failing(signature, inputs):
            if (inputs["support"] == 7).any():
                raise RuntimeError("node /secret/path failed")
            return run(signature, inputs)

        monkeypatch.setattr(version, "run", failing)
        with running.busy_lane():
            results = in_threads(
                [
                    lambda: running.post({"instances": support.tolist()}),
                    lambda: running.post({"instances": np.full((1, 2, 6), 7).tolist()}),
                ]
            )
            running.wait_for_queue(3)
        (status, _), (failed, answer) = results()
        assert (status, failed) == (200, 500)
        assert answer == {"error": "The server failed on this request; its log says why."}
        code, sentence = running.refusal(lambda: running.predict(support=np.full((1, 2, 6), 7, np.float32)))
        assert (code, sentence) == (StatusCode.INTERNAL, answer["error"])
        assert sum("RuntimeError" in line for line in running.lines) == 1


def test_past_the_queue_requests_are_unavailable(exports, support):
    with RunningServer(exports, Limits(queue_requests=3)) as running:
        with running.busy_lane():
            results = in_threads([lambda: running.post({"instances": support.tolist()})] * 2)
            running.wait_for_queue(3)
            status, answer = running.post({"instances": support.tolist()})
            assert (status, "too many requests waiting" in answer["error"]) == (503, True)
            code, _ = running.refusal(lambda: running.predict(support=support))
            assert code == StatusCode.UNAVAILABLE
        assert [status for status, _ in results()] == [200, 200]
        assert running.post({"instances": support.tolist()})[0] == 200


def test_past_the_bytes_that_may_wait_requests_are_unavailable(exports, support):
    with RunningServer(exports, Limits(queue_bytes=1000)) as running:
        big = np.zeros((30, 2, 6), np.float32)
        assert running.refusal(lambda: running.predict(support=big))[0] == StatusCode.UNAVAILABLE
        assert running.predict(support=support).outputs


def test_who_hangs_up_while_waiting_gives_his_place_back(exports, support, monkeypatch):
    with RunningServer(exports) as running:
        runs = recorded_runs(running, monkeypatch)
        body = json.dumps({"instances": support.tolist()}).encode()
        head = f"POST {running.url()} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        with running.busy_lane():
            gone = running.stub.Predict.future(predict_request(support=support))
            with contextlib.closing(
                socket.create_connection(("127.0.0.1", running.server.rest_port))
            ) as client:
                client.sendall(head + body)
                running.wait_for_queue(3)
            gone.cancel()
            results = in_threads([lambda: running.predict(support=support)])
            running.wait_for_queue(4)
            running.call(cancelled(running, 2))
        assert results()[0].outputs
        assert runs == [1]
        running.call(drained(running))
        assert running.server._versions.current.in_use == 0


async def cancelled(running, number):
    while sum(waiting.answer.cancelled() for waiting in running.server._lane._queue) < number:
        await asyncio.sleep(0.001)


async def drained(running):
    while running.server._lane._requests:
        await asyncio.sleep(0.001)
