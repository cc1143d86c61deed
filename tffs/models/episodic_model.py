"""What the models have in common: Keras' own training is not theirs."""

from typing import Any

import keras


class EpisodicModel(keras.Model):
    """A Keras model that is trained on episodes, by `tffs.training.trainer.Trainer`."""

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Refuse: `fit` knows neither episodes nor the temperature."""
        raise NotImplementedError(
            f"{type(self).__name__} is not trained with compile and fit, which would keep the temperature at 1 "
            "and draw no noise: train it with tffs.training.trainer.Trainer, which anneals and draws episodes."
        )
