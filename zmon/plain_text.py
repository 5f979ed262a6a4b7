"""Text that comes from elsewhere, made harmless: names of files, labels, answers of servers."""

from __future__ import annotations


def harmless(text: str, *, ascii_only: bool = False, escaped: bool = False) -> str:
    r"""Replace each character that a terminal would obey, such as ESC, by `?`; letters of all scripts stay.

    A byte that is no UTF-8 is written as Python spells it, `\udcff`; with `escaped` so is each other one,
    `\n`, and names that differ stay different.  With `ascii_only` letters of other scripts are replaced, too,
    and the length stays: screens count columns.
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
    """Tell whether a character stands for a byte that could not be decoded."""
    return "\ud800" <= char <= "\udfff"
