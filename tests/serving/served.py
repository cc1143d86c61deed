"""A model with its signatures, as a server would run it."""

import keras
import tensorflow as tf

from tffs.serving.signatures import Signatures


def served(model, description, folder):
    """Write a model and load it; gives a function that asks a signature."""
    archive = keras.export.ExportArchive()
    archive.track(model)
    Signatures(model, description).add_to(archive)
    archive.write_out(str(folder), verbose=False)
    loaded = tf.saved_model.load(str(folder))

    def ask(signature, **inputs):
        answer = loaded.signatures[signature](**{name: tf.constant(value) for name, value in inputs.items()})
        return {name: tensor.numpy() for name, tensor in answer.items()}

    ask.loaded = loaded
    return ask
