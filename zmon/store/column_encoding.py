"""Columns and documents as bytes.

Columns of whole numbers are packed into byte planes, which compress well and decode at the speed of memory:
the smallest number, and the distances of all from it, divided by their greatest common divisor (times come in
ticks).  Distances are little-endian, first the lowest bytes of all, then the second bytes and so on: numbers
of one column are alike, so their upper planes are nearly constant.  Neither byte order nor word size of the
machine matters.  Values that are no whole numbers are in a palette, and codes say which row has which
(`encode_column`).

Documents, and in them values that are no whole numbers (texts, fractions, absences with their reasons), are
JSON, compressed if long.  Whatever reads bytes here raises `Damaged` or ValueError if they are invalid, and
never expands them beyond the bounds below.
"""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from itertools import repeat
from math import gcd
from operator import add, floordiv, mul, sub

from zmon.base.absent import Absent, absent
from zmon.base.light_typing import TYPE_CHECKING, Any, Final
from zmon.base.record import NamedTuple
from zmon.store.file_format import Damaged

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zmon.base.absent import Value


CUT_OFF: Final = "a description is cut off"
TOO_LONG: Final = "a description is too long"
WORD: Final = 8
"""Bytes of the widest number; wider ranges cannot be packed."""

MEMORY_LEVELS: Final = (5, 9)
"""The least and the greatest memory level of zlib that is used; ..."""
SYMBOL_BITS: Final = 6
"""... at level n a block has 2 to the power of n plus 6 symbols."""
TRIED_BYTES: Final = 4096
"""Bytes of which both ways of compression are tried."""

PLAIN_WORTH: Final = 1.6
"""Words that are not compressed decode four times as fast, which is worth half as many bytes again: each seek
begins with them, and there are few."""

_CODES: Final = {1: "B", 2: "H", 4: "I", 8: "Q"}
"""Of `array`, by bytes; the same on every machine that Linux runs on."""

SIGNED: Final = {"b": 1, "h": 2, "i": 4, "q": 8}
"""Bytes of signed words, by their code in `array`, the least first."""

MAX_COLUMN_BYTES: Final = 1 << 26
"""Bytes that a packed column may expand to: a matrix of 65,536 devices, 240 readings and four bytes."""

MAX_INFLATE_RATIO: Final = 1032
"""No deflated byte expands to more."""

MAX_NUMBERS: Final = 1 << 22
"""Numbers of a packed column, except a matrix of differences, which is never unpacked as a whole."""

MAX_TEXT_BYTES: Final = 1 << 24
"""Bytes of a document."""

MAX_TEXT_RATIO: Final = 64
"""Bytes of a document for each of its compressed form; honest ones reach 7.

Without this bound, a recording of 1 MiB expands to 1 GiB.
"""

MIN_TEXT_BOUND: Final = 1 << 12
"""Bytes to which a compressed document may expand whatever the ratio."""

MIN_COMPRESSED: Final = 128
"""Bytes of JSON from which it is compressed."""

MAX_TEXT_WEIGHT: Final = 1 << 20
"""Lists, objects, names and values of a document (`weight`); each takes up to a hundred bytes of memory."""


# packed numbers


class Packed(NamedTuple):
    """A column of numbers: `low` plus `scale` times distances of `width` bytes each."""

    low: int
    scale: int
    width: int
    """Below zero: words of that number of bytes, one after the other, as they are."""
    data: bytes
    """The planes, compressed; empty when all numbers are `low`."""


def words(data: bytes | bytearray | memoryview, code: str = "Q") -> array[int]:
    """Return little-endian words as numbers; `code` is their size as in `array`, by default eight bytes."""
    numbers = array(code)
    numbers.frombytes(data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def pack(numbers: Sequence[int], *, plain: bool = False) -> Packed:
    """Pack numbers; `plain` ones may stay plain words, if compressing them saves little.

    Raises:
        OverflowError: they are further apart than 64 bits hold.
    """
    low = min(numbers, default=0)
    most = max(numbers, default=0) - low
    if not most:
        return Packed(low, 1, 0, b"")
    if low > 0 and _bytes(most + low) == _bytes(most):
        most, low = most + low, 0  # a subtraction would save nothing
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
    flat = plain_words("Q", distances)
    data = deflate([flat[plane::WORD] for plane in range(width)])
    size, code = next((size, code) for size, code in _CODES.items() if size >= width)
    if plain and size * len(distances) < PLAIN_WORTH * len(data):
        return Packed(low, scale, -size, plain_words(code, distances))
    return Packed(low, scale, width, data)


def _bytes(number: int) -> int:
    return (number.bit_length() + 7) // 8


def narrow_words(numbers: list[int]) -> Sequence[int]:
    """Return numbers as signed words of the least size that holds them all; the list itself if none does.

    Raises:
        TypeError: they are not all whole numbers.
    """
    for code in SIGNED:
        try:
            return array(code, numbers)
        except OverflowError:
            continue
    if not all_whole(numbers):
        raise TypeError("not all are whole numbers")
    return numbers


def plain_words(code: str, numbers: Iterable[int]) -> bytes:
    """Return numbers as little-endian words, whose size is given as in `array`."""
    return little_endian(array(code, numbers))


def little_endian(numbers: array[int]) -> bytes:
    """Return words as bytes."""
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers.tobytes()


def deflate(parts: Sequence[bytes]) -> bytes:
    """Compress planes.

    Most are noise, where only the uneven distribution of bytes helps: Z_RLE finds that at a seventh of the
    cost. If a piece shows that lines repeat, the full search is worth its time.
    """
    piece = parts[0][:TRIED_BYTES]
    strategy, packed = zlib.Z_RLE, _compressed([piece], zlib.Z_RLE)
    whole = _compressed([piece], zlib.Z_DEFAULT_STRATEGY)
    if len(whole) * 10 < len(packed) * 9:
        strategy, packed = zlib.Z_DEFAULT_STRATEGY, whole
    return packed if list(parts) == [piece] else _compressed(parts, strategy)


def _compressed(parts: Sequence[bytes], strategy: int) -> bytes:
    size = sum(map(len, parts))
    # its tables are cleared for each stream: those for a short one are small, and make the same bytes of it
    level = min(max(MEMORY_LEVELS[0], size.bit_length() - SYMBOL_BITS), MEMORY_LEVELS[1])
    stream = zlib.compressobj(6, zlib.DEFLATED, zlib.MAX_WBITS, level, strategy)
    done = []
    for part in parts[:-1]:
        done.append(stream.compress(part))
        if len(part) > TRIED_BYTES:
            done.append(stream.flush(zlib.Z_SYNC_FLUSH))  # the next plane has bytes of its own
    return b"".join((*done, stream.compress(parts[-1]), stream.flush()))


def inflate(data: bytes, size: int) -> bytes:
    """Decompress to exactly `size` bytes."""
    if not 0 <= size <= min(MAX_COLUMN_BYTES, MAX_INFLATE_RATIO * len(data)):
        raise ValueError(f"a packed column of {size} bytes")
    stream = zlib.decompressobj()
    try:
        content = stream.decompress(data, size + 1)
    except zlib.error as error:
        raise ValueError(f"a packed column is damaged: {error}") from error
    if len(content) != size or not stream.eof:
        raise ValueError(f"a packed column of {size} bytes has {len(content)}")
    return content


def spread(planes: bytes, width: int, count: int, whole: int) -> bytearray:
    """Return the first `count` of `whole` distances as words of eight bytes."""
    flat = bytearray(count * WORD)
    for plane in range(width):
        flat[plane::WORD] = planes[plane * whole : plane * whole + count]
    return flat


def unpack(packed: Packed, count: int) -> list[int]:
    """Return the `count` numbers of a column."""
    low, scale, width, data = packed
    if not 0 <= count <= MAX_NUMBERS:
        raise ValueError(f"a packed column of {count} numbers")
    if not width:
        return [low] * count
    if -width in _CODES:
        if len(data) != -width * count:
            raise ValueError(f"a packed column of {-width * count} bytes has {len(data)}")
        return restored(words(data, _CODES[-width]).tolist(), low, scale)
    if not 0 < width <= WORD:
        raise ValueError(f"a packed column of numbers of {width} bytes")
    planes = inflate(data, width * count)
    distances = list(planes) if width == 1 else words(spread(planes, width, count, count)).tolist()
    return restored(distances, low, scale)


def restored(distances: list[int], low: int, scale: int) -> list[int]:
    """Return the numbers that distances encode."""
    if scale != 1:
        distances = list(map(mul, distances, repeat(scale)))
    return list(map(add, distances, repeat(low))) if low else distances


def slices(planes: bytes, width: int, across: int, most: int, whole: int) -> Iterable[int]:
    """Yield the first `most` rows of a matrix of distances, each as one big number of 64-bit lanes.

    Adding such numbers adds all their lanes at once; the caller makes sure that no lane overflows.
    """
    flat = spread(planes, width, across * most, whole)
    step = across * WORD
    view = memoryview(flat)
    for start in range(0, most * step, step):
        yield int.from_bytes(view[start : start + step], "little")


def lanes(total: int, across: int) -> array[int]:
    """Return the lanes of a big number."""
    return words(total.to_bytes(across * WORD, "little"))


# documents


def to_json(value: Value) -> object:
    """Return a value as JSON can hold it."""
    return {"absent": value.reason} if isinstance(value, Absent) else value


def from_json(data: Any) -> Value:
    """Return the value that JSON holds."""
    if isinstance(data, dict) and isinstance(data.get("absent"), str):
        return absent(data["absent"])
    if isinstance(data, (int, float, str)):
        return data
    raise Damaged(f"{type(data).__name__} where a value should be")


def dump(document: object) -> bytes:
    """Return a document as JSON, compressed if it is long; level 1, because samples wait for it."""
    text = json.dumps(document, separators=(",", ":")).encode()
    return text if len(text) < MIN_COMPRESSED else compressed(text, zlib.Z_DEFAULT_STRATEGY)


def compressed(text: bytes, strategy: int, ratio: int = MAX_TEXT_RATIO) -> bytes:
    """Return a text compressed so that `expanded` accepts it."""
    for way in (strategy, zlib.Z_HUFFMAN_ONLY):  # the latter saves 7 of 8 bytes at most
        stream = zlib.compressobj(1, zlib.DEFLATED, zlib.MAX_WBITS, 9, way)
        packed = stream.compress(text) + stream.flush()
        if len(text) <= max(MIN_TEXT_BOUND, ratio * len(packed)):
            break
    return packed


def expanded(data: bytes, largest: int = MAX_TEXT_BYTES, ratio: int = MAX_TEXT_RATIO) -> bytes:
    """Return what was compressed."""
    stream = zlib.decompressobj()
    most = min(largest, max(MIN_TEXT_BOUND, ratio * len(data)))
    try:
        text = stream.decompress(data, most + 1)
    except zlib.error as error:
        raise Damaged(f"a description is damaged: {error}") from error
    if len(text) > most:
        raise Damaged(f"a description of {len(data):,} bytes expands to more than {most:,}")
    if not stream.eof:
        raise Damaged(CUT_OFF)
    return text


def load(data: bytes) -> Any:
    """Return a document from its bytes, compressed or not."""
    return parsed(text_of(data))


def text_of(data: bytes) -> bytes:
    """Return the JSON text of a document, compressed or not."""
    return data if data[:1] in {b"{", b"["} else expanded(data)  # no compressed text begins so


def weight(text: bytes) -> int:
    """Return the number of lists, objects, names and values of a JSON text, at most."""
    return sum(map(text.count, (b"[", b"{", b",", b":")))


def parsed(text: bytes) -> Any:
    """Return the document of a JSON text that would not take too much memory."""
    if len(text) > MAX_TEXT_BYTES or weight(text) > MAX_TEXT_WEIGHT:
        raise Damaged(TOO_LONG)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Damaged(f"a description is damaged: {error}") from error


# columns of any values


def all_whole(values: Sequence[Value]) -> bool:
    """Return whether a column holds whole numbers only, as those of counters do."""
    return set(map(type, values)) <= {int}


def only_numbers(values: Sequence[Value]) -> Sequence[int]:
    """Return a column with 0 in the place of everything else."""
    if all_whole(values):
        return values  # type: ignore[return-value]  # as just checked
    return [v if type(v) is int else 0 for v in values]


def encode_column(values: Sequence[Value]) -> bytes:
    """Return a column as bytes: a document, packed numbers, and packed codes.

    Code 0 is a number, n is the n-th value of the palette.
    """
    palette: list[object] = []
    codes: Packed | None = None
    whole = only_numbers(values)
    if whole is not values:
        palette_codes: dict[tuple[type, object], int] = {}
        codes_of = []
        for value in values:
            if type(value) is int:
                codes_of.append(0)
                continue
            name = (
                type(value),
                repr(value) if type(value) is float else value,
            )  # -0.0 is not 0.0, and nan is nan
            if name not in palette_codes:
                palette_codes[name] = len(palette) + 1
                palette.append(to_json(value))
            codes_of.append(palette_codes[name])
        codes = pack(codes_of)
    try:
        packed = pack(whole, plain=True)
    except OverflowError:
        # numbers of more than 64 bits: as text they have room
        return _joined({"count": len(values), "all": [to_json(item) for item in values]})
    head = {"count": len(values), "numbers": [*packed[:3], len(packed.data)]}
    if codes is None:
        return _joined(head, packed.data)
    head |= {"palette": palette, "codes": list(codes[:3])}
    return _joined(head, packed.data, codes.data)


def _joined(head: dict[str, object], *parts: bytes) -> bytes:
    document = dump(head)
    return b"".join((len(document).to_bytes(4, "little"), document, *parts))


def decode_column(data: bytes, count: int) -> list[Value]:
    """Return the `count` values of a column."""
    try:
        values = _decoded(data, count)
    except Damaged:
        raise
    except (ValueError, TypeError, KeyError, IndexError, OverflowError) as error:
        raise Damaged(f"a column is damaged: {error}") from error
    if len(values) != count:
        raise Damaged(f"a column of {len(values)} rows where {count} are expected")
    return values


def _decoded(data: bytes, count: int) -> list[Value]:
    size = int.from_bytes(data[:4], "little")
    head, body = load(data[4 : 4 + size]), data[4 + size :]
    if head["count"] != count:
        raise Damaged(f"a column of {head['count']} rows where {count} are expected")
    if "all" in head:
        return [from_json(value) for value in head["all"]]
    low, scale, width, length = map(int, head["numbers"])
    whole = unpack(Packed(low, scale, width, body[:length]), count)
    if "codes" not in head:
        return whole  # type: ignore[return-value]  # whole numbers are values
    palette = [from_json(value) for value in head["palette"]]
    low, scale, width = map(int, head["codes"])
    codes = unpack(Packed(low, scale, width, body[length:]), count)
    lowest = min(codes, default=0)
    if lowest < 0:
        raise Damaged("a column of unknown values")
    if lowest:
        return [palette[code - 1] for code in codes]
    return [palette[code - 1] if code else value for code, value in zip(codes, whole, strict=True)]
