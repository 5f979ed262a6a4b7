"""What the rows of all answers have: an origin, something they are about, and perhaps a doubt."""

from __future__ import annotations

from typing import Final, Protocol

RDEV: Final = r"[1-3]?[0-9A-F]{4}"
"""A real device number; the first of five digits is that of a subchannel set, 1 to 3."""

BY_WORDS: Final = "the line lost its columns and was read by words"
LOWER: Final = "the line is in lower case, as CP never writes it"
REMEMBERED: Final = "the layout of this answer was never checked against a real one"

MOST: Final = 64
"""Lines and numbers that one answer may have; what comes after them is not its."""


class Row(Protocol):
    """What was understood: a named tuple of one of the sorts."""

    @property
    def line(self) -> int:
        """The line where it began."""

    @property
    def weak(self) -> str:
        """Why it may be wrong; empty when it is as CP writes it."""

    @property
    def key(self) -> str:
        """What it is about: of two rows of a sort with one key the later one holds."""


def label(text: str) -> str:
    """Return the label of a volume; empty when CP shows none, or question marks for it."""
    found = text.strip()
    return found if found.strip("?") else ""
