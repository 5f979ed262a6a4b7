"""Marks the values on screens that a rule would call worth a look or bad, each interval by itself.

So screens and the log of exceptions never differ, but for time: a mark needs no duration, and has no memory.
"""

from __future__ import annotations

from zmon.base.absent import Absent, absent
from zmon.base.event import BAD
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.rule.judge import Judge
from zmon.tables.table import SUMMARY

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from zmon.base.absent import Number
    from zmon.machine.view import View
    from zmon.rule.grammar import Rule
    from zmon.tables.table import Table

SIGNS: Final = ("", "*", "!")
"""The marks of the levels."""
NOTHING: Final = absent("no rule could be judged")


def marks(
    rules: Iterable[Rule], name: str, filled: Table, view: View, own: Collection[str] = ()
) -> dict[str, Mapping[int, str]]:
    """Return for each column of a table that rules judge the marks of its rows; not for the columns `own`."""
    judge = Judge(view, filled={name: filled})
    marked: dict[str, dict[int, str]] = {}
    places: dict[str, int] | None = None
    for rule in rules:
        if rule.table != name or rule.column in own or not _is_marked(rule):
            continue
        cells = marked.setdefault(rule.column, {})
        judged = judge.judge(rule, {}, {})
        for key, (level, _) in {} if isinstance(judged, Absent) else judged.items():
            if isinstance(level, Absent) or not level:
                continue
            places = places or {key: at for at, key in enumerate(filled.keys)}
            row = SUMMARY if rule.of_all else places[key]
            cells[row] = max(cells.get(row, ""), SIGNS[level], key=SIGNS.index)
    return dict(marked)


def count_bad(rules: Iterable[Rule], view: View) -> Number:
    """Return for how many rows of all tables a rule is bad in an interval."""
    judge, is_judged, bad = Judge(view), False, 0
    for rule in rules:
        judged = judge.judge(rule, {}, {}) if _is_marked(rule) else NOTHING
        if not isinstance(judged, Absent):
            is_judged = True
            bad += sum(level == BAD for level, _ in judged.values())
    return bad if is_judged else NOTHING


def _is_marked(rule: Rule) -> bool:
    """Return whether a rule marks: one that compares with the interval before has nothing to compare with."""
    return not rule.remembers
