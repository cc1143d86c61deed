"""How much a packed file may become when it is unpacked."""

from tffs.errors import UserError

MOST_TIMES = 500  # what is measured becomes five to a hundred times as large
ALWAYS_BYTES = 256 * 2**20


def check_unpacked(path: str, packed: int, unpacked: int) -> None:
    """Refuse a file that was made to fill the memory.

    Args:
        path: the file.
        packed: bytes of it that were read.
        unpacked: bytes that they became, at least.
    """
    if unpacked > max(ALWAYS_BYTES, MOST_TIMES * packed):
        raise UserError(
            f"{path} becomes more than {MOST_TIMES} times as large when it is unpacked, as files do that are "
            "made to fill the memory: if its content is right, save it without compression."
        )
