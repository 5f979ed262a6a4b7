"""Comparisons of figures: `use >= alias-use`, `wait > 0.5 * serv`, `estimated`, `not crowded`, `no misses`.

What is not known is neither over nor under anything: a comparison with it does not hold.  There is no "or"
and no arithmetic: what must be computed is a figure, and another choice is another record.
"""

from __future__ import annotations

import re
from functools import lru_cache
from operator import ge, gt, le, lt
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent
from zmon.base.limits import limit, limits
from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from zmon.words.template import Fields

SIGNS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {">=": ge, "<=": le, ">": gt, "<": lt}
PATTERN: Final = re.compile(
    r"(?P<word>not|no) (?P<of>[a-z_.]+)"
    r"|(?P<left>[a-z_.]+)"
    r"(?: (?P<sign>>=|<=|>|<) (?:(?P<times>\d+(?:\.\d+)?|[a-z]+(?:-[a-z]+)+)(?: \* (?P<many>[a-z_.]+))?"
    r"|(?P<right>[a-z_.]+)))?"
)


class FigureComparison(NamedTuple):
    """One comparison: `left sign times * right`; without a sign that it is so, not so, or not known."""

    left: str
    sign: str
    """`>=`, `<=`, `>`, `<`, empty, `not` or `no`."""
    times: float = 1.0
    right: str = ""
    """Another field; empty for a number."""


@lru_cache(maxsize=512)
def comparison(text: str) -> FigureComparison:
    """Read a comparison, with the numbers of limits.

    Raises:
        ValueError: it is none.
    """
    match = PATTERN.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r:.60} is no comparison, such as use >= 0.7, use >= limit, not estimated")
    if match["word"] or not match["sign"]:
        return FigureComparison(match["of"] or match["left"], match["word"] or "")
    times, right = match["times"] or "1", match["many"] or match["right"] or ""
    if match["right"] in limits():
        times, right = right, ""
    if times[0].isalpha() and times not in limits():
        raise ValueError(f"there is no limit {times!r:.60}")
    number = limit(times) if times[0].isalpha() else float(times)
    return FigureComparison(match["left"], match["sign"], number, right)


def holds(comparisons: Iterable[str], fields: Fields) -> bool:
    """Return whether all comparisons hold.

    Raises:
        KeyError: there is no such field.
        ValueError: one is no comparison.
    """
    return all(_holds(comparison(text), fields) for text in comparisons)


def _holds(comparison: FigureComparison, fields: Fields) -> bool:
    left = fields[comparison.left]
    if comparison.sign == "no":
        return isinstance(left, Absent)
    if comparison.sign in {"", "not"}:
        return bool(left) != bool(comparison.sign)
    right = fields[comparison.right] if comparison.right else 1
    return bool(SIGNS[comparison.sign](left, comparison.times * right))
