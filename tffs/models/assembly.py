"""Put models together from their hyperparameters."""

from collections.abc import Sequence
from typing import Any

from tffs.layers import FixedFeatures, SharedSelector, TaskDecoder, TaskSelector
from tffs.layers.initialization import child_seeds
from tffs.models.few_shot_selector import FewShotSelector

SELECTORS = ("task", "direct", "embedding")


def concrete_model(
    num_features: int,
    num_selected: int,
    selector_dim: int = 300,
    embedding_units: int = 64,
    decoder_units: Sequence[int] = (32, 32),
    task_code_dim: int = 1,
    pi_stddev: float = 0.05,
    output_activation: str = "sigmoid",
    kernel_initializer: Any = "glorot_uniform",
    selection: str = "argmax",
    selector: str = "task",
    seed: int | None = None,
    num_classes: int | None = None,
    dtype: Any = None,
    **kwargs: Any,
) -> FewShotSelector:
    """Make the paper's model: Concrete selectors and a decoder that learn together.

    Args:
        num_features: M.
        num_selected: K, at most M.
        selector_dim: T, the size of each pi^(k).
        embedding_units: size of f in both permutation-invariant networks.
        decoder_units: sizes of the decoder's hidden layers.
        task_code_dim: size of r(S); 0 leaves it out.
        pi_stddev: standard deviation of the initial pi.
        output_activation: of a reconstruction: `sigmoid`, `tanh` or `linear`.
        kernel_initializer: of all kernels.
        selection: `argmax` (the paper) or `unique` (K distinct features).
        selector: what log_alpha depends on: `task` (the paper: on the support set), or the same for every task,
            as a `direct` parameter or through an `embedding`. A direct one with `task_code_dim=0` makes the
            model a concrete autoencoder.
        seed: makes the initial weights reproducible.
        num_classes: None to reconstruct, or how many classes the decoder gives logits of.
        dtype: of the model and its layers.
        **kwargs: go to the model.

    Returns:
        The model, whose weights `build` makes.

    Example:
        >>> import numpy as np
        >>> import tffs
        >>> model = tffs.concrete_model(num_features=6, num_selected=2, selector_dim=4, seed=0)
        >>> model.build()
        >>> model.select(np.zeros((3, 4, 6), "float32")).shape  # two features for each of three tasks
        TensorShape([3, 2])
    """
    if selector not in SELECTORS:
        raise ValueError(f"Expected one of {', '.join(SELECTORS)}. Received: selector={selector!r}")
    selector_seed, decoder_seed = child_seeds(seed, 2)
    common: dict[str, Any] = {
        "pi_stddev": pi_stddev,
        "kernel_initializer": kernel_initializer,
        "seed": selector_seed,
        "selection": selection,
        "dtype": dtype,
        "name": "selector",
    }
    chooses: TaskSelector | SharedSelector
    if selector == "task":
        chooses = TaskSelector(num_selected, selector_dim, embedding_units, **common)
    else:
        chooses = SharedSelector(num_selected, selector_dim if selector == "embedding" else None, **common)
    layers = (decoder_units, task_code_dim, embedding_units)
    decoder = _decoder(
        num_features, num_classes, output_activation, layers, kernel_initializer, decoder_seed, dtype
    )
    return FewShotSelector(chooses, decoder, num_features, num_classes, dtype=dtype, **kwargs)


def fixed_model(
    num_features: int,
    features: Sequence[int],
    decoder_units: Sequence[int] = (32, 32),
    task_code_dim: int = 1,
    embedding_units: int = 64,
    output_activation: str = "sigmoid",
    seed: int | None = None,
    num_classes: int | None = None,
) -> FewShotSelector:
    """Make a model of features that are chosen beforehand: only the paper's decoder learns.

    Args:
        num_features: M.
        features: the K chosen features.
        decoder_units: sizes of the decoder's hidden layers.
        task_code_dim: size of r(S); 0 leaves it out.
        embedding_units: size of f in r(S).
        output_activation: of a reconstruction: `sigmoid`, `tanh` or `linear`.
        seed: makes the initial weights reproducible.
        num_classes: None to reconstruct, or how many classes the decoder gives logits of.

    Returns:
        The model, whose weights `build` makes.

    Example:
        >>> import numpy as np
        >>> import tffs
        >>> model = tffs.fixed_model(num_features=6, features=[3, 1])
        >>> model.build()
        >>> model.select(np.zeros((1, 4, 6), "float32")).numpy()
        array([[3, 1]], dtype=int32)
    """
    layers = (decoder_units, task_code_dim, embedding_units)
    decoder = _decoder(num_features, num_classes, output_activation, layers, seed=seed)
    return FewShotSelector(FixedFeatures(features, name="selector"), decoder, num_features, num_classes)


def _decoder(
    num_features: int,
    num_classes: int | None,
    output_activation: str,
    layers: tuple[Sequence[int], int, int],
    kernel_initializer: Any = "glorot_uniform",
    seed: int | None = None,
    dtype: Any = None,
) -> TaskDecoder:
    """Make the decoder of a model: of features, or of the logits of classes."""
    outputs = num_features if num_classes is None else num_classes
    activation = output_activation if num_classes is None else "linear"
    return TaskDecoder(outputs, *layers, activation, kernel_initializer, seed, dtype=dtype, name="decoder")
