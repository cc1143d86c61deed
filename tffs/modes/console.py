"""How a mode talks to the person: results to standard output, everything else to standard error."""

from tffs.printable import printable
from tffs.running.watcher import Verbose


class Console(Verbose):
    """Standard output, standard error, and the person's wish to stop."""

    def show(self, text: str) -> None:
        """Print a result."""
        print(printable(text), flush=True)
