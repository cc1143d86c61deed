"""A trained model as its users meet it: raw units in, raw units out."""

from typing import Any

import keras
from keras import ops

from tffs.layers.conditional_decoder import Decoded
from tffs.layers.scaling import Scaling
from tffs.models.episodic_model import EpisodicModel
from tffs.models.posterior_selector import Ranking
from tffs.models.protocol import Model
from tffs.selection import Choose, with_measured
from tffs.selection.greedy import Limits


@keras.saving.register_keras_serializable("tffs")
class RawUnitsSelector(EpisodicModel):
    """A model between the scaling of the source tasks and its inverse.

    The model is trained and measured in scaled units; this one is what is saved and exported.

    Args:
        selector: the trained model, a Keras model with what `tffs.models.protocol.Model` lists.
        scaling: what was learned from the source tasks.

    Example:
        >>> import numpy as np
        >>> import tffs
        >>> model = tffs.RawUnitsSelector(tffs.fixed_model(3, features=[2, 0]), tffs.Scaling())
        >>> model.build()
        >>> model.scaling.learn(offset=np.full(3, 100.0), width=np.full(3, 10.0), median=np.full(3, 105.0))
        >>> rows = model.reconstruct(np.full((1, 4, 3), 104.0), np.array([[[108.0, 101.0]]], "float32"))
        >>> rows.numpy()[0, 0, [2, 0]]  # what was measured comes back
        array([108., 101.], dtype=float32)
    """

    PARTS = ("selector", "scaling")

    def __init__(self, selector: Model, scaling: Scaling, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(selector, keras.Model) or not hasattr(selector, "abilities"):
            raise ValueError(f"Expected a model, such as a FewShotSelector. Received: selector={selector!r}")
        if not isinstance(scaling, Scaling):
            raise ValueError(f"Expected a Scaling layer. Received: scaling={scaling!r}")
        self.selector = selector
        self.scaling = scaling
        self.num_features = selector.num_features
        self.num_selected = selector.num_selected
        self.num_classes = selector.num_classes

    @property
    def abilities(self) -> frozenset[str]:
        """What it can do; see `tffs.models.protocol`."""
        return self.selector.abilities

    @property
    def imputes(self) -> bool:
        """Whether it fills in missing values; else they are errors."""
        return self.scaling.impute

    def build(self, input_shape: Any = None) -> None:
        """Make all weights; the sizes are known, so no data is needed."""
        if not self.selector.built:
            self.selector.build()
        if not self.scaling.built:
            self.scaling.build((None, self.num_features))
        self.built = True

    def call(self, inputs: dict[str, Any], tau: Any = 1.0, noise: Any = None) -> Any:
        """Decode query rows through relaxed choices; see `FewShotSelector.call`."""
        scaled = {**inputs, **{name: self.scaling(inputs[name]) for name in ("support", "query")}}
        decoded = self.selector(scaled, tau=tau, noise=noise)
        return self.scaling.inverse(decoded) if self.num_classes is None else decoded

    def select(self, support: Any, mask: Any = None) -> Any:
        """Choose features for each task from its support rows: int32 [tasks, K]."""
        return self.selector.select(self.scaling(support), mask)

    def frozen(self) -> Choose:
        """Give `select`, with scores, for weights that will not change."""
        choose = self.selector.frozen()
        return lambda support, mask=None: choose(self.scaling(support), mask)

    def reconstruct(self, support: Any, values: Any, mask: Any = None, selected: Any = None) -> Any:
        """Reconstruct all features of rows from the values of the chosen ones.

        Args:
            support: [tasks, support, features].
            values: [tasks, rows, K], in the order in which `select` gives the features.
            mask: boolean [tasks, support], or None.
            selected: int32 [tasks, K], what `select` gave for this support, if it was asked already.

        Returns:
            [tasks, rows, features]. Measured values come back as they were given; of a feature that was chosen
            twice, the first of its values.
        """
        rows, chosen, selected = self._scaled(support, values, mask, selected)
        inferred = self.scaling.inverse(self.selector.reconstruct(rows, chosen, mask))
        return with_measured(inferred, values, selected)

    def classify(self, support: Any, values: Any, mask: Any = None, selected: Any = None) -> Any:
        """Give the probabilities of rows' classes from the values of the chosen features.

        Args:
            support: [tasks, support, features].
            values: [tasks, rows, K], in the order in which `select` gives the features.
            mask: boolean [tasks, support], or None.
            selected: int32 [tasks, K], what `select` gave for this support, if it was asked already.

        Returns:
            [tasks, rows, classes], in the order of `classes` in the run's result.json.
        """
        rows, chosen, _ = self._scaled(support, values, mask, selected)
        return self.selector.classify(rows, chosen, mask)

    def rank(
        self, support: Any, mask: Any = None, limits: Limits | None = None, count: int | None = None
    ) -> Ranking:
        """Give all features that may be chosen, the best first; see `PosteriorSelector.rank`."""
        return self.selector.rank(self.scaling(support), mask, limits, count)

    def infer(self, support: Any, values: Any, mask: Any = None) -> Decoded:
        """Infer all features of rows from any that were measured.

        Args:
            support: [tasks, support, features].
            values: [tasks, rows, features], NaN where a feature was not measured; none is filled in.
            mask: boolean [tasks, support], or None.

        Returns:
            Means and variances, each [tasks, rows, features]. Measured values come back as they were given,
            with variance 0; a feature that is constant in the source tasks has variance 0, too.
        """
        inferred = self.selector.infer(self.scaling(support), self.scaling.scale_measured(values), mask)
        mean = ops.where(ops.isnan(values), self.scaling.inverse(inferred.mean), values)
        return Decoded(mean, inferred.variance * ops.square(self.scaling.width))

    def multiple(self, level: float) -> float:
        """Give how many standard deviations an interval that covers a share `level` reaches to either side."""
        return self.selector.calibration.multiple(level)

    def _scaled(self, support: Any, values: Any, mask: Any, selected: Any) -> tuple[Any, Any, Any]:
        """Scale a support set and the values of the features that are chosen from it; give these, too."""
        if values.shape[-1] != self.num_selected:
            raise ValueError(
                f"Expected the values of the {self.num_selected} chosen features, [tasks, rows, "
                f"{self.num_selected}]. Received: values of shape {tuple(values.shape)}"
            )
        scaled = self.scaling(support)
        if selected is None:
            selected = self.selector.select(scaled, mask)
        return scaled, self.scaling.scale_chosen(values, selected), selected
