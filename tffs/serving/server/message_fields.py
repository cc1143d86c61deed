"""Count the fields of a protocol buffer without reading it, to refuse what would take too much to read."""

import functools

from google.protobuf.descriptor import Descriptor

VARINT, LENGTH = 0, 2  # wire types
FIXED = {1: 8, 5: 4}  # bytes of the wire types of fixed size
LONGEST_VARINT = 10


def count_fields(content: bytes, kind: Descriptor, most: int) -> int:
    """Count the fields of a message and of the messages in it.

    The parser makes up to 300 bytes of a field of two, and lets no other thread run meanwhile. A field of
    packed numbers counts as one, however many they are.

    Args:
        content: the bytes; counting ends where they are not a message, which is for the parser to refuse.
        kind: of the message.
        most: where to stop.

    Returns:
        The number of fields, or `most` + 1 if there are more.
    """
    count = 0
    parts = [(0, len(content), kind)]
    try:
        while parts:
            position, end, kind = parts.pop()
            while position < end:
                count += 1
                if count > most:
                    return count
                key, position = _varint(content, position)
                wire = key & 7
                if wire == VARINT:
                    _, position = _varint(content, position)
                elif wire == LENGTH:
                    size, position = _varint(content, position)
                    inner = _messages(kind).get(key >> 3)
                    if inner is not None:
                        parts.append((position, min(position + size, end), inner))
                    position += size
                else:
                    position += FIXED.get(wire, 0)  # the start or the end of a group has no bytes of its own
    except (IndexError, ValueError):
        pass
    return count


@functools.cache
def _messages(kind: Descriptor) -> dict[int, Descriptor]:
    """Give the kinds of the messages in a message, by the numbers of their fields."""
    return {field.number: field.message_type for field in kind.fields if field.message_type is not None}


def _varint(content: bytes, position: int) -> tuple[int, int]:
    """Read a number, and give it with the position after it."""
    byte = content[position]
    if byte < 128:  # nearly always
        return byte, position + 1
    number = byte & 127
    for place in range(1, LONGEST_VARINT):
        byte = content[position + place]
        number |= (byte & 127) << 7 * place
        if byte < 128:
            return number, position + place + 1
    raise ValueError("not a number")
