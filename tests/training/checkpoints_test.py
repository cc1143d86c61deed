import os

import pytest
import tensorflow as tf

from tffs.errors import UserError
from tffs.training.checkpoints import KEPT, Checkpoints


class Store:
    """One saved variable, with the notes that were said."""

    def __init__(self, directory, value=0.0, size=1000, **run):
        self.variable = tf.Variable([value] * size)
        self.notes = []
        self.checkpoints = Checkpoints(str(directory), {"variable": self.variable}, self.notes.append, run)

    def save(self, step):
        self.variable.assign(tf.fill(self.variable.shape, float(step)))
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


@pytest.mark.parametrize("content", [b"nonsense", b"", b"\xff\xfe\x00"])
def test_a_damaged_list_of_checkpoints_does_no_harm_and_is_written_anew(directory, content):
    (directory / "checkpoint").write_bytes(content)
    store = Store(directory)
    assert store.checkpoints.restore()
    assert store.value == 40.0
    assert tf.train.latest_checkpoint(str(directory)) == str(directory / "ckpt-40")
    store.save(50)
    again = Store(directory)
    assert again.checkpoints.restore()
    assert again.value == 50.0
    listed = tf.train.get_checkpoint_state(str(directory))
    assert listed.model_checkpoint_path == str(directory / "ckpt-50")
    assert list(listed.all_model_checkpoint_paths) == [str(directory / f"ckpt-{step}") for step in (30, 40, 50)]


def test_a_list_that_names_files_elsewhere_deletes_none_of_them(directory, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    Store(elsewhere).save(5)
    before = sorted(os.listdir(elsewhere))
    paths = (elsewhere / "ckpt-5", "ckpt-30", "ckpt-40")
    lines = ['model_checkpoint_path: "ckpt-40"', "last_preserved_timestamp: 1.0"]
    lines += [f'all_model_checkpoint_paths: "{path}"\nall_model_checkpoint_timestamps: 2.0' for path in paths]
    (directory / "checkpoint").write_text("\n".join(lines))
    store = Store(directory)
    assert store.checkpoints.restore()
    for step in (50, 60, 70):
        store.save(step)
    assert sorted(os.listdir(elsewhere)) == before


def test_a_list_that_is_a_link_is_replaced_and_its_target_left_alone(directory, tmp_path_factory):
    precious = tmp_path_factory.mktemp("elsewhere") / "precious"
    precious.write_text("content")
    (directory / "checkpoint").unlink()
    (directory / "checkpoint").symlink_to(precious)
    Store(directory).save(50)
    assert precious.read_text() == "content"
    assert tf.train.latest_checkpoint(str(directory)) == str(directory / "ckpt-50")


def test_a_folder_whose_name_looks_like_a_pattern_keeps_only_a_few(tmp_path):
    store = Store(tmp_path / "[x]")
    for step in range(1, 6):
        store.save(step)
    assert len(os.listdir(tmp_path / "[x]")) == 2 * KEPT + 1


def test_what_was_saved_after_damaged_ones_outlives_them(directory):
    for step in (30, 40):
        os.truncate(directory / f"ckpt-{step}.index", 3)
    store = Store(directory)
    assert store.checkpoints.restore()
    assert store.value == 20.0
    for step in (21, 22, 23):
        store.save(step)
    assert sorted(path.stem for path in directory.glob("*.index")) == ["ckpt-21", "ckpt-22", "ckpt-23"]


def test_a_checkpoint_of_another_run_is_refused_and_stays(tmp_path):
    Store(tmp_path, seed=1, units=(8, 8)).save(10)
    with pytest.raises(UserError, match=r"ckpt-10 is of another run \(made with seed 1, which is 0 here\)"):
        Store(tmp_path, seed=0, units=(8, 8)).checkpoints.restore()
    assert Store(tmp_path, seed=1, units=(8, 8)).checkpoints.restore()


def test_runs_are_compared_by_what_both_versions_know(tmp_path):
    Store(tmp_path, seed=1, gone=2).save(10)
    assert Store(tmp_path, seed=1, new=3).checkpoints.restore()


def test_a_whole_checkpoint_of_another_model_is_refused(tmp_path):
    Store(tmp_path, size=20).save(10)
    with pytest.raises(UserError, match=r"ckpt-10 is of another run \(its model has other weights\)"):
        Store(tmp_path, size=10).checkpoints.restore()


def test_checkpoints_of_0_5_0_are_restored(tmp_path):
    variable = tf.Variable([7.0] * 1000)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(variable=variable), str(tmp_path), max_to_keep=3)
    for step in (10, 20, 30):
        manager.save(checkpoint_number=step)
    store = Store(tmp_path, seed=1)
    assert store.checkpoints.restore()
    assert store.value == 7.0
    store.save(40)
    assert sorted(path.stem for path in tmp_path.glob("*.index")) == ["ckpt-20", "ckpt-30", "ckpt-40"]


def test_a_kill_during_the_very_first_checkpoint_starts_again(tmp_path):
    Store(tmp_path).save(10)
    os.truncate(tmp_path / "ckpt-10.index", 0)
    store = Store(tmp_path, 7.0)
    assert not store.checkpoints.restore()
    assert store.value == 7.0
    assert len(store.notes) == 1
    assert store.notes[0].endswith("starting from step 0.")


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


def test_a_file_in_place_of_the_folder_is_named_before_training(tmp_path):
    (tmp_path / "checkpoints").write_text("")
    with pytest.raises(UserError, match="checkpoints is a file, but checkpoints go there: delete it"):
        Store(tmp_path / "checkpoints").checkpoints.restore()


def test_saving_where_nothing_can_be_written_gets_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="could not be written"):
        Store(tmp_path / "file" / "folder").save(1)
