"""What every trained and exported model must satisfy."""

import pathlib
import subprocess
import sys

import keras
import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

# A client that knows TensorFlow and nothing of tffs, and loads the model as TF Serving does.
SESSION_CLIENT = """
import sys
import numpy as np
import tensorflow as tf
sent = np.load(sys.argv[2])
with tf.compat.v1.Session(graph=tf.Graph()) as session:
    meta = tf.compat.v1.saved_model.loader.load(session, ["serve"], sys.argv[1])
    given = {}
    for key in sent.files:
        signature, _, name = key.partition(":")
        given.setdefault(signature, {})[name] = sent[key]
    answers = {}
    for name, inputs in given.items():
        signature = meta.signature_def[name]
        fetches = {key: info.name for key, info in signature.outputs.items()}
        feed = {signature.inputs[key].name: array for key, array in inputs.items()}
        for key, array in session.run(fetches, feed).items():
            answers[f"{name}:{key}"] = array.astype("S") if array.dtype == object else array
assert not any(name.split(".")[0] in ("tffs", "data_builders") for name in sys.modules), "tffs was imported"
np.savez(sys.argv[3], **answers)
"""


@pytest.fixture(scope="module")
def select(finished):
    loaded = tf.saved_model.load(f"{finished.exports}/1")
    signature = loaded.signatures["serving_default"]

    def answer(support):
        return {name: tensor.numpy() for name, tensor in signature(support=tf.constant(support)).items()}

    answer.keep = loaded
    return answer


@pytest.fixture
def support(rng):
    return rng.random((7, 4, 64), dtype=np.float32)


def _example(task):
    feature = tf.train.Feature(float_list=tf.train.FloatList(value=task.ravel()))
    return tf.train.Example(features=tf.train.Features(feature={"support": feature})).SerializeToString()


def test_session_loader_gives_the_same_answers_in_a_process_without_tffs(finished, select, support, tmp_path):
    requests = {
        "serving_default": {"support": support},
        "select_masked": {"support": support, "support_size": np.full(7, 4, np.int32)},
        "select_examples": {"examples": np.array([_example(task) for task in support[:3]])},
        "reconstruct": {"support": support, "values": support[:, :3, :6]},
        "describe": {"request": np.zeros(2, np.int32)},
    }
    flat = {f"{name}:{key}": array for name, inputs in requests.items() for key, array in inputs.items()}
    np.savez(tmp_path / "sent.npz", **flat)
    command = [sys.executable, "-c", SESSION_CLIENT, f"{finished.exports}/1", "sent.npz", "answers.npz"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    answers = np.load(tmp_path / "answers.npz")
    for name, inputs in requests.items():
        signature = select.keep.signatures[name]
        expected = signature(**{key: tf.constant(array) for key, array in inputs.items()})
        for key, tensor in expected.items():
            came, array = answers[f"{name}:{key}"], tensor.numpy()
            if array.dtype.kind == "f":
                np.testing.assert_allclose(came, array, rtol=1e-5)
            else:
                np.testing.assert_array_equal(came, array.astype("S") if array.dtype == object else array)


def test_export_selects_like_the_trained_keras_model(finished, select, support):
    model = keras.saving.load_model(finished.model)
    np.testing.assert_array_equal(select(support)["indices"], model.select(support))


def test_order_of_support_rows_does_not_matter(select, support):
    turned = select(support[:, ::-1])
    np.testing.assert_array_equal(select(support)["indices"], turned["indices"])
    np.testing.assert_allclose(select(support)["scores"], turned["scores"], rtol=1e-4)


def test_batch_equals_single(select, support):
    together = select(support)
    for task in range(len(support)):
        alone = select(support[task : task + 1])
        np.testing.assert_array_equal(together["indices"][task], alone["indices"][0])
        np.testing.assert_allclose(together["scores"][task], alone["scores"][0], rtol=1e-4)


def test_names_belong_to_indices(select, support):
    answer = select(support)
    for indices, names in zip(answer["indices"], answer["names"], strict=True):
        assert [name.decode() for name in names] == [f"r{index // 8}c{index % 8}" for index in indices]


def test_export_holds_no_optimizer_state(finished):
    reader = tf.train.load_checkpoint(f"{finished.exports}/1/variables/variables")
    assert not [name for name in reader.get_variable_to_shape_map() if "moment" in name or "optimizer" in name]


def test_export_uses_core_operations_only(finished):
    content = pathlib.Path(finished.exports, "1", "saved_model.pb").read_bytes()
    graph = saved_model_pb2.SavedModel.FromString(content).meta_graphs[0].graph_def
    used = {node.op for node in graph.node}
    used |= {node.op for function in graph.library.function for node in function.node_def}
    functions = {function.signature.name for function in graph.library.function}
    known = {name for name in used if tf.raw_ops.__dict__.get(name)}
    assert used - functions - known <= {"Const", "NoOp", "Placeholder", "_Retval", "_Arg"}
    assert "Assert" not in used  # it would fail the neighbours of a bad request


def test_measured_features_come_back_as_they_were_measured(finished, select, support):
    reconstruct = tf.saved_model.load(f"{finished.exports}/1").signatures["reconstruct"]
    chosen = select(support)["indices"][:, None, :]
    values = np.take_along_axis(support, chosen, axis=2)
    answer = reconstruct(support=support, values=values)["reconstruction"].numpy()
    np.testing.assert_array_equal(np.take_along_axis(answer, chosen, axis=2), values)


def test_reconstruction_uses_the_measured_values(finished, select, support):
    reconstruct = tf.saved_model.load(f"{finished.exports}/1").signatures["reconstruct"]
    values = support[:, :3, :6]
    one = reconstruct(support=support, values=values)["reconstruction"].numpy()
    other = reconstruct(support=support, values=1.0 - values)["reconstruction"].numpy()
    assert one.shape == (7, 3, 64)
    inferred = np.ones_like(one, bool)
    np.put_along_axis(inferred, select(support)["indices"][:, None, :], False, axis=2)
    assert np.abs(one - other)[inferred].max() > 0.01
