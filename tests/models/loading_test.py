import keras
import pytest

from tffs.errors import UserError
from tffs.models import concrete_model, load_model


def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path):
    with pytest.raises(UserError, match="model.keras is not there: give the workdir of a finished run"):
        load_model(str(tmp_path))


@pytest.mark.parametrize("content", [b"", b"nonsense", b"PK\x05\x06" + bytes(18)])
def test_a_damaged_file_is_one_sentence(tmp_path, content):
    (tmp_path / "model.keras").write_bytes(content)
    with pytest.raises(UserError, match="model.keras cannot be read as a model of tffs"):
        load_model(str(tmp_path))


def test_a_file_cut_short_and_a_file_of_another_kind_are_told_from_models(tmp_path):
    inner = concrete_model(5, 2, decoder_units=(3,))
    inner.build()
    inner.save(tmp_path / "cut.keras")
    content = (tmp_path / "cut.keras").read_bytes()
    (tmp_path / "cut.keras").write_bytes(content[: len(content) // 2])
    (tmp_path / "plain.csv").write_text("a,b\n1,2\n")
    (tmp_path / "arrays.npz").write_bytes(content)
    for name in ("cut.keras", "plain.csv", "arrays.npz"):
        with pytest.raises(UserError, match="tffs: it is no .keras file, or only a part of one"):
            load_model(str(tmp_path / name))


def test_a_model_of_another_class_is_refused_by_its_name(tmp_path):
    keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)]).save(tmp_path / "model.keras")
    with pytest.raises(UserError, match="holds a Sequential, not a model that a run of tffs saved"):
        load_model(str(tmp_path))
    inner = concrete_model(5, 2, decoder_units=(3,))
    inner.build()
    inner.save(tmp_path / "inner.keras")
    with pytest.raises(UserError, match="holds a FewShotSelector"):
        load_model(str(tmp_path / "inner.keras"))


def test_a_class_that_nobody_registered_is_one_sentence(tmp_path):
    class Stranger(keras.layers.Layer):
        def call(self, x):
            return x

    keras.Sequential([keras.Input((2,)), Stranger()]).save(tmp_path / "model.keras")
    with pytest.raises(UserError, match="cannot be read as a model of tffs .*Stranger"):
        load_model(str(tmp_path))
