"""CORREL: which figures moved with a chosen one.

The chosen figure is set against the key figures of REDISP and against the rows with most load of DEVICE,
CTLUNIT and CHANNEL, interval by interval.  No pair of values is made across a gap.
"""

from __future__ import annotations

from functools import partial
from itertools import repeat
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.absent import Absent, absent
from zmon.base.clock import SECOND
from zmon.machine.figure import Needs, Variable
from zmon.machine.topology import TOPOLOGY
from zmon.machine.view import NOT_KNOWN
from zmon.tables import channel, control_unit, device, system
from zmon.tables.filled import TableDefinition, alone, definition
from zmon.tables.plot import MAX_INTERVALS, Figures, called, cell, parse, row_names, rows_of, window
from zmon.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.interval import Interval
    from zmon.machine.view import Row, View
    from zmon.sample import Kind

STILL: Final = absent("the chosen figure never changed")
ANOTHER: Final = "; name another column and row, such as CORREL DEVICE.resp 7000"
KEY_FIGURES: Final = (
    "busy", "user", "system", "iowait", "steal", "io", "mbs", "pend", "disc", "conn", "serv", "resp", "queue",
    "read", "reqkb", "devresp", "lcuio", "share", "fair", "lcuresp", "chbusy", "chmean", "hits", "pagein",
    "pageout", "memused", "swapused", "lparload", "lparbusy", "lparsusp", "cpubusy",
)  # fmt: skip
"""Of REDISP: those that are figures."""

LISTS: Final = {
    name: table.correlated
    for part in (device, control_unit, channel)
    for name, table in part.DEFINITIONS.items()
}
"""Of each list the figures; the first is its load."""

MAX_RANKED: Final = 8
"""So many rows of each list, those with most load."""

MIN_PAIRS: Final = 10
"""Pairs of values without which nothing can be said."""

MAX_LAG: Final = 5
"""The largest lag, in intervals."""

RANKED: Final = 600 * SECOND
"""The seconds after which rows are chosen anew by their load; until then they stay the same."""


def _kinds() -> tuple[Kind, ...]:
    parts = (system, device, control_unit, channel)
    return tuple({kind.name: kind for part in parts for kind in part.NEEDS.kinds}.values())


NEEDS: Final = Needs(_kinds(), history=True, topology=TOPOLOGY)

NOT_NAMED: Final = absent(
    "CORREL needs a column: give it on a list for the row under the cursor, or write CORREL DEVICE.resp 7000"
)


class Correlation(NamedTuple):
    """How one figure moved with another."""

    straight: float | Absent
    """Pearson's coefficient, from -1 to 1."""
    rank: float | Absent
    """That of the ranks: also high when the one follows the other, but not in a straight line."""
    pairs: int
    lag: Value
    """By how many intervals it follows (or, negative, leads) where they move together most."""
    lagged: Value
    """Pearson's coefficient there."""


def table(view: View) -> Table:
    """Fill CORREL: one row for each figure that may have moved with the chosen one.

    Raises:
        NoSuchThing: the argument names no figure.
    """
    if not view.argument:
        return Table(
            [], {}, facts={"subject": "", "begin": "", "end": "", "intervals": ""}, missing=NOT_NAMED
        )
    variables, since = parse(view.argument)
    chosen, span = variables[0], window(view, since)
    others = [variable for variable in candidates(view, span) if variable != chosen]
    everyone = [chosen, *others]
    figures = Figures(
        ("correlation", tuple(everyone), view.user_inputs),
        partial(_cells, {str(place): variable for place, variable in enumerate(everyone)}, view),
        ["system", chosen.table, *LISTS],
    )
    rows, note = rows_of(figures, view.history, span, MAX_INTERVALS)
    base = line(rows, "0")
    moved = [together(base, line(rows, str(place))) for place in range(1, len(everyone))]
    return _listed(everyone, row_names(everyone, view), moved, rows, note)


def _listed(
    everyone: Sequence[Variable],
    names: Sequence[str],
    moved: Sequence[Correlation],
    rows: Sequence[Row],
    note: str,
) -> Table:
    chosen, *others = everyone
    columns: dict[str, list[Value]] = {
        "screen": [definition(variable.table).screen for variable in others],
        "column": [variable.column for variable in others],
        "row": list(names[1:]),
        "strength": [_strength(pair) for pair in moved],
        "r": [pair.straight for pair in moved],
        "rank": [pair.rank for pair in moved],
        "n": [pair.pairs for pair in moved],
        "lag": [pair.lag for pair in moved],
        "lagr": [pair.lagged for pair in moved],
    }
    pairs = max((pair.pairs for pair in moved), default=0)
    said = [note] if note else []
    if any(isinstance(pair.straight, float) for pair in moved):
        said.append(f"Below {2 / sqrt(pairs):.2f} it may be chance; moving together is no cause")
    complete = [row for row in rows if row.begin is not None]
    facts: dict[str, Value] = {
        "subject": f"{called(chosen)} {names[0]}".rstrip(),
        "begin": complete[0].begin.utc if complete and complete[0].begin else "",
        "end": complete[-1].end.utc if complete else "",
        "intervals": len(complete),
    }
    if moved and not any(isinstance(pair.straight, float) for pair in moved):
        best = max(moved, key=lambda pair: pair.pairs).straight
        why = best.reason if isinstance(best, Absent) else ""
        if len(complete) >= MIN_PAIRS:
            why += ANOTHER
        return Table([], {name: [] for name in columns}, facts=facts, missing=absent(why))
    return Table([str(variable) for variable in others], columns, facts=facts, notes=tuple(said))


def _strength(moved: Correlation) -> Value:
    return abs(moved.straight) if isinstance(moved.straight, float) else moved.straight


def candidates(view: View, span: tuple[int, int | None]) -> list[Variable]:
    """Return the figures that are compared: the key figures, and those of the rows with most load."""
    present = view.interval
    end = present.after.at.utc if span[1] is None else span[1]
    ranked = end if span[1] is not None or end - span[0] < RANKED else end // RANKED * RANKED
    whole = view.history.between(span[0], ranked) or present
    variables = [Variable("system", name) for name in KEY_FIGURES]
    for name, columns in LISTS.items():
        variables += [
            Variable(name, column, key)
            for key in busiest(alone(name, view.at(whole)), columns[0])
            for column in columns
        ]
    return variables


def busiest(filled: Table, load: str) -> list[str]:
    """Return the keys of the rows with most load, and of others where it is not known."""
    values = filled.column(load)
    rows = [(value, -row) for row, value in enumerate(values) if isinstance(value, (int, float))]
    return [filled.keys[-row] for _value, row in sorted(rows, reverse=True)[:MAX_RANKED]] or filled.keys[
        :MAX_RANKED
    ]


def _cells(variables: Mapping[str, Variable], view: View, interval: Interval) -> dict[str, Value]:
    view = view.at(interval)
    keyed = system.system_figures(view)
    return {
        place: keyed.get(variable.column, NOT_KNOWN)
        if variable.table == "system" and variable.column in KEY_FIGURES
        else cell(variable, view)
        for place, variable in variables.items()
    }


def line(rows: Iterable[Row], name: str) -> list[float | None]:
    """Return the values of a figure, None where there is none; a gap is so wide that no lag bridges it."""
    values: list[float | None] = []
    last = None
    for row in rows:
        if row.begin is None:
            continue
        if row.gap or (last is not None and row.begin.utc > last):
            values += repeat(None, MAX_LAG)
        last = row.end.utc
        value = None if row.gap else row.cells[name]
        usable = isinstance(value, (int, float)) and isfinite(value)
        values.append(value if usable else None)  # type: ignore[arg-type]  # a number
    return values


def together(base: Sequence[float | None], other: Sequence[float | None]) -> Correlation:
    """Say how a figure moved with the base; absent, with the reason, where that cannot be said."""
    ones, others = paired(base, other, 0)
    many = len(ones)
    if many < MIN_PAIRS:
        unknown = absent(f"both are known in {many} intervals; {MIN_PAIRS} are needed")
        return Correlation(unknown, unknown, many, unknown, unknown)
    straight = pearson(ones, others)
    if isinstance(straight, Absent):
        return Correlation(straight, straight, many, straight, straight)
    lag, lagged = 0, straight
    for shift in sorted(range(-MAX_LAG, MAX_LAG + 1), key=abs):
        parts = paired(base, other, shift)
        value = pearson(*parts) if len(parts[0]) >= MIN_PAIRS else straight
        if not isinstance(value, Absent) and abs(value) > abs(lagged) + 1e-9:
            lag, lagged = shift, value
    return Correlation(straight, pearson(ranks(ones), ranks(others)), many, lag, lagged)


def paired(
    base: Sequence[float | None], other: Sequence[float | None], lag: int
) -> tuple[list[float], list[float]]:
    """Return the values where both are known, those of the other taken `lag` intervals later."""
    ahead = base[: len(base) - lag] if lag >= 0 else base[-lag:]
    behind = other[lag:] if lag >= 0 else other[: len(other) + lag]
    both = [
        (value, two)
        for value, two in zip(ahead, behind, strict=True)
        if value is not None and two is not None
    ]
    return [value for value, _ in both], [two for _, two in both]


def pearson(ones: Sequence[float], others: Sequence[float]) -> float | Absent:
    """Return the correlation of two figures, from -1 to 1; absent when one of them never changed."""
    if not ones:
        return absent("there are no pairs of values")
    (first, left), (second, other) = _centred(ones), _centred(others)
    if not first:
        return STILL
    if not second:
        return absent("it never changed")
    product = sum(a * b for a, b in zip(left, other, strict=True))
    return max(-1.0, min(product, 1.0))


def _centred(values: Sequence[float]) -> tuple[bool, list[float]]:
    """Return whether values change, and them around their mean, scaled so that their squares add up to 1."""
    largest = max(map(abs, values))
    if min(values) == max(values):
        return False, []
    scaled = [value / largest for value in values]
    middle = sum(scaled) / len(scaled)
    moved = [value - middle for value in scaled]
    widest = max(map(abs, moved))
    if widest < 1e-12:
        return False, []  # what is left is rounding
    moved = [value / widest for value in moved]
    length = sqrt(sum(value * value for value in moved))
    return True, [value / length for value in moved]


def ranks(values: Sequence[float]) -> list[float]:
    """Return for each value its place in their order, from 1; equal ones share the mean of their places."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranked = [0.0] * len(values)
    at = 0
    while at < len(order):
        last = at
        while last + 1 < len(order) and values[order[last + 1]] == values[order[at]]:
            last += 1
        for place in range(at, last + 1):
            ranked[order[place]] = (at + last) / 2 + 1
        at = last + 1
    return ranked


DEFINITIONS: Final = {"correlation": TableDefinition(NEEDS, table, about_figures=True)}
