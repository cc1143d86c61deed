"""What the models have in common: they are made of two parts, and Keras' own training is not theirs."""

from typing import Any, ClassVar, Self

import keras


class EpisodicModel(keras.Model):
    """A Keras model that is trained on episodes, by `tffs.training.trainer.Trainer`.

    Attributes:
        PARTS: the constructor's arguments that are layers or models, kept in attributes of the same names.
    """

    PARTS: ClassVar[tuple[str, ...]]

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Refuse: `fit` knows neither episodes nor the temperature."""
        raise NotImplementedError(
            f"{type(self).__name__} is not trained with compile and fit, which would keep the temperature at 1 "
            "and draw no noise: train it with tffs.training.trainer.Trainer, which anneals and draws episodes."
        )

    def get_config(self) -> dict[str, Any]:
        """Give the constructor's arguments that are parts."""
        parts = {name: keras.saving.serialize_keras_object(getattr(self, name)) for name in self.PARTS}
        return {**super().get_config(), **parts}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Self:
        """Build from what `get_config` gave."""
        parts = {
            name: keras.saving.deserialize_keras_object(config[name], custom_objects) for name in cls.PARTS
        }
        return cls(**{**config, **parts})
