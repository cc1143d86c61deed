"""One input: what kind it is, what was asked of it, and its bytes; written to a file that a person can read."""

import dataclasses
import urllib.parse

LONGEST_HEAD = 1000


@dataclasses.dataclass(frozen=True)
class Case:
    """An input of a target.

    Its file has one line of the form `kind?name=value&name=value` and then the content as it is.

    Attributes:
        kind: which of a target's kinds of input.
        asked: what a person or a client says beside it, by name.
        content: the bytes of a file, a body or a message.
    """

    kind: str
    asked: dict[str, str]
    content: bytes

    def to_bytes(self) -> bytes:
        """Write the case."""
        asked = urllib.parse.urlencode(self.asked, errors="surrogateescape")
        return f"{self.kind}?{asked}\n".encode() + self.content

    @classmethod
    def from_bytes(cls, data: bytes) -> "Case | None":
        """Read a case; None for bytes that are none."""
        head, line, content = data.partition(b"\n")
        if not line or len(head) > LONGEST_HEAD or not head.isascii():
            return None
        kind, _, asked = head.decode("ascii").partition("?")
        try:
            pairs = urllib.parse.parse_qsl(asked, keep_blank_values=True, errors="surrogateescape")
        except ValueError:
            return None
        return cls(kind, dict(pairs), content)
