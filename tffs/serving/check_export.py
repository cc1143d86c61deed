"""Check an exported model as a stock server would meet it.

Run as a script by its path, in a process of its own: it knows TensorFlow and the serving API, not tffs. The
model is loaded through the session loader, which TF Serving uses and which refuses models that
`tf.saved_model.load` takes; the warm-up requests are replayed and the golden request must get its response.
"""

import gc
import json
import os
import sys
from typing import Any

import numpy as np

TOLERANCE = 1e-5


def main(path: str) -> None:
    """Check the version folder at `path`; an exception says what is wrong."""
    import tensorflow as tf
    from tensorflow_serving.apis import prediction_log_pb2

    extra = os.path.join(path, "assets.extra")
    with tf.compat.v1.Session(graph=tf.Graph()) as session:
        meta = tf.compat.v1.saved_model.loader.load(session, ["serve"], path)

        def ask(signature_name: str, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
            signature = meta.signature_def[signature_name]
            fetches = {name: info.name for name, info in signature.outputs.items()}
            return session.run(fetches, {signature.inputs[name].name: array for name, array in inputs.items()})

        replayed = set()
        for record in tf.compat.v1.io.tf_record_iterator(os.path.join(extra, "tf_serving_warmup_requests")):
            request = prediction_log_pb2.PredictionLog.FromString(record).predict_log.request
            name = request.model_spec.signature_name
            outputs = ask(name, {key: tf.make_ndarray(tensor) for key, tensor in request.inputs.items()})
            errors = [text.decode() for text in outputs.get("error", []) if text]
            if errors:
                raise ValueError(f"the warm-up request of '{name}' gets the error: {errors[0]}")
            replayed.add(name)
        if replayed != set(meta.signature_def) - {"serving_default", "__saved_model_init_op"}:
            raise ValueError(f"only {', '.join(sorted(replayed))} have warm-up requests")
        request, expected = (_read(extra, f"golden_{name}.json") for name in ("request", "response"))
        support = np.array([instance["support"] for instance in request["instances"]], np.float32)
        _compare(ask(request["signature_name"], {"support": support}), expected["predictions"])


def _read(folder: str, name: str) -> Any:
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file)


def _compare(outputs: dict[str, np.ndarray], predictions: list[dict[str, Any]]) -> None:
    for task, prediction in enumerate(predictions):
        if set(prediction) != set(outputs):
            raise ValueError(f"the golden response has {sorted(prediction)}, the model {sorted(outputs)}")
        for name, expected in prediction.items():
            answer = outputs[name].tolist()[task]
            if outputs[name].dtype.kind == "f":
                same = np.allclose(answer, expected, rtol=TOLERANCE)
            else:
                same = _text(answer) == expected
            if not same:
                raise ValueError(f"'{name}' is not that of the golden response")


def _text(value: Any) -> Any:
    if isinstance(value, list):
        return [_text(entry) for entry in value]
    return value.decode() if isinstance(value, bytes) else value


if __name__ == "__main__":
    gc.disable()  # looking for garbage, also in the end, would take a third of so short a process
    main(sys.argv[1])
    gc.freeze()
