"""Values that are no whole numbers, as JSON holds them: texts, fractions, and absences with their reasons."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any, Final

from zmon.absent import Absent, absent
from zmon.recording.error import Damaged

if TYPE_CHECKING:
    from zmon.absent import Value

LARGEST: Final = 1 << 26
"""No JSON text of a recording is longer."""

SHORT: Final = 128
"""Bytes of JSON up to which compressing would save little."""

MOST: Final = 1 << 20
"""No JSON text of a recording has more lists and objects, which take some hundred bytes of memory each."""


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
    return text if len(text) < SHORT else zlib.compress(text, 1)


def load(data: bytes) -> Any:
    """Return the document of JSON, compressed or not.

    Raises:
        Damaged: it is none, or too long.
    """
    if data[:1] in {b"{", b"["}:  # as no compressed text begins
        return parsed(data)
    stream = zlib.decompressobj()
    try:
        text = stream.decompress(data, LARGEST)
    except zlib.error as error:
        raise Damaged(f"a description is damaged: {error}") from error
    if not stream.eof:
        raise Damaged("a description is cut off or too long")
    return parsed(text)


def parsed(text: bytes) -> Any:
    """Return the document of JSON.

    Raises:
        Damaged: it is none, or would take too much memory.
    """
    if len(text) > LARGEST or text.count(b"[") + text.count(b"{") > MOST:
        raise Damaged("a description is too long")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Damaged(f"a description is damaged: {error}") from error
