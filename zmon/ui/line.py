"""A line of the glass: its text, and what its parts are.

Lines are compared before they are painted, so they are plain values.  What a part is - data, a heading, an
alarm - is named here; which colour that has is the theme's matter.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KINDS: Final = (
    "data", "strong", "label", "heading", "look", "alarm", "absent", "guidance", "message", "entry",
    "caret", "cell",
)  # fmt: skip
"""What a part of a line can be."""

UNDER: Final = ("cursor", "panel")
"""Backgrounds of a whole line."""


class Part(NamedTuple):
    """The characters from `start` up to `end` are of a kind."""

    start: int
    end: int
    kind: str


class Line(NamedTuple):
    """One line; where parts overlap the later counts."""

    text: str
    kind: str = "data"
    parts: tuple[Part, ...] = ()
    under: str = ""


EMPTY: Final = Line("")


def runs(line: Line) -> Iterator[tuple[str, str]]:
    """Cut a line into pieces of one kind each: `(text, kind)`."""
    if not line.parts:
        yield line.text, line.kind
        return
    kinds = [line.kind] * len(line.text)
    for start, end, kind in line.parts:
        if start < len(kinds):
            kinds[start:end] = [kind] * (min(end, len(kinds)) - start)
    at = 0
    for kind, same in groupby(kinds):
        length = sum(1 for _ in same)
        yield line.text[at : at + length], kind
        at += length


def texts(lines: Sequence[Line]) -> str:
    """Return lines as one text, without blanks at their ends."""
    return "\n".join(line.text.rstrip() for line in lines)
