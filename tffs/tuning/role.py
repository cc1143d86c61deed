"""keras-tuner's distributed mode: which part this process plays, by its environment variables."""

import dataclasses
from collections.abc import Mapping

from tffs.errors import UserError

ID, IP, PORT = "KERASTUNER_TUNER_ID", "KERASTUNER_ORACLE_IP", "KERASTUNER_ORACLE_PORT"


@dataclasses.dataclass(frozen=True)
class Role:
    """The part that this process plays.

    Attributes:
        name: its name, which says `chief` for the chief.
        address: where the chief listens.
    """

    name: str
    address: str

    @property
    def is_chief(self) -> bool:
        """Tell whether this process is the chief, by keras-tuner's rule."""
        return "chief" in self.name


def role_of(environment: Mapping[str, str]) -> Role | None:
    """Read the environment; None where the search is on this machine alone."""
    if IP not in environment:
        return None
    for needed in (IP, PORT, ID):
        if not environment.get(needed):
            raise UserError(
                f"A search on many machines needs {needed}, which is empty or not set: a chief has {ID}=chief, "
                f"every worker an {ID} of its own, and all of them the chief's {IP} and {PORT}; without {IP} "
                "the search is on this machine."
            )
    port = environment[PORT]
    if not port.isdecimal() or not 0 < int(port) < 2**16:
        raise UserError(f"{PORT} must be a port such as 8000, from 1 to 65535, but received '{port}'.")
    return Role(environment[ID], f"{environment[IP]}:{environment[PORT]}")
