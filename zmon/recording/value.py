"""Values that are no whole numbers, as JSON holds them: texts, fractions, and absences with their reasons."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any, Final

from zmon.absent import Absent, absent
from zmon.recording.error import Damaged

if TYPE_CHECKING:
    from zmon.absent import Value

LARGEST: Final = 1 << 27
"""No JSON text of a recording is longer."""


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
    """Return a document as compressed JSON; level 1, because samples wait for it."""
    return zlib.compress(json.dumps(document, separators=(",", ":")).encode(), 1)


def load(data: bytes) -> Any:
    """Return the document of compressed JSON.

    Raises:
        Damaged: it is none, or too long.
    """
    stream = zlib.decompressobj()
    try:
        text = stream.decompress(data, LARGEST)
        if not stream.eof:
            raise Damaged("a description is cut off or too long")
        return json.loads(text)
    except (zlib.error, ValueError, RecursionError, TypeError) as error:
        raise Damaged(f"a description is damaged: {error}") from error
