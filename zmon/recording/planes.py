"""Columns of whole numbers as bytes: byte planes, which compress well and decode at the speed of memory.

A packed column is the smallest of its numbers, the width of the largest distance from it, and all distances,
little-endian, with the lowest bytes of all first, then the second bytes, and so on.  Numbers of one column
resemble one another, so their upper planes are nearly constant.  Neither byte order nor word size of the
machine matters.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from itertools import repeat
from operator import add, sub
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WORD: Final = 8
"""Bytes of the widest number; wider ranges cannot be packed."""

LEVEL: Final = 6
"""Of zlib: higher ones take twice the time for a percent."""

LARGEST: Final = 1 << 28
"""No packed column expands to more bytes; a larger one is no recording of zmon."""


class Packed(NamedTuple):
    """A column of numbers: `low` plus distances of `width` bytes each."""

    low: int
    width: int
    data: bytes
    """The planes, compressed; empty when all numbers are `low`."""


def words(data: bytes | bytearray) -> array[int]:
    """Return little-endian words of eight bytes as numbers."""
    found = array("Q")
    found.frombytes(data)
    if sys.byteorder == "big":
        found.byteswap()
    return found


def pack(numbers: Sequence[int]) -> Packed:
    """Pack numbers.

    Raises:
        OverflowError: they lie further apart than 64 bits can tell.
    """
    if not numbers:
        return Packed(0, 0, b"")
    low = min(numbers)
    most = max(numbers) - low
    width = (most.bit_length() + 7) // 8
    if not width:
        return Packed(low, 0, b"")
    if width > WORD:
        raise OverflowError("numbers further apart than 64 bits")
    distances: Iterable[int] = map(sub, numbers, repeat(low)) if low else numbers
    if width == 1:
        return Packed(low, 1, zlib.compress(bytes(distances), LEVEL))
    raw = array("Q", distances)
    if sys.byteorder == "big":
        raw.byteswap()
    flat = raw.tobytes()
    return Packed(low, width, zlib.compress(b"".join(flat[p::WORD] for p in range(width)), LEVEL))


def inflate(data: bytes, size: int) -> bytes:
    """Decompress to exactly `size` bytes.

    Raises:
        ValueError: it is something else, or more.
    """
    if not 0 <= size <= LARGEST:
        raise ValueError(f"a packed column of {size} bytes")
    stream = zlib.decompressobj()
    try:
        found = stream.decompress(data, size + 1)
    except zlib.error as error:
        raise ValueError(f"a packed column is damaged: {error}") from error
    if len(found) != size or not stream.eof:
        raise ValueError(f"a packed column of {size} bytes has {len(found)}")
    return found


def spread(planes: bytes, width: int, count: int, whole: int) -> bytearray:
    """Return the first `count` of `whole` distances as words of eight bytes."""
    flat = bytearray(count * WORD)
    for plane in range(width):
        flat[plane::WORD] = planes[plane * whole : plane * whole + count]
    return flat


def unpack(packed: Packed, count: int) -> list[int]:
    """Return the numbers of a column of `count`.

    Raises:
        ValueError: what was packed is damaged.
    """
    low, width, data = packed
    if not width:
        return [low] * count
    if not 0 < width <= WORD:
        raise ValueError(f"a packed column of numbers of {width} bytes")
    planes = inflate(data, width * count)
    distances = list(planes) if width == 1 else words(spread(planes, width, count, count)).tolist()
    return list(map(add, distances, repeat(low))) if low else distances


def slices(planes: bytes, width: int, across: int, most: int, whole: int) -> Iterable[int]:
    """Yield the first `most` rows of a matrix of distances, each as one big number of 64-bit lanes.

    Adding such numbers adds all their lanes at once; who does it sees to it that no lane overflows.
    """
    flat = spread(planes, width, across * most, whole)
    step = across * WORD
    view = memoryview(flat)
    for start in range(0, most * step, step):
        yield int.from_bytes(view[start : start + step], "little")


def lanes(total: int, across: int) -> array[int]:
    """Return the lanes of a big number."""
    return words(total.to_bytes(across * WORD, "little"))
