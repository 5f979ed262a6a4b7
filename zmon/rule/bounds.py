"""Says which rules cannot hold in an interval, from the few columns of a table that are at hand.

A recorder fills the tables of its trends anyway.  Where no row of them reaches a limit, a rule need not be
judged: most rules in most intervals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, ratio
from zmon.kinds import BLOCK, DEVICE
from zmon.rule.grammar import ALL, COUNT, LACKING, SIGNS
from zmon.tables.filled import definition, needs
from zmon.values.path_masks import OF_DEVICE

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.interval import Interval
    from zmon.rule.grammar import Precondition, Rule
    from zmon.sample import Kind
    from zmon.tables.table import Table

OF_DEVICES: Final = ("online", *OF_DEVICE)
"""Of devices, what steady figures are made of, ..."""
OF_DISKS: Final = ("map",)
"""... and of block devices: which of them are paths of a multipath device."""
ESTIMATED: Final = frozenset({"channel"})
"""Tables in which a screen may estimate what the trends lack."""


def quiet(rules: Iterable[Rule], tables: Mapping[str, Table]) -> set[str]:
    """Return the names of the rules that hold for no row that does not hold already."""
    return {rule.name for rule in rules if rule.table in tables and _is_quiet(rule, tables[rule.table])}


def is_unchanged(rule: Rule, interval: Interval) -> bool:
    """Return whether all that a rule looks at is as in the interval before: it holds for no further row."""
    figures = definition(rule.table).figures
    is_steady = not (rule.per or rule.siblings or rule.hours or rule.rows) and all(
        column in figures and figures[column].steady and not other
        for column, other in ((rule.column, ""), *((term.left, term.other) for term in rule.when))
    )
    if not is_steady or interval.before is None:
        return False
    return _are_alike(interval, DEVICE, OF_DEVICES) and _are_alike(interval, BLOCK, OF_DISKS)


def _are_alike(interval: Interval, kind: Kind, columns: Iterable[str]) -> bool:
    """Return whether a kind has the same rows, and the same in some columns, at both ends of an interval."""
    assert interval.before is not None  # noqa: S101 - `is_unchanged` has seen to it
    before, after = interval.before.frame(kind), interval.after.frame(kind)
    return before is after or (
        before.missing is after.missing
        and before.keys == after.keys
        and all(before.column(name) == after.column(name) for name in columns)
    )


def has_no_rows_again(rule: Rule, interval: Interval) -> bool:
    """Return whether a table without rows has none again: a kind was not read, and no kind has other rows."""
    if interval.before is None:
        return False
    frames = [(interval.before.frame(kind), interval.after.frame(kind)) for kind in needs(rule.table).kinds]
    return any(before.missing is not None for before, _ in frames) and all(
        before is after or (before.missing is after.missing and before.keys == after.keys)
        for before, after in frames
    )


def lists_nothing(rule: Rule, interval: Interval) -> bool:
    """Return whether a table has no row, as in the interval before: it lists a kind that has none."""
    kind = definition(rule.table).rows
    if kind is None or interval.before is None:
        return False
    before, after = interval.before.frame(kind), interval.after.frame(kind)
    return not (before.keys or after.keys) and before.missing is after.missing


def _is_quiet(rule: Rule, filled: Table) -> bool:
    if rule.of_all or rule.remembers or rule.sense != "over" or not filled.keys:
        return False
    columns = filled.columns
    rows: Iterable[int] = range(len(filled.keys))
    is_judged = rule.column in columns and (not rule.per or rule.per in columns)
    if is_judged:
        limit = min(level for level in (rule.look, rule.bad) if level is not None)
        rows = _reaching(columns[rule.column], columns[rule.per] if rule.per else (), limit)
        if rule.table in ESTIMATED and any(value.__class__ is Absent for value in columns[rule.column]):
            return False
    for condition in rule.when:
        if is_known(condition, columns):
            is_judged = True
            rows = [row for row in rows if _holds(condition, columns, row)]
    return is_judged and not any(True for _ in rows)


def _reaching(values: Sequence[Value], divisors: Sequence[Value], limit: float) -> list[int]:
    """Return the rows whose value reaches a limit."""
    if not divisors:
        return [row for row, value in enumerate(values) if not isinstance(value, str) and value >= limit]
    return [
        row
        for row, (value, divisor) in enumerate(zip(values, divisors, strict=True))
        if not isinstance(value, str) and not isinstance(divisor, str) and ratio(value, divisor) >= limit
    ]


def is_known(condition: Precondition, columns: Container[str]) -> bool:
    """Return whether a precondition compares only columns that are at hand, of one row."""
    if condition.sign == LACKING or {condition.left, condition.other} & {ALL, COUNT}:
        return False
    return condition.left in columns and (not condition.other or condition.other in columns)


def _holds(condition: Precondition, columns: Mapping[str, Sequence[Value]], row: int) -> bool:
    left = columns[condition.left][row]
    right = columns[condition.other][row] if condition.other else 1.0
    if isinstance(left, (Absent, str)) or isinstance(right, (Absent, str)):
        return True
    return SIGNS[condition.sign](left, condition.times * right)
