"""Text for terminals: control characters replaced, widths in cells, suggestions for mistyped words."""

from __future__ import annotations

import re
from functools import lru_cache

from zmon.base.light_typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable


def harmless(text: str, *, ascii_only: bool = False, escaped: bool = False) -> str:
    r"""Replace each control character, such as ESC, by `?`; letters of all scripts stay.

    A byte that is not UTF-8 is written as Python's escape, `\udcff`; with `escaped` so is each control
    character, `\n`, and names that differ stay different.  With `ascii_only` letters of other scripts are
    replaced, too, and the length stays.
    """
    if text.isprintable() and (not ascii_only or text.isascii()):
        return text
    if ascii_only:
        return "".join(c if c.isascii() and c.isprintable() else "?" for c in text)
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode() if escaped or _is_byte(c) else "?"
        for c in text
    )


def _is_byte(char: str) -> bool:
    """Return whether a character represents a byte that could not be decoded."""
    return "\ud800" <= char <= "\udfff"


def cells(text: str) -> int:
    """Return how many cells of a terminal a text takes: a Chinese letter takes two, an added accent none."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width  # noqa: PLC0415 - most names are ASCII

    return sum(
        0 if category(char) in {"Mn", "Me"} else 2 if east_asian_width(char) in {"W", "F"} else 1
        for char in text
    )


def padded(text: str, width: int) -> str:
    """Return a text with blanks behind it, so that it takes `width` cells."""
    return text + " " * (width - cells(text))


def beginning(text: str, width: int) -> str:
    """Return as much of the beginning of a text as fits in `width` cells."""
    if text.isascii():
        return text[: max(width, 0)]
    end = min(len(text), max(width, 0))
    while end and cells(text[:end]) > width:
        end -= 1
    return text[:end]


UNITS: Final = r"(?:%|s|ms|[KMG]i?B(?:/s)?)(?![\w/])"
"""The units that stay on the line of their number."""


def unbroken(text: str) -> list[str]:
    """Return the parts of a text between which a line may end: its words, a number with its unit as one."""
    return re.split(rf"\s+(?!(?<=\d\s){UNITS})", text.strip())


def wrap(text: str, width: int) -> list[str]:
    """Break a text into lines of at most `width` characters; what is too long for a line is cut up.

    A number stays with its unit.
    """
    return list(_wrapped(text, max(width, 1)))


@lru_cache(maxsize=256)
def _wrapped(text: str, width: int) -> tuple[str, ...]:
    """Break a text into lines; screens show the same notes with each sample."""
    lines = [""]
    for word in unbroken(text):
        rest = word
        if lines[-1] and len(lines[-1]) + 1 + len(rest) <= width:
            lines[-1] += " " + rest
            continue
        if lines[-1]:
            lines.append("")
        while len(rest) > width:
            lines[-1] = rest[:width]
            lines.append("")
            rest = rest[width:]
        lines[-1] = rest
    return tuple(lines)


MAX_COMPARED: Final = 40
"""Longer words are compared by their first characters."""

MIN_SIMILARITY: Final = 0.6
"""How much of a word must be alike, from 0 to 1."""


_ESCAPE: Final = re.compile(r"\\x([0-9a-f]{2})", re.ASCII)


def unescaped_hex(name: str) -> str:
    r"""Return a name in which systemd or `findmnt -r` has written some characters as `\x2d`."""
    raw = _ESCAPE.sub(lambda match: chr(0xDC00 + code if (code := int(match[1], 16)) > 0x7F else code), name)
    return raw.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def did_you_mean(word: str, choices: Iterable[str], sign: str = "") -> str:
    """Return `: did you mean DEVICE?` with the one or two known words most similar to it; or empty.

    `sign` is what stands before each, such as `--`.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - only an error needs it

    spelled = {choice.casefold(): choice for choice in choices}
    similar = get_close_matches(word.casefold()[:MAX_COMPARED], spelled, n=2, cutoff=MIN_SIMILARITY)
    return f": did you mean {' or '.join(sign + spelled[word] for word in similar)}?" if similar else ""
