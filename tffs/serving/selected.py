"""One feature that a model selected."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Selected:
    """One selected feature, with the probability its selector gives it."""

    index: int
    name: str
    score: float
