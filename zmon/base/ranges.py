"""Things in sentences: how many there are, and their names; those that follow one another as `48-4d 50`."""

from __future__ import annotations

import re

from zmon.base.light_typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NUMBER: Final = re.compile("[0-9A-Fa-f]{1,8}$")
"""The hexadecimal number that a name ends with: `50`, `8000`, `FCP8000`."""
MOST_NAMED: Final = 4
"""Things that a sentence names; of more it says how many."""
FEW_NAMED: Final = 2
"""The same where there is little room, or each has numbers of its own."""
DIGITS: Final = 99.95
"""A number from which on it has no decimals: it would be written as 100.0."""


def many(number: float, what: str, plural: str = "") -> str:
    """Write a number of things: `1 volume`, `13 aliases`, `8.4 requests`."""
    is_whole = isinstance(number, int) or number >= DIGITS
    digits = f"{number:,.0f}" if is_whole else f"{number:.1f}"
    return f"{digits} {what if digits == '1' else plural or f'{what}s'}"


def ranges(names: Iterable[str]) -> str:
    """Write names in their order; of those whose hexadecimal numbers follow one another first and last."""
    runs: list[list[str]] = []
    for name in sorted(set(names)):
        if runs and _follows(name, runs[-1][-1]):
            runs[-1].append(name)
        else:
            runs.append([name])
    return " ".join(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _follows(name: str, before: str) -> bool:
    last, other = NUMBER.search(name), NUMBER.search(before)
    if last is None or other is None or len(name) != len(before):
        return False
    is_same = name[: last.start()] == before[: other.start()]
    return is_same and int(last[0], 16) == int(other[0], 16) + 1


def names(titles: Sequence[str], most: int = MOST_NAMED) -> str:
    """Join names: `LCU 8000 and LCU 8100`; of many the first, and how many more."""
    shown = list(titles[:most])
    more = len(titles) - len(shown)
    if more:
        return f"{', '.join(shown)} and {more:,} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def some(sentences: Sequence[str], more: str, most: int = MOST_NAMED) -> list[str]:
    """Return the first sentences, and behind them how many more there are: `and 3 more volumes hang`."""
    left = len(sentences) - most
    return [*sentences[:most], *([f"and {left:,} more {more}"] if left > 0 else [])]
