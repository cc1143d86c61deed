"""How a mode talks to the person: results to standard output, everything else to standard error."""

from tffs.printable import printable
from tffs.running.watcher import Verbose


class Console(Verbose):
    """Standard output, standard error, and the person's wish to stop."""

    def __enter__(self) -> "Console":
        return self

    def __exit__(self, *error: object) -> None:
        """Take away a line that is still live, so that what follows starts on a line of its own."""
        self.end()

    def show(self, text: str) -> None:
        """Print a result."""
        self.end()
        print(printable(text), flush=True)
