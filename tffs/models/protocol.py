"""What a model must offer to be scaled, exported and served, whatever it is made of.

A model says in `abilities` what it can do, and has a method for each. A signature of an export names the
ability that it needs (`tffs.serving.signatures`), so a model with other inputs brings an ability of its own and
the signature that asks for it.
"""

from typing import Any, Protocol

from tffs.selection import Choose

# Abilities.
SELECT = "select"
RECONSTRUCT = "reconstruct"
CLASSIFY = "classify"
RANK = "rank"
INFER = "infer"


class Model(Protocol):
    """A Keras model of features chosen from a support set, in the units that it was trained in.

    Attributes:
        num_features: M.
        num_selected: K.
        num_classes: how many classes it tells apart, or None.
        abilities: what it can do. `select`: choose K features for a task. `reconstruct`: give all features of
            rows from the values of the chosen ones. `classify`: give their classes' probabilities.
    """

    num_features: int
    num_selected: int
    num_classes: int | None
    built: bool

    @property
    def abilities(self) -> frozenset[str]:
        """What it can do."""

    def build(self) -> None:
        """Make all weights."""

    def __call__(self, inputs: dict[str, Any], tau: Any = 1.0, noise: Any = None) -> Any:
        """Decode the rows `query` of tasks with the rows `support`, as in training."""

    def select(self, support: Any, mask: Any = None) -> Any:
        """Choose features for each task from its support rows: int32 [tasks, K]."""

    def frozen(self) -> Choose:
        """Give `select`, with scores, for weights that will not change."""

    def reconstruct(self, support: Any, values: Any, mask: Any = None) -> Any:
        """Give all features of rows from the values [tasks, rows, K] of the chosen ones."""

    def classify(self, support: Any, values: Any, mask: Any = None) -> Any:
        """Give the probabilities of rows' classes from the values [tasks, rows, K] of the chosen features."""
