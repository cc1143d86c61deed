import os

import pytest
import tensorflow as tf

from tffs.errors import UserError
from tffs.training.checkpoints import KEPT, Checkpoints


class Store:
    """One saved variable, with the notes that were said."""

    def __init__(self, directory, value=0.0):
        self.variable = tf.Variable([value] * 1000)
        self.notes = []
        self.checkpoints = Checkpoints(str(directory), {"variable": self.variable}, self.notes.append)

    def save(self, step):
        self.variable.assign([float(step)] * 1000)
        self.checkpoints.save(step)

    @property
    def value(self):
        return float(self.variable[0])


@pytest.fixture
def directory(tmp_path):
    store = Store(tmp_path)
    for step in (10, 20, 30, 40):
        store.save(step)
    return tmp_path


def test_nothing_saved_restores_nothing(tmp_path):
    store = Store(tmp_path / "new", 7.0)
    assert not store.checkpoints.restore()
    assert store.value == 7.0
    assert not (tmp_path / "new").exists()


def test_newest_is_restored_and_only_a_few_are_kept(directory):
    store = Store(directory)
    assert store.checkpoints.restore()
    assert store.value == 40.0
    assert store.notes == []
    assert sum(name.endswith(".index") for name in os.listdir(directory)) == KEPT


@pytest.mark.parametrize("part", ["ckpt-40.data-00000-of-00001", "ckpt-40.index"])
@pytest.mark.parametrize("damage", ["cut", "emptied", "garbled", "removed"])
def test_a_damaged_checkpoint_falls_back_to_the_one_before_and_says_so(directory, part, damage):
    path = directory / part
    if damage == "removed":
        path.unlink()
    elif damage == "garbled":
        path.write_bytes(b"x" * path.stat().st_size)
    else:
        os.truncate(path, 0 if damage == "emptied" else path.stat().st_size // 2)
    store = Store(directory)
    assert store.checkpoints.restore()
    assert store.value == 30.0
    # Without its index a checkpoint was never finished, which is no damage to speak of.
    told = 0 if (part.endswith("index") and damage == "removed") else 1
    assert len(store.notes) == told
    assert all("ckpt-40 is damaged" in note for note in store.notes)


def test_a_damaged_list_of_checkpoints_does_no_harm(directory):
    (directory / "checkpoint").write_text("nonsense")
    store = Store(directory)
    assert store.checkpoints.restore()
    assert store.value == 40.0
    store.save(50)
    again = Store(directory)
    assert again.checkpoints.restore()
    assert again.value == 50.0


def test_a_kill_during_the_very_first_checkpoint_starts_again(tmp_path):
    Store(tmp_path).save(10)
    os.truncate(tmp_path / "ckpt-10.index", 0)
    store = Store(tmp_path, 7.0)
    assert not store.checkpoints.restore()
    assert store.value == 7.0
    assert len(store.notes) == 1


def test_what_a_failed_save_left_is_removed(directory):
    (directory / "ckpt-50_temp").mkdir()
    (directory / "ckpt-50_temp" / "part").write_bytes(b"x" * 1000)
    Store(directory).checkpoints.restore()
    assert not (directory / "ckpt-50_temp").exists()


def test_all_damaged_is_an_error_not_a_silent_restart(directory):
    for path in directory.glob("ckpt-*.index"):
        os.truncate(path, 3)
    with pytest.raises(UserError, match="None of the checkpoints in .* can be read"):
        Store(directory).checkpoints.restore()


def test_saving_where_nothing_can_be_written_gets_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="could not be written"):
        Store(tmp_path / "file" / "folder").save(1)
