"""Words that are nearly others: one or two letters mistyped, missing, doubled or in the wrong order."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

SHORT: Final = 6
"""Words of fewer letters may have one mistake only, else words of three letters would all be alike."""
LONGEST: Final = 40
"""Characters of the longest word that is compared."""


def allowed(word: str) -> int:
    """Return how many mistakes a word may have."""
    return 2 if len(word) >= SHORT else 1 if len(word) > 2 else 0


@lru_cache(maxsize=4096)
def distance(word: str, other: str) -> int:
    """Return how many letters are changed, left out, added, or exchanged with their neighbours."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(word, 1):
        line = [row]
        for column, wanted in enumerate(other, 1):
            cost = min(last[column] + 1, line[-1] + 1, last[column - 1] + (letter != wanted))
            if row > 1 and column > 1 and letter == other[column - 2] and word[row - 2] == wanted:
                cost = min(cost, before[column - 2] + 1)
            line.append(cost)
        before, last = last, line
    return last[-1]


def is_like(word: str, words: Collection[str]) -> bool:
    """Tell whether a word is one of these, or nearly so."""
    return word in words or bool(meant(word, words))


def meant(word: str, words: Collection[str]) -> str:
    """Return which of these a word nearly is; empty when it is none, or one of them itself."""
    if not word or word in words or len(word) > LONGEST:
        return ""
    letters = frozenset(word)
    near = [
        (distance(word, other), other)
        for other in words
        if abs(len(word) - len(other)) <= 2
        and len(letters ^ _letters(other)) <= 4  # a mistake changes two of them at the most
        and distance(word, other) <= min(allowed(word), allowed(other))
    ]
    return min(near)[1] if near else ""


@lru_cache(maxsize=512)
def _letters(word: str) -> frozenset[str]:
    return frozenset(word)
