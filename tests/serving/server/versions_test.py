import os
import shutil
import threading

import numpy as np
import pytest
from tensorflow_serving.apis import get_model_status_pb2

from tests.serving.server.running_server import PATIENCE, RunningServer, publish
from tffs.errors import UserError
from tffs.serving.server.limits import Limits


def states(running):
    request = get_model_status_pb2.GetModelStatusRequest()
    request.model_spec.name = "tffs"
    entries = running.models.GetModelStatus(request, timeout=PATIENCE).model_version_status
    names = get_model_status_pb2.ModelVersionStatus.State
    return {entry.version: (names.Name(entry.state), entry.status.error_message) for entry in entries}


def answering(running, support):
    return running.predict(support=support).model_spec.version.value


def test_new_version_is_picked_up_and_the_old_one_unloaded(exported, exports, support):
    with RunningServer(exports) as running:
        assert answering(running, support) == 1
        publish(exported, exports, 2)
        running.wait_for("Version 1 was unloaded")
        assert answering(running, support) == 2
        assert states(running) == {2: ("AVAILABLE", ""), 1: ("END", "")}
        assert running.post({"instances": support.tolist()}, "/versions/2:predict")[0] == 200
        assert running.post({"instances": support.tolist()}, "/versions/1:predict")[0] == 404


def test_of_two_versions_published_at_once_the_newest_is_served(exported, exports, support):
    publish(exported, exports, 9)
    publish(exported, exports, 10)
    with RunningServer(exports) as running:
        assert answering(running, support) == 10
        staged = []
        for number in (11, 12):
            staged.append(os.path.join(os.path.dirname(exports), f".{number}"))
            shutil.copytree(exported, staged[-1])
        os.rename(staged[0], os.path.join(exports, "11"))
        os.rename(staged[1], os.path.join(exports, "12"))
        running.wait_for("Version 12 was loaded")
        assert answering(running, support) == 12


def test_deleted_version_rolls_back_to_the_newest_that_remains(exported, exports, support, tmp_path):
    publish(exported, exports, 2)
    with RunningServer(exports) as running:
        assert answering(running, support) == 2
        os.rename(os.path.join(exports, "2"), tmp_path / "withdrawn")
        running.wait_for("Version 2 was unloaded")
        assert answering(running, support) == 1
        os.rename(tmp_path / "withdrawn", os.path.join(exports, "2"))
        running.wait_for("Version 2 was loaded", times=2)
        assert answering(running, support) == 2


def test_version_keeps_serving_when_all_folders_are_gone(exports, support):
    with RunningServer(exports) as running:
        shutil.rmtree(exports)
        running.wait_for("keeps serving from memory")
        assert answering(running, support) == 1
        assert sum("from memory" in line for line in running.lines) == 1


def truncate(path):
    with open(path, "r+b") as file:
        file.truncate(os.path.getsize(path) // 2)


DAMAGE = {
    "empty folder": lambda path: shutil.rmtree(path) or os.makedirs(path),
    "truncated graph": lambda path: truncate(os.path.join(path, "saved_model.pb")),
    "no weights": lambda path: shutil.rmtree(os.path.join(path, "variables")),
    "truncated weights": lambda path: truncate(
        os.path.join(path, "variables", "variables.data-00000-of-00001")
    ),
    "garbage warm-up": lambda path: truncate(os.path.join(path, "assets.extra", "tf_serving_warmup_requests")),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_corrupted_version_is_skipped_with_one_line_and_the_old_one_keeps_serving(
    exported, exports, support, tmp_path, damage
):
    broken = tmp_path / "broken"
    shutil.copytree(exported, broken)
    damage(broken)
    with RunningServer(exports) as running:
        publish(broken, exports, 2)
        running.wait_for("Version 2 was skipped")
        assert answering(running, support) == 1
        state, error = states(running)[2]
        assert (state, error) == ("END", "This version could not be loaded.")
        for _ in range(3):
            running.call(running.server._versions._look())
        assert sum("skipped" in line for line in running.lines) == 1
        assert "version 1 keeps serving" in next(line for line in running.lines if "skipped" in line)


def test_mended_version_is_tried_again(exported, exports, support, tmp_path):
    broken = tmp_path / "broken"
    shutil.copytree(exported, broken)
    os.rename(broken / "variables", tmp_path / "variables")
    with RunningServer(exports) as running:
        publish(broken, exports, 2)
        running.wait_for("Version 2 was skipped")
        os.rename(tmp_path / "variables", os.path.join(exports, "2", "variables"))
        running.wait_for("Version 2 was loaded")
        assert answering(running, support) == 2


def test_server_starts_with_an_older_version_if_the_newest_is_broken(exported, exports, support):
    os.makedirs(os.path.join(exports, "2"))
    os.makedirs(os.path.join(exports, "not a number"))
    with RunningServer(exports) as running:
        assert answering(running, support) == 1
        assert "Version 2 was skipped" in running.lines[0]


def test_server_does_not_start_without_a_version(tmp_path):
    with pytest.raises(UserError, match="is not a folder: give the folder that holds the numbered versions"):
        RunningServer(tmp_path / "nowhere").__enter__()
    (tmp_path / "7").mkdir()
    with pytest.raises(UserError, match="holds no version that can be loaded"):
        RunningServer(tmp_path).__enter__()


def test_swaps_under_load_lose_no_request(exported, exports, loaded, rng):
    support = rng.random((1, 2, 6), dtype=np.float32)
    expected = loaded.run(loaded.signatures["select"], {"support": support})["indices"].ravel().tolist()
    stop, answered, wrong = threading.Event(), [], []

    def load(running, over_grpc):
        while not stop.is_set():
            try:
                if over_grpc:
                    came = list(running.predict(support=support).outputs["indices"].int_val)
                else:
                    came = running.post({"instances": support.tolist()})[1]["predictions"][0]["indices"]
                (answered if came == expected else wrong).append(came)
            except Exception as error:
                wrong.append(error)

    with RunningServer(exports) as running:
        threads = [threading.Thread(target=load, args=(running, number % 2)) for number in range(4)]
        for thread in threads:
            thread.start()
        for number in (2, 3, 4):
            publish(exported, exports, number)
            running.wait_for(f"Version {number - 1} was unloaded")
        stop.set()
        for thread in threads:
            thread.join()
        assert answering(running, support) == 4
    assert wrong == []
    assert len(answered) > 20


def test_states_of_old_versions_do_not_pile_up(exported, exports, support):
    with RunningServer(exports, Limits(ended_versions=1)) as running:
        for number in (2, 3):
            publish(exported, exports, number)
            running.wait_for(f"Version {number - 1} was unloaded")
        assert states(running) == {3: ("AVAILABLE", ""), 2: ("END", "")}
