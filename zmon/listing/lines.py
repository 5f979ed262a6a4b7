"""The lines of a listing, with their numbers, in bounded memory."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Final

from zmon.listing.container import Note

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LONGEST: Final = 1 << 16
"""Characters of the longest line that is read; a longer one is left out, and noted."""


def numbered(text: str | Iterable[str], notes: list[Note]) -> Iterator[tuple[int, str]]:
    """Give the lines without their ends, counted from 1.

    Args:
        text: the text, or its pieces in order; a line may come in several, as `readline(limit)` cuts it.
        notes: gets one for every line that is too long.
    """
    number = 1
    held: list[str] = []
    size = 0
    for piece in StringIO(text, newline="\n") if isinstance(text, str) else text:
        *ended, rest = piece.split("\n")
        for part in ended:
            size += len(part)
            if size <= LONGEST:
                yield number, "".join((*held, part)).rstrip("\r")
            else:
                notes.append(Note(number, f"line of more than {LONGEST} characters: not read", unread=True))
            number, held, size = number + 1, [], 0
        size += len(rest)
        if rest and size <= LONGEST:
            held.append(rest)
    if held and size <= LONGEST:
        yield number, "".join(held).rstrip("\r")
    elif size > LONGEST:
        notes.append(Note(number, f"line of more than {LONGEST} characters: not read", unread=True))
