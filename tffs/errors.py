"""The exceptions that reach a person as one sentence instead of a traceback."""


class UserError(Exception):
    """A mistake that the person at the command line can correct.

    The message is one sentence that says what was expected, what came and what to do.
    """


class Interrupted(Exception):
    """Training was asked to stop (SIGTERM or Ctrl-C) and has saved its state.

    Args:
        step: the step that was saved.
    """

    def __init__(self, step: int) -> None:
        super().__init__(f"stopped at step {step}")
        self.step = step
