"""Names and sentences made plain: nothing in them that a terminal would obey, and no longer than a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.screen import number

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST: Final = 1000
"""Characters of a sentence that are printed; of a longer one the middle is left out."""


def plain(text: str) -> str:
    r"""Return text with what a terminal would obey replaced; bytes that are no UTF-8 as `\udcff`."""
    return number.harmless(text.encode("utf-8", "backslashreplace").decode())


def shorten(text: str, width: int) -> str:
    """Make a name plain and short enough; the middle is left out, because its ends tell most."""
    return number.shorten(plain(text), width)


def folded(sentence: str, width: int, before: str = "", indent: str | None = None) -> Iterator[str]:
    """Yield a plain sentence in lines of at most `width`: `before` the first, `indent` before the others.

    Without `indent` the others stand below the first.  A word that is longer than a line is broken.
    """
    text = plain(sentence)
    text = text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} .. {text[-LONGEST * 2 // 5 :]}"
    indent = " " * len(before) if indent is None else indent
    line = before
    bare = True
    for word in text.split():
        rest = word
        if not bare and len(line) + 1 + len(rest) > width:
            yield line
            line, bare = indent, True
        while len(line) + len(rest) > width and bare:
            room = max(width - len(line), 1)
            yield line + rest[:room]
            line, rest = indent, rest[room:]
        line, bare = (line + rest if bare else f"{line} {rest}"), bare and not rest
    if not bare:
        yield line


def field(text: str) -> str:
    """Return a name for a field of CSV: on one line, and nothing in it that a terminal would obey."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
