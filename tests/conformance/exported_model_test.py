"""What every trained and exported model must satisfy."""

import json
import subprocess
import sys

import keras
import numpy as np
import pytest
import tensorflow as tf

# A client that knows TensorFlow and nothing of tffs, and loads the model as TF Serving does.
SESSION_CLIENT = """
import json, sys
import numpy as np
import tensorflow as tf
support = np.load(sys.argv[2])
with tf.compat.v1.Session(graph=tf.Graph()) as session:
    meta = tf.compat.v1.saved_model.loader.load(session, ["serve"], sys.argv[1])
    signature = meta.signature_def["serving_default"]
    fetches = {name: info.name for name, info in signature.outputs.items()}
    answer = session.run(fetches, {signature.inputs["support"].name: support})
assert not any(name.split(".")[0] in ("tffs", "data_builders") for name in sys.modules), "tffs was imported"
print(json.dumps({"indices": answer["indices"].tolist(),
                  "names": [[name.decode() for name in row] for row in answer["names"]],
                  "scores": answer["scores"].tolist()}))
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


def test_session_loader_gives_the_same_answer_in_a_process_without_tffs(finished, select, support, tmp_path):
    np.save(tmp_path / "support.npy", support)
    command = [sys.executable, "-c", SESSION_CLIENT, f"{finished.exports}/1", str(tmp_path / "support.npy")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    served, expected = json.loads(done.stdout), select(support)
    assert served["indices"] == expected["indices"].tolist()
    assert served["names"] == [[name.decode() for name in row] for row in expected["names"]]
    np.testing.assert_allclose(served["scores"], expected["scores"], rtol=1e-5)


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
