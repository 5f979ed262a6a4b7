"""The whole answer to a DBA's question: how tablespaces lie on units, what that costs, and what to do.

Everything in it follows from `zmon.placement.items`; the assumptions that it rests on are part
of the answer.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent
from zmon.placement.items import weights
from zmon.placement.measures import (
    OVERLOADED,
    Mixed,
    bound_ratio,
    by_space,
    fullest,
    headroom,
    mixed,
    mm1,
    sides,
    spread,
    sums,
    unknown,
)
from zmon.placement.planner import plan_moves
from zmon.record import NamedTuple
from zmon.topology.claims import Grade

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.absent import Number
    from zmon.placement.items import FileItem, FilePlacement, Placement, Unit
    from zmon.placement.measures import Headroom, Spread
    from zmon.placement.planner import MovePlan


NO_SUCH_UNIT: Final = "{!r} names none of the units: {}"


class SpreadQuery(NamedTuple):
    """The question."""

    what: str = "LCU"
    """What the units are: LCU, disk, side."""
    traffic: bool = False
    """Whether traffic counts, and not bytes."""
    seconds: Number = absent("traffic was not asked for")
    """Over how long the traffic was measured."""
    available: tuple[str, ...] = ()
    """Names or patterns of the units that data may lie on; none means all."""
    pins: tuple[str, ...] = ()
    """Patterns of paths and tablespaces that stay where they are."""
    moves: int = 0
    """How many moves to suggest at the most."""


class TablespaceSpread(NamedTuple):
    """One tablespace, or all of them together."""

    database: str
    tablespace: str
    files: int
    bytes_on: Mapping[str, int]
    load_on: Mapping[str, float]
    """What the figures are of: bytes, or traffic in bytes a second."""
    unplaced: int
    spread: Spread
    fullest: tuple[str, float] | Absent
    """The volume with most of its bytes, and its part of them."""
    grade: Grade
    problems: int
    """Containers that could not be placed, or not all of them."""
    shares_with_logs: bool

    @property
    def size(self) -> int:
        """Its bytes, placed or not."""
        return sum(self.bytes_on.values()) + self.unplaced


SATURATED: Final = 0.95
"""Above this use no estimate of the queue is reliable."""


class WhatIf(NamedTuple):
    """What another placement could do."""

    times: Number
    """How many times the throughput may be at the most."""
    now: tuple[str, ...]
    """What limits now."""
    then: tuple[str, ...]
    """What limits then."""


class SpreadReport(NamedTuple):
    """The whole answer."""

    wanted: SpreadQuery
    units: tuple[Unit, ...]
    spaces: tuple[TablespaceSpread, ...]
    whole: TablespaceSpread
    """All tablespaces together."""
    sides: Mapping[str, float]
    mixed: tuple[Mixed, ...]
    headroom: Headroom
    """By how much all traffic could grow, where capacities and traffic are known."""
    even: WhatIf
    """With an even spread over all units that are available."""
    plan: MovePlan | None
    moved: WhatIf | None
    """With the moves that are suggested."""
    assumptions: tuple[str, ...]
    problems: tuple[FilePlacement, ...]
    conflicts: tuple[str, ...]


def report_spread(found: Placement, wanted: SpreadQuery) -> SpreadReport:
    """Put together the answer.

    Raises:
        ValueError: a name of `wanted.available` names no unit.
    """
    items = [_pinned(item, wanted.pins) for item in found.items]
    units = available(found, wanted.available)
    together = tuple(one._replace(volume=found.titles.get(one.volume, one.volume)) for one in mixed(items))
    beside_logs = {(one.database, space) for one in together for space in one.others}
    rows: dict[tuple[str, str], list[FilePlacement]] = {}
    for row in found.rows:
        rows.setdefault((row.database, row.tablespace), []).append(row)
    members = dict.fromkeys(sorted(rows), ()) | by_space(items)  # those too of which nothing was placed
    spaces = tuple(
        _space(key, members[key], rows.get(key, []), units, wanted, key in beside_logs)
        for key in sorted(members)
    )
    whole = _space(("", ""), items, found.rows, units, wanted, bool(beside_logs))
    suggested = (
        plan_moves(items, units, most=wanted.moves, traffic=wanted.traffic)
        if wanted.moves and units
        else None
    )
    if suggested is not None:
        suggested = _limited(suggested, units, found.channels)
    moved = None if suggested is None else what_if(whole.load_on, suggested.after, units, found.channels)
    return SpreadReport(
        wanted,
        units,
        spaces,
        whole,
        sides(whole.load_on, units),
        together,
        _headroom(whole.load_on, units, found.channels) if wanted.traffic else headroom({}, {}),
        what_if(whole.load_on, evenly(whole.load_on, units, found.channels), units, found.channels),
        suggested,
        moved,
        tuple(_assumptions(found, items, units, whole, wanted)),
        tuple(row for row in found.rows if row.problem),
        found.conflicts,
    )


def _limited(suggested: MovePlan, units: Sequence[Unit], channels: Mapping[str, float]) -> MovePlan:
    """Say of each step what limits by then: a unit or channels, and so how much the throughput may be."""
    steps = []
    for step in suggested.steps:
        found = what_if(suggested.before, step.after, units, channels)
        full = step.full if step.full in found.then or not found.then else found.then[0]
        steps.append(step._replace(ratio=found.times, full=full))
    return suggested._replace(steps=tuple(steps))


def _pinned(item: FileItem, pins: Iterable[str]) -> FileItem:
    held = any(fnmatchcase(name, pattern) for name in (item.name, item.tablespace) for pattern in pins)
    return item._replace(pinned="it is pinned") if held else item


def available(found: Placement, names: Sequence[str]) -> tuple[Unit, ...]:
    """Return the units that names mean, and those that hold data besides, where nothing may be put.

    Without names, those that hold data of the files or have a disk that is unused.

    Raises:
        ValueError: a name means none.
    """
    if not names:
        return tuple(unit for unit in found.units if unit.is_for_data) or found.units
    chosen: set[str] = set()
    for name in names:
        meant = [unit.key for unit in found.units if _means(name, unit)]
        if not meant:
            there = ", ".join(unit.title for unit in found.units) or "none is known"
            raise ValueError(NO_SUCH_UNIT.format(name, there))
        chosen.update(meant)
    used = {key for item in found.items for key in item.bytes_on}
    return tuple(unit._replace(open=unit.key in chosen) for unit in found.units if unit.key in chosen | used)


def _means(name: str, unit: Unit) -> bool:
    """Return whether a name means a unit: `LCU 6`, `6`, `SSID 7600`, `LSS 0*`."""
    wanted = name.casefold().strip()
    title = unit.title.casefold()
    candidates = (title, title.rpartition(" ")[2], unit.key.casefold(), *unit.others)
    return any(fnmatchcase(candidate, wanted) for candidate in candidates)


def _space(  # noqa: PLR0913, PLR0917 - the parts of a tablespace
    key: tuple[str, str],
    items: Sequence[FileItem],
    rows: Iterable[FilePlacement],
    units: Sequence[Unit],
    wanted: SpreadQuery,
    beside_logs: bool,
) -> TablespaceSpread:
    loads = sums(items, traffic=True) if wanted.traffic else sums(items)
    load_on: dict[str, float] = {} if isinstance(loads, Absent) else loads
    found = unknown(loads, len(units)) if isinstance(loads, Absent) else spread(load_on, units)
    bytes_on: dict[str, int] = {}
    for item in items:
        for unit, count in item.bytes_on.items():
            bytes_on[unit] = bytes_on.get(unit, 0) + count
    known = list(rows)
    return TablespaceSpread(
        *key,
        max(len(items), len(known)),
        bytes_on,
        load_on,
        sum(item.unplaced for item in items),
        found,
        fullest(items),
        min((row.grade for row in known if row.placed), default=Grade.UNKNOWN),
        sum(bool(row.problem) for row in known),
        beside_logs,
    )


def evenly(
    loads: Mapping[str, float], units: Sequence[Unit], channels: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Return the same load spread as well as can be, for what each unit and its channels can bear.

    Units that are not available keep what they hold, or less; channels count if all capacities are known.
    """
    bear = weights(units)
    whole = sum(loads.values())
    most = sum(weight for unit, weight in zip(units, bear, strict=True) if unit.open)
    if not most:
        return {}
    given = [float(unit.capacity) for unit in units if not isinstance(unit.capacity, Absent)]
    mean = sum(given) / len(units) if len(given) == len(units) else 0.0
    limits = {name: capacity / mean for name, capacity in (channels or {}).items()} if mean else {}

    def filled(level: float) -> dict[str, float]:
        """Return the largest load of each unit with no unit and no channels above a level."""
        found, behind = {}, dict.fromkeys(limits, 0.0)
        for unit, weight in zip(units, bear, strict=True):
            part = level * weight
            found[unit.key] = part if unit.open else min(part, loads.get(unit.key, 0.0))
            if unit.channels in behind:
                behind[unit.channels] += found[unit.key]
        over = {name: level * limits[name] / part for name, part in behind.items() if part}
        return {unit.key: found[unit.key] * min(1.0, over.get(unit.channels, 1.0)) for unit in units}

    low, high = 0.0, whole / sum(bear)
    while sum(filled(high).values()) < whole * (1 - SAME) and high < whole * 1e9:
        low, high = high, 2 * high
    for _ in range(BISECTIONS if low else 0):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(filled(middle).values()) < whole else (low, middle)
    return filled(high)


SAME: Final = 1e-12
"""Sums of shares do not come out exactly."""
BISECTIONS: Final = 60
"""So often the level is halved in on; a float has no more digits."""


def what_if(
    before: Mapping[str, float],
    after: Mapping[str, float],
    units: Sequence[Unit],
    channels: Mapping[str, float],
) -> WhatIf:
    """Compare two placements by what limits each.

    Where the capacities are not all known, all units count alike, and channels are ignored.
    """
    known = all(not isinstance(unit.capacity, Absent) for unit in units)
    alike = units if known else [unit._replace(capacity=1.0) for unit in units]
    now, then = (_headroom(loads, alike, channels if known else {}) for loads in (before, after))
    return WhatIf(bound_ratio(now, then), now.binding, then.binding)


class Pressure(NamedTuple):
    """The fullest resource under a load, by the utilisation law and M/M/1."""

    use: Number
    """Which part of all time it is busy."""
    response: Number
    """How many times its service time a request takes there; absent where it is too full to say."""


def pressure(found: SpreadReport) -> tuple[Pressure, Pressure]:
    """Return the pressure of the same load now, and with an even spread."""
    now = 1.0 / found.headroom.factor
    return _pressure(now), _pressure(now / found.even.times)


def _pressure(use: Number) -> Pressure:
    if isinstance(use, Absent):
        return Pressure(use, use)
    return Pressure(use, mm1(1.0, use) if use < SATURATED else OVERLOADED)


def _headroom(loads: Mapping[str, float], units: Sequence[Unit], channels: Mapping[str, float]) -> Headroom:
    """Return the head room of units and of the channel paths they share, by their titles."""
    capacities = {unit.title: float(unit.capacity) for unit in units if not isinstance(unit.capacity, Absent)}
    asked = {unit.title: loads.get(unit.key, 0.0) for unit in units}
    for unit in units:
        if unit.channels in channels:
            name = f"channels {unit.channels}"
            capacities[name] = channels[unit.channels]
            asked[name] = asked.get(name, 0.0) + loads.get(unit.key, 0.0)
    return headroom(asked, {name: capacity for name, capacity in capacities.items() if capacity > 0})


def _assumptions(
    found: Placement,
    items: Sequence[FileItem],
    units: Sequence[Unit],
    whole: TablespaceSpread,
    wanted: SpreadQuery,
) -> Iterable[str]:
    """Yield the assumptions of the answer, a sentence each."""
    yield from _units_words(found, units, wanted)
    if wanted.traffic:
        over = "" if isinstance(wanted.seconds, Absent) else f" in {wanted.seconds:.3g} s"
        yield (
            f"~ traffic{over} is an estimate: what a disk did is shared out among these files by their bytes"
            " there; what else lies on it is taken to be quiet"
        )
        silent = sum(isinstance(item.load_on, Absent) for item in items)
        if silent:
            yield f"the traffic of {silent} of {len(items)} files is not known, and counts for nothing"
    else:
        yield "bytes are counted, cold ones as much as hot ones; --traffic shows what hurts"
    yield f"where bytes lie is {GRADES[found.grade]}"
    if whole.unplaced:
        part = 100 * whole.unplaced / whole.size
        yield f"{part:.0f} % of the bytes have no known {wanted.what} and are left out"
    if wanted.what == "LCU":
        given = [unit.title for unit in units if not isinstance(unit.capacity, Absent)]
        if len(given) == len(units) and given:
            different = len(set(weights(units))) > 1
            yield "capacities are the site's" + (", and loads count in proportion" if different else "")
        else:
            some = f" of all but {', '.join(given)}" if given else ""
            yield f"the capacities{some} are not known; all LCUs count alike"
    yield "what other systems do to the same storage is not known"
    yield from _unmatched(found, items, wanted)
    if wanted.moves:
        yield "a file moves as a whole, and has room at its target; a bound is the most there may be"


def _units_words(found: Placement, units: Sequence[Unit], wanted: SpreadQuery) -> Iterable[str]:
    """Yield the units that are counted, and those left out."""
    many = f"{len(units)} {wanted.what}{'s' * (len(units) != 1)}"
    if wanted.available:
        closed = [unit.title for unit in units if not unit.open]
        beside = f"; {', '.join(closed)} hold data besides, and get no more" if closed else ""
        yield f"available are the {wanted.what}s that were named{beside}"
    else:
        one = len(units) == 1
        hold, have, are = ("holds", "has", "is") if one else ("hold", "have", "are")
        if units:
            yield f"only the {many} that {hold} these files or {have} an unused disk {are} counted"
        else:
            yield f"no {wanted.what} is known that holds these files or has an unused disk"
        others = [unit.title for unit in found.units if unit not in units]
        if others:
            more = f" and {len(others) - FEW} more" if len(others) > FEW else ""
            yield f"left out: {', '.join(others[:FEW])}{more}, used for something else; --lcus names any"


def _unmatched(found: Placement, items: Sequence[FileItem], wanted: SpreadQuery) -> Iterable[str]:
    """Yield the names in options and in the site file that match nothing."""
    if found.strange_capacities:
        yield f"the site's capacity of {named(found.strange_capacities)} is of no LCU that is known here"
    for pattern in wanted.pins:
        names = (name for item in items for name in (item.name, item.tablespace))
        if not any(fnmatchcase(name, pattern) for name in names):
            yield f"--pin {pattern!r} matches none of these files and tablespaces"


FEW: Final = 4
"""So many units are named in a sentence."""


def counted(found: SpreadReport) -> str:
    """Return the load and the units of an even spread: `the bytes over 4 LCUs`."""
    many = sum(unit.open for unit in found.units)
    what = "traffic" if found.wanted.traffic else "bytes"
    others = ", with no more than now on the others" if many < len(found.units) else ""
    return f"the {what} over {many} {found.wanted.what}{'s' * (many != 1)}{others}"


def times_words(what: str, found: WhatIf, units: Sequence[Unit]) -> str:
    """Return the factor by which the throughput may grow, and the bottleneck; empty if unknown."""
    if isinstance(found.times, Absent):
        return ""
    if len(units) == 1:
        return f"All is on {units[0].title}: there is nothing to spread over"
    verb = "The bottleneck is" if len(found.now) == 1 else "The bottlenecks are"
    said = f"{what}: at most {found.times:.2f} times the throughput. {verb} {named(found.now)} now"
    if found.then == found.now:
        return f"{said} and afterwards"
    if len(found.then) > 1 and {unit.title for unit in units if unit.open} <= set(found.then):
        return f"{said}; afterwards all saturate together"
    return f"{said}, {named(found.then)} afterwards"


NOT_WORTH: Final = "none gives 5 % more throughput, or spreads the tablespaces by 5 % more"


def spread_words(suggested: MovePlan) -> str:
    """Return Max/mean before and after the moves, and its bound; empty without a load."""
    if isinstance(suggested.uneven, Absent) or isinstance(suggested.gap, Absent):
        return ""
    least = f"no placement of these files gets below {suggested.bound:.2f}"
    if not suggested.steps:
        return f"Max/mean is {suggested.uneven:.2f}; {least}"
    return (
        f"Max/mean is {suggested.uneven:.2f} now and {suggested.steps[-1].uneven:.2f} after these moves;"
        f" {least}, these end {100 * max(0.0, suggested.gap):.0f} % above it"
    )


def named(names: Sequence[str]) -> str:
    """Name some units; of many the first."""
    if len(names) > 2:
        return f"{names[0]}, {names[1]} and {len(names) - 2} more"
    return " and ".join(names)


GRADES: Final = {
    Grade.EXACT: "exact, byte by byte",
    Grade.SHARES: "known in shares, by the layout of volumes",
    Grade.SET: "one of several disks, in unknown shares",
    Grade.ASSUMED: "assumed, by a rule of the site or the name of a path",
    Grade.UNKNOWN: "not known",
}
