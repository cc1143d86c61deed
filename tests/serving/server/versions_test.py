import os
import shutil
import threading

import numpy as np
import pytest
from tensorflow_serving.apis import get_model_status_pb2

from tests.serving.server.running_server import PATIENCE, RunningServer, publish
from tffs.errors import UserError
from tffs.serving.server import versions
from tffs.serving.server.fingerprint import fingerprint_of
from tffs.serving.server.limits import Limits
from tffs.serving.server.loaded_version import LoadedVersion
from tffs.serving.server.versions import State


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
        running.wait_for("Version 2 was loaded")
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


def test_version_that_failed_is_tried_again_when_only_a_mode_changes(exported, exports, tmp_path):
    broken = tmp_path / "broken"
    shutil.copytree(exported, broken)
    shutil.rmtree(broken / "variables")
    with RunningServer(exports) as running:
        publish(broken, exports, 2)
        running.wait_for("Version 2 was skipped")
        os.chmod(os.path.join(exports, "2", "saved_model.pb"), 0o600)
        running.wait_for("Version 2 was skipped", times=2)


def test_version_that_failed_is_tried_again_after_a_pause_and_its_failure_is_logged_once(
    exported, exports, support, tmp_path
):
    """What is wrong is behind a symlink, where the server does not look for changes."""
    linked, elsewhere = tmp_path / "linked", tmp_path / "elsewhere"
    shutil.copytree(exported, linked)
    os.rename(linked / "variables", elsewhere)
    os.symlink(elsewhere, linked / "variables")
    weights = elsewhere / "variables.data-00000-of-00001"
    whole = weights.read_bytes()
    weights.write_bytes(b"")
    with RunningServer(exports, Limits(retry_seconds=0.05)) as running:
        os.rename(linked, os.path.join(exports, "2"))
        running.wait_for("Version 2 was skipped")
        failed = running.server._versions._attempts[2]
        running.wait_until(lambda: running.server._versions._attempts.get(2) is not failed)
        weights.write_bytes(whole)
        running.wait_for("Version 2 was loaded")
        assert answering(running, support) == 2
        assert len({line for line in running.lines if "skipped" in line}) == sum(
            "skipped" in line for line in running.lines
        )


def test_number_beyond_int64_is_no_version(exported, exports, support):
    publish(exported, exports, 2**63)
    with RunningServer(exports) as running:
        assert answering(running, support) == 1
        publish(exported, exports, 2**63 - 1)
        running.wait_for("was loaded")
        assert answering(running, support) == 2**63 - 1
        assert running.ask("GET", running.url(""))[0] == 200


def test_symlink_that_leads_to_itself_stops_no_other_version(exported, exports, support):
    for name in ("3", "loop"):
        os.symlink(name, os.path.join(exports, name))
    with RunningServer(exports) as running:
        publish(exported, exports, 2)
        running.wait_for("Version 2 was loaded")
        assert answering(running, support) == 2


def hanging(exports, number):
    """Make a version whose graph is a pipe that nobody writes to; give a function that removes the pipe."""
    folder = os.path.join(exports, str(number))
    os.makedirs(folder)
    pipe = os.path.join(folder, "saved_model.pb")
    os.mkfifo(pipe)

    def release():
        with open(pipe, "wb"):
            os.unlink(pipe)

    return release


def test_version_that_hangs_while_it_is_loaded_stops_no_other_version(exported, exports, support):
    release = hanging(exports, 2)
    with RunningServer(exports, Limits(load_seconds=0.2)) as running:
        assert running.lines[0] == (
            "Version 2 is still being loaded after 0.2 seconds: the newest other version serves until "
            "it is there."
        )
        assert states(running) == {1: ("AVAILABLE", ""), 2: ("LOADING", "")}
        publish(exported, exports, 3)
        running.wait_for("Version 3 was loaded")
        assert answering(running, support) == 3
        release()
        running.wait_for("Version 2 was skipped")


def test_version_that_comes_while_its_folder_is_looked_at_is_loaded_once(exports, support, monkeypatch):
    looked, serves, numbers, looks = threading.Event(), threading.Event(), [], []

    def load(path, number):
        numbers.append(number)
        assert looked.wait(PATIENCE)
        return LoadedVersion(path, number)

    def look(path):
        looks.append(path)
        if len(looks) == 2:
            looked.set()
            assert serves.wait(PATIENCE)
        return fingerprint_of(path)

    def note(self, number, state, *rest):
        noted(self, number, state, *rest)
        if state == State.AVAILABLE:
            serves.set()

    noted = versions.Versions._set
    monkeypatch.setattr(versions, "LoadedVersion", load)
    monkeypatch.setattr(versions, "fingerprint_of", look)
    monkeypatch.setattr(versions.Versions, "_set", note)
    with RunningServer(exports, Limits(load_seconds=0.0)) as running:
        assert answering(running, support) == 1
        assert states(running) == {1: ("AVAILABLE", "")}
    assert numbers == [1]


def test_older_version_that_is_loaded_meanwhile_gives_way(exported, exports, support, monkeypatch):
    begun, may_end = ({number: threading.Event() for number in (1, 2, 3)} for _ in range(2))
    numbers, closed = [], threading.Event()
    may_end[1].set()

    class Gated(LoadedVersion):
        def __init__(self, path, number):
            numbers.append(number)
            begun[number].set()
            assert may_end[number].wait(PATIENCE)
            super().__init__(path, number)

        def close(self):
            super().close()
            if self.number == 2:
                closed.set()

    monkeypatch.setattr(versions, "LoadedVersion", Gated)
    with RunningServer(exports, Limits(load_seconds=1.0)) as running:
        publish(exported, exports, 3)
        assert begun[3].wait(PATIENCE)
        publish(exported, exports, 2)
        assert begun[2].wait(PATIENCE)  # the third one takes too long
        may_end[3].set()
        running.wait_for("Version 3 was loaded")
        may_end[2].set()
        assert closed.wait(PATIENCE)
        assert answering(running, support) == 3
    assert numbers == [1, 3, 2]


def test_version_that_took_long_to_load_serves_when_it_is_there(exported, exports, support):
    with RunningServer(exports, Limits(load_seconds=0.0)) as running:
        publish(exported, exports, 2)
        running.wait_for("Version 2 was loaded")
        assert answering(running, support) == 2
        assert any("Version 2 is still being loaded" in line for line in running.lines)


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


def test_folder_that_was_probably_meant_is_named(exports):
    with pytest.raises(UserError, match=f"the versions are in {exports}, so give that folder"):
        RunningServer(os.path.dirname(exports)).__enter__()
    for version in ("1", "1/"):
        with pytest.raises(
            UserError, match=f"it is a version itself, so give the folder around it, {exports}\\."
        ):
            RunningServer(os.path.join(exports, version)).__enter__()


def test_start_is_quiet_about_the_version_that_serves(exports):
    with RunningServer(exports) as running:
        assert running.lines == []


def test_swaps_under_load_lose_no_request_and_every_answer_is_by_the_version_it_names(
    exported, other_exported, exports, loaded, other_loaded, rng
):
    """Odd versions are one model, even versions another."""
    support = rng.random((1, 2, 6), dtype=np.float32)
    scores = [
        model.run(model.signatures["select"], {"support": support})["scores"].ravel()
        for model in (other_loaded, loaded)
    ]
    assert not np.allclose(*scores, rtol=1e-3)
    stop, answered, wrong = threading.Event(), [], []

    def ask(running, over_grpc):
        if over_grpc:
            response = running.predict(support=support)
            version = response.model_spec.version.value
            return version, np.allclose(response.outputs["scores"].float_val, scores[version % 2], rtol=1e-4)
        # REST names no version: the answer must be by one of the two.
        came = running.post({"instances": support.tolist()})[1]["predictions"][0]["scores"]
        return 0, any(np.allclose(came, expected, rtol=1e-4) for expected in scores)

    def load(running, over_grpc):
        while not stop.is_set():
            try:
                version, right = ask(running, over_grpc)
                (answered if right else wrong).append(version)
            except Exception as error:
                wrong.append(error)

    with RunningServer(exports) as running:
        threads = [threading.Thread(target=load, args=(running, number % 2)) for number in range(4)]
        for thread in threads:
            thread.start()
        for number in (2, 3, 4, 5):
            publish(other_exported if number % 2 == 0 else exported, exports, number)
            running.wait_for(f"Version {number - 1} was unloaded")
        stop.set()
        for thread in threads:
            thread.join()
        assert ask(running, over_grpc=True) == (5, True)
    assert wrong == []
    assert len(answered) > 20
    assert len(set(answered)) > 3


def test_states_of_old_versions_do_not_pile_up(exported, exports, support):
    with RunningServer(exports, Limits(ended_versions=1)) as running:
        for number in (2, 3):
            publish(exported, exports, number)
            running.wait_for(f"Version {number - 1} was unloaded")
        assert states(running) == {3: ("AVAILABLE", ""), 2: ("END", "")}
