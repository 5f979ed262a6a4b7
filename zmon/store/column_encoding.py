"""Columns and descriptions as bytes.

Columns of whole numbers are packed into byte planes, which compress well and decode at the speed of memory.
A packed column is the smallest of its numbers, and the distances of all from it, divided by what they all can
be divided by (times come in ticks).  Distances stand little-endian, with the lowest bytes of all first, then
the second bytes, and so on: numbers of one column resemble one another, so their upper planes are nearly
constant.  Neither byte order nor word size of the machine matters.

Descriptions, and values that are no whole numbers (texts, fractions, and absences with their reasons), are
JSON, compressed where they are long.
"""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from itertools import repeat
from math import gcd
from operator import add, floordiv, mul, sub
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zmon.absent import Absent, absent
from zmon.store.file_format import Damaged

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zmon.absent import Value


WORD: Final = 8
"""Bytes of the widest number; wider ranges cannot be packed."""

TRIED_BYTES: Final = 4096
"""Bytes of which it is tried how they compress best."""

PLAIN_WORTH: Final = 1.6
"""Words that are not compressed decode four times as fast, which is worth half as many bytes again: each look
at a recording begins with them, and there are few."""

_CODES: Final = {1: "B", 2: "H", 4: "I", 8: "Q"}
"""Of `array`, by bytes; the same on every machine that Linux runs on."""

MAX_COLUMN_BYTES: Final = 1 << 26
"""No packed column expands to more bytes; a larger one is no recording of zmon."""

MAX_NUMBERS: Final = 1 << 22
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
    if plain and array(code).itemsize * len(distances) < PLAIN_WORTH * len(data):
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
    piece = parts[0][:TRIED_BYTES]
    plain = len(_compressed([piece], zlib.Z_RLE))
    whole = len(_compressed([piece], zlib.Z_DEFAULT_STRATEGY))
    return _compressed(parts, zlib.Z_DEFAULT_STRATEGY if whole * 10 < plain * 9 else zlib.Z_RLE)


def _compressed(parts: Sequence[bytes], strategy: int) -> bytes:
    stream = zlib.compressobj(6, zlib.DEFLATED, zlib.MAX_WBITS, 9, strategy)
    done = []
    for part in parts[:-1]:
        done.append(stream.compress(part))
        if len(part) > TRIED_BYTES:
            done.append(stream.flush(zlib.Z_SYNC_FLUSH))  # the next plane has bytes of its own
    return b"".join((*done, stream.compress(parts[-1]), stream.flush()))


def inflate(data: bytes, size: int) -> bytes:
    """Decompress to exactly `size` bytes.

    Raises:
        ValueError: it is something else, or more.
    """
    if not 0 <= size <= MAX_COLUMN_BYTES:
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
    if not 0 <= count <= MAX_NUMBERS:
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


MAX_TEXT_BYTES: Final = 1 << 24
"""No JSON text of a recording is longer."""

MAX_TEXT_RATIO: Final = 64
"""No text of a recording is so many times as long as its compressed form; honest ones reach 7.

Without this bound, a recording of 1 MiB expands to 1 GiB.
"""

MIN_TEXT_BOUND: Final = 1 << 12
"""Bytes to which a compressed text may expand whatever the ratio."""

MIN_COMPRESSED: Final = 128
"""Bytes of JSON up to which compressing would save little."""

MAX_TEXT_WEIGHT: Final = 1 << 20
"""No JSON text of a recording has more lists, objects, names and values (`weight`).

Each takes up to a hundred bytes of memory.
"""


def to_json(value: Value) -> object:
    """Return a value as JSON can hold it."""
    return {"absent": value.reason} if isinstance(value, Absent) else value


def from_json(found: Any) -> Value:
    """Return the value that JSON held.

    Raises:
        Damaged: it is none.
    """
    if isinstance(found, dict) and isinstance(found.get("absent"), str):
        return absent(found["absent"])
    if isinstance(found, (int, float, str)):
        return found
    raise Damaged(f"{type(found).__name__} where a value should be")


def dump(document: object) -> bytes:
    """Return a document as JSON, compressed if it is long; level 1, because samples wait for it."""
    text = json.dumps(document, separators=(",", ":")).encode()
    return text if len(text) < MIN_COMPRESSED else compressed(text, zlib.Z_DEFAULT_STRATEGY)


def compressed(text: bytes, strategy: int, ratio: int = MAX_TEXT_RATIO) -> bytes:
    """Return a text compressed so that `expanded` accepts it."""
    for way in (strategy, zlib.Z_HUFFMAN_ONLY):  # the latter saves 7 of 8 bytes at most
        stream = zlib.compressobj(1, zlib.DEFLATED, zlib.MAX_WBITS, 9, way)
        found = stream.compress(text) + stream.flush()
        if len(text) <= max(MIN_TEXT_BOUND, ratio * len(found)):
            break
    return found


def expanded(data: bytes, largest: int = MAX_TEXT_BYTES, ratio: int = MAX_TEXT_RATIO) -> bytes:
    """Return what was compressed.

    Raises:
        Damaged: it is cut off, or expands beyond all bounds.
    """
    stream = zlib.decompressobj()
    most = min(largest, max(MIN_TEXT_BOUND, ratio * len(data)))
    try:
        text = stream.decompress(data, most + 1)
    except zlib.error as error:
        raise Damaged(f"a description is damaged: {error}") from error
    if len(text) > most:
        raise Damaged(f"a description of {len(data):,} bytes expands to more than {most:,}")
    if not stream.eof:
        raise Damaged("a description is cut off")
    return text


def load(data: bytes) -> Any:
    """Return the document of JSON, compressed or not.

    Raises:
        Damaged: it is none, or too long.
    """
    return parsed(text_of(data))


def text_of(data: bytes) -> bytes:
    """Return the JSON text of a document, compressed or not.

    Raises:
        Damaged: it is cut off, or expands beyond all bounds.
    """
    return data if data[:1] in {b"{", b"["} else expanded(data)  # no compressed text begins so


def weight(text: bytes) -> int:
    """Return how many lists, objects, names and values a JSON text has at most."""
    return sum(map(text.count, (b"[", b"{", b",", b":")))


def parsed(text: bytes) -> Any:
    """Return the document of JSON.

    Raises:
        Damaged: it is none, or would take too much memory.
    """
    if len(text) > MAX_TEXT_BYTES or weight(text) > MAX_TEXT_WEIGHT:
        raise Damaged("a description is too long")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Damaged(f"a description is damaged: {error}") from error
