"""Bodies too large to keep: made on the fly, every byte checked on arrival."""

import random
import struct

BLOCK = 1 << 20
_NOISE = random.Random(20260).randbytes(BLOCK)


class Blocks:
    """The body of a given length: blocks of the same noise, each beginning with its number, so that a byte that
    is lost, doubled or moved is noticed."""

    def __init__(self, length):
        self.length = length
        self._block = bytearray(_NOISE)

    def __iter__(self):
        for number in range((self.length + BLOCK - 1) // BLOCK):
            struct.pack_into("!Q", self._block, 0, number)
            left = self.length - number * BLOCK
            yield self._block if left >= BLOCK else self._block[:left]


def count_verified(readinto, length):
    """Reads to the end and compares with Blocks(length). Returns the number of bytes; raises at a difference."""
    received = 0
    buffer = bytearray(BLOCK)
    view = memoryview(buffer)
    for expected in Blocks(length):
        filled = 0
        while filled < len(expected):
            count = readinto(view[filled : len(expected)])
            if not count:
                return received + filled
            filled += count
        # bytearrays of equal length are compared by memcmp
        if buffer != expected if filled == BLOCK else buffer[:filled] != expected:
            raise AssertionError(f"wrong bytes between {received} and {received + filled}")
        received += filled
    if readinto(view):
        raise AssertionError("more bytes than were sent")
    return received
