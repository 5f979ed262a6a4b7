"""Columns of whole numbers as bytes: byte planes, which compress well and decode at the speed of memory.

A packed column is the smallest of its numbers, and the distances of all from it, divided by what they all can
be divided by (times come in ticks).  Distances stand little-endian, with the lowest bytes of all first, then
the second bytes, and so on: numbers of one column resemble one another, so their upper planes are nearly
constant.  Neither byte order nor word size of the machine matters.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from itertools import repeat
from math import gcd
from operator import add, floordiv, mul, sub
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WORD: Final = 8
"""Bytes of the widest number; wider ranges cannot be packed."""

TRIED: Final = 4096
"""Bytes of which it is tried how they compress best."""

PLAIN: Final = 1.6
"""Words that are not compressed decode four times as fast, which is worth half as many bytes again: each look
at a recording begins with them, and there are few."""

_CODES: Final = {1: "B", 2: "H", 4: "I", 8: "Q"}
"""Of `array`, by bytes; the same on every machine that Linux runs on."""

LARGEST: Final = 1 << 26
"""No packed column expands to more bytes; a larger one is no recording of zmon."""

MOST: Final = 1 << 22
"""Nor is one of more numbers, except a matrix of differences, which is never unpacked as a whole."""


class Packed(NamedTuple):
    """A column of numbers: `low` plus `scale` times distances of `width` bytes each."""

    low: int
    scale: int
    width: int
    """Below zero: words of so many bytes, one after the other, as they are."""
    data: bytes
    """The planes, compressed; empty when all numbers are `low`."""


def words(data: bytes | bytearray) -> array[int]:
    """Return little-endian words of eight bytes as numbers."""
    found = array("Q")
    found.frombytes(data)
    if sys.byteorder == "big":
        found.byteswap()
    return found


def pack(numbers: Sequence[int], *, plain: bool = False) -> Packed:
    """Pack numbers; `plain` ones may stay plain words, if compressing them saves little.

    Raises:
        OverflowError: they lie further apart than 64 bits can tell.
    """
    if not numbers:
        return Packed(0, 1, 0, b"")
    low = min(numbers)
    most = max(numbers) - low
    if not most:
        return Packed(low, 1, 0, b"")
    if low > 0 and _bytes(most + low) == _bytes(most):
        most, low = most + low, 0  # nothing would be saved by a subtraction
    distances: Iterable[int] = list(map(sub, numbers, repeat(low))) if low else numbers
    scale = gcd(*distances)
    if scale > 1:
        distances = map(floordiv, distances, repeat(scale))
        most //= scale
    width = _bytes(most)
    if width > WORD:
        raise OverflowError("numbers further apart than 64 bits")
    if width == 1:
        return Packed(low, scale, 1, deflate([bytes(distances)]))
    distances = list(distances)
    flat = _flat("Q", distances)
    data = deflate([flat[plane::WORD] for plane in range(width)])
    code = next(code for size, code in _CODES.items() if size >= width)
    if plain and array(code).itemsize * len(distances) < PLAIN * len(data):
        return Packed(low, scale, -array(code).itemsize, _flat(code, distances))
    return Packed(low, scale, width, data)


def _bytes(number: int) -> int:
    return (number.bit_length() + 7) // 8


def _flat(code: str, numbers: Iterable[int]) -> bytes:
    raw = array(code, numbers)
    if sys.byteorder == "big":
        raw.byteswap()
    return raw.tobytes()


def deflate(parts: Sequence[bytes]) -> bytes:
    """Compress planes.

    Most are noise, of which nothing but the unevenness of bytes can be saved: that is found at a seventh of
    the cost.  Where lines resemble lines before, which a piece shows, the whole art is worth its time.
    """
    piece = parts[0][:TRIED]
    plain = len(_compressed([piece], zlib.Z_RLE))
    whole = len(_compressed([piece], zlib.Z_DEFAULT_STRATEGY))
    return _compressed(parts, zlib.Z_DEFAULT_STRATEGY if whole * 10 < plain * 9 else zlib.Z_RLE)


def _compressed(parts: Sequence[bytes], strategy: int) -> bytes:
    stream = zlib.compressobj(6, zlib.DEFLATED, zlib.MAX_WBITS, 9, strategy)
    done = []
    for part in parts[:-1]:
        done.append(stream.compress(part))
        if len(part) > TRIED:
            done.append(stream.flush(zlib.Z_SYNC_FLUSH))  # the next plane has bytes of its own
    return b"".join((*done, stream.compress(parts[-1]), stream.flush()))


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
    low, scale, width, data = packed
    if not 0 <= count <= MOST:
        raise ValueError(f"a packed column of {count} numbers")
    if not width:
        return [low] * count
    if -width in _CODES:
        if len(data) != -width * count:
            raise ValueError(f"a packed column of {-width * count} bytes has {len(data)}")
        plain = array(_CODES[-width])
        plain.frombytes(data)
        if sys.byteorder == "big":
            plain.byteswap()
        return restored(plain.tolist(), low, scale)
    if not 0 < width <= WORD:
        raise ValueError(f"a packed column of numbers of {width} bytes")
    planes = inflate(data, width * count)
    distances = list(planes) if width == 1 else words(spread(planes, width, count, count)).tolist()
    return restored(distances, low, scale)


def restored(distances: list[int], low: int, scale: int) -> list[int]:
    """Return the numbers that distances stand for."""
    if scale != 1:
        distances = list(map(mul, distances, repeat(scale)))
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
