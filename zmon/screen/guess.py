"""What a person may have meant by a word that means nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST: Final = 40
"""Longer words are compared by their first characters."""

ALIKE: Final = 0.6
"""How much of a word must be alike, from 0 to 1."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `: did you mean DEVICE?` with the one or two words most like another; empty if none is."""
    from difflib import get_close_matches  # noqa: PLC0415 - only what is wrong needs it

    spelled = {one.casefold(): one for one in known}
    found = get_close_matches(word.casefold()[:LONGEST], spelled, n=2, cutoff=ALIKE)
    return f": did you mean {' or '.join(spelled[one] for one in found)}?" if found else ""
