import os
import pathlib
import stat

import pytest

from tffs.whole_file import TEMPORARY, replacing, staging


@pytest.fixture
def path(tmp_path):
    (tmp_path / "figures.json").write_text("old")
    return str(tmp_path / "figures.json")


def test_a_file_is_replaced_when_the_block_ends(path, tmp_path):
    with replacing(path) as part:
        with open(part, "w") as file:
            file.write("new")
        assert pathlib.Path(path).read_text() == "old"
    assert pathlib.Path(path).read_text() == "new"
    assert os.listdir(tmp_path) == ["figures.json"]


def write_half(path):
    with replacing(path) as part, open(part, "w") as file:
        file.write("half")
        raise KeyboardInterrupt


def test_a_block_that_fails_leaves_the_file_as_it_was(path, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        write_half(path)
    assert pathlib.Path(path).read_text() == "old"
    assert os.listdir(tmp_path) == ["figures.json"]


def test_two_that_write_at_once_do_not_meet(path):
    with replacing(path) as one, replacing(path) as other:
        assert one != other
        for part in (one, other):
            with open(part, "w") as file:
                file.write(part)


def test_what_is_written_is_called_like_a_leftover_and_keeps_its_ending(path):
    with replacing(path) as part, open(part, "w"):
        assert os.path.basename(part).startswith(TEMPORARY)
        assert part.endswith("-figures.json")


def test_a_link_in_the_place_is_replaced_and_its_target_left_alone(path, tmp_path):
    os.symlink(path, tmp_path / "link.json")
    with replacing(str(tmp_path / "link.json")) as part, open(part, "w") as file:
        file.write("new")
    assert pathlib.Path(path).read_text() == "old"
    assert not os.path.islink(tmp_path / "link.json")


def test_an_error_names_the_file_and_not_the_one_that_was_to_become_it(tmp_path):
    path = str(tmp_path / "missing" / "figures.json")
    with pytest.raises(FileNotFoundError) as caught, replacing(path) as part, open(part, "w"):
        pass
    assert caught.value.filename == path


def test_a_staged_folder_appears_whole_with_the_permissions_of_any_other(tmp_path):
    with staging(str(tmp_path)) as stage:
        os.mkdir(os.path.join(stage, "span"))
        os.rename(os.path.join(stage, "span"), tmp_path / "span")
    (tmp_path / "other").mkdir()
    assert sorted(os.listdir(tmp_path)) == ["other", "span"]
    assert stat.S_IMODE(os.stat(tmp_path / "span").st_mode) == stat.S_IMODE(os.stat(tmp_path / "other").st_mode)
