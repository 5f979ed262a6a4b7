"""Values that are no whole numbers, as JSON holds them: texts, fractions, and absences with their reasons."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any, Final

from zmon.absent import Absent, absent
from zmon.store.error import Damaged

if TYPE_CHECKING:
    from zmon.absent import Value

LARGEST: Final = 1 << 24
"""No JSON text of a recording is longer."""

RATIO: Final = 64
"""No text of a recording is so many times as long as its compressed form; honest ones reach 7.

Without this bound, a recording of 1 MiB expands to 1 GiB.
"""

LITTLE: Final = 1 << 12
"""Bytes to which a compressed text may expand whatever the ratio."""

SHORT: Final = 128
"""Bytes of JSON up to which compressing would save little."""

MOST: Final = 1 << 20
"""No JSON text of a recording has more lists, objects, names and values (`weight`).

Each takes up to a hundred bytes of memory.
"""


def plain(value: Value) -> object:
    """Return a value as JSON can hold it."""
    return {"absent": value.reason} if isinstance(value, Absent) else value


def value(found: Any) -> Value:
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
    return text if len(text) < SHORT else compressed(text, zlib.Z_DEFAULT_STRATEGY)


def compressed(text: bytes, strategy: int, ratio: int = RATIO) -> bytes:
    """Return a text compressed so that `expanded` accepts it."""
    for way in (strategy, zlib.Z_HUFFMAN_ONLY):  # the latter saves 7 of 8 bytes at most
        stream = zlib.compressobj(1, zlib.DEFLATED, zlib.MAX_WBITS, 9, way)
        found = stream.compress(text) + stream.flush()
        if len(text) <= max(LITTLE, ratio * len(found)):
            break
    return found


def expanded(data: bytes, largest: int = LARGEST, ratio: int = RATIO) -> bytes:
    """Return what was compressed.

    Raises:
        Damaged: it is cut off, or expands beyond all bounds.
    """
    stream = zlib.decompressobj()
    most = min(largest, max(LITTLE, ratio * len(data)))
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
    if len(text) > LARGEST or weight(text) > MOST:
        raise Damaged("a description is too long")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Damaged(f"a description is damaged: {error}") from error
