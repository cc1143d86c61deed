"""What targets that are requests have in common."""

import abc

from fuzzing.in_process import InProcess
from fuzzing.target import Target


class RequestTarget(Target, abc.ABC):
    """Puts requests to models that are served in this process; a case's kind is the model.

    Args:
        models: served, by name.

    Attributes:
        models: the same.
    """

    memory = 4096

    def __init__(self, models: dict[str, InProcess]) -> None:
        super().__init__()
        self.models = models
        self.kinds = tuple(models)
