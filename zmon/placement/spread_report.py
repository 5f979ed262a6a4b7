"""The report on placement: how tablespaces are spread over units, the effect on throughput, and moves.

It is computed from `zmon.placement.items` and includes the assumptions that it rests on.
"""

from __future__ import annotations

import shlex
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.ranges import FEW_NAMED, names
from zmon.base.record import NamedTuple
from zmon.base.sizes import GIB
from zmon.placement.items import Hindrance, weights, worst_grade
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
from zmon.placement.move_statements import instead
from zmon.placement.planner import WORTH, lowest, plan_moves
from zmon.placement.planner_state import PlannerState, SharedResource
from zmon.queueing.prediction import WITHIN_ERROR
from zmon.topology.claims import Grade

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from zmon.base.absent import Number
    from zmon.placement.few_moves import Throughput
    from zmon.placement.items import FileItem, FilePlacement, Placement, Unit
    from zmon.placement.measures import Headroom, Spread
    from zmon.placement.planner import MovePlan
    from zmon.queueing.prediction import ThroughputBound
    from zmon.queueing.waiting import Waiting


NO_SUCH_UNIT: Final = "{!r} names none of the units: {}"


class SpreadQuery(NamedTuple):
    """The options of a report."""

    what: str = "LCU"
    """The units: LCU, disk or side."""
    traffic: bool = False
    """Whether the load is traffic, not bytes."""
    seconds: Number = absent("traffic was not asked for")
    """The time over which the traffic was measured."""
    available: tuple[str, ...] = ()
    """Names or patterns of the units that data may lie on; none means all."""
    pins: tuple[str, ...] = ()
    """Patterns of paths and tablespaces that stay where they are."""
    moves: int = 0
    """The maximum number of moves to suggest."""
    anyway: bool = False
    """Whether to suggest them by traffic although nothing waits that they would relieve."""
    how: bool = False
    """Whether to tell the statements that move files."""
    asked: tuple[str, ...] = ()
    """The options that name the source, its listings and its time, each with its value."""

    def command(self, moves: int, *options: str) -> str:
        """Return the command that plans so many moves of these files."""
        given = [*zip(self.asked[::2], self.asked[1::2], strict=True), *(("--pin", pin) for pin in self.pins)]
        inputs = (word for pair in given for word in pair if word != "--listing")
        by = ["--traffic"] if self.traffic else []
        return shlex.join(["zmon", "spread", *inputs, *by, "--moves", str(moves), *options])


UNSIZED: Final = absent("the size of none of its files is known")


class TablespaceSpread(NamedTuple):
    """One tablespace, or all of them together."""

    database: str
    tablespace: str
    files: int
    bytes_on: Mapping[str, int]
    load_on: Mapping[str, float]
    """The load: bytes, or traffic in bytes a second."""
    unplaced: int
    spread: Spread
    fullest: tuple[str, float] | Absent
    """The volume with most of its bytes, and its share of them."""
    grade: Grade
    problems: int
    """Containers that could not be placed, or only in part."""
    shares_with_logs: bool
    is_sized: bool
    """Whether the size of any of its files is known."""
    basis: str = ""
    """What its traffic rests on: one of `zmon.placement.traffic.BASES`; empty where bytes are counted."""

    @property
    def title(self) -> str:
        """Its name, with its database if that is known."""
        return f"{self.database}.{self.tablespace}" if self.database else self.tablespace

    @property
    def size(self) -> Number:
        """Its bytes, placed or not."""
        count = sum(self.bytes_on.values()) + self.unplaced
        return count if count or self.is_sized else UNSIZED

    @property
    def known_part(self) -> float:
        """The part of its bytes whose unit is known, from 0 to 1; 1 where hardly any are not."""
        count = sum(self.bytes_on.values())
        return count / (count + self.unplaced) if self.unplaced > MATTERS * (count + self.unplaced) else 1.0


SATURATED: Final = 0.95
"""Above this use no estimate of the queue is reliable."""


class WhatIf(NamedTuple):
    """The effect of another placement."""

    times: Number
    """The maximum throughput, as a multiple of the present one."""
    now: tuple[str, ...]
    """The present bottleneck."""
    then: tuple[str, ...]
    """The bottleneck with the other placement.  Of a prediction both are what is busiest, and how busy."""
    low: float = 0.0
    high: float = 0.0
    """The range of `times` if it is predicted by the model of queues, not a bound; else 0."""
    counted: str = ""
    """Of a prediction: response times, and what it counts, in words."""
    little: bool = False
    """Whether neither throughput nor responses get better by enough to be worth the work."""
    loss: str = ""
    """Of a prediction: why less throughput than now is within the range, if it is."""
    is_within_error: bool = False
    """Of a prediction: whether it is less than what the model errs by."""


class SpreadReport(NamedTuple):
    """The report."""

    wanted: SpreadQuery
    units: tuple[Unit, ...]
    spaces: tuple[TablespaceSpread, ...]
    whole: TablespaceSpread
    """All tablespaces together."""
    sides: Mapping[str, float]
    mixed: tuple[Mixed, ...]
    headroom: Headroom
    """The headroom, where capacities and traffic are known, ..."""
    headroom_even: Headroom
    """... and that with an even spread."""
    even: WhatIf
    """With an even spread over all units that are available."""
    plan: MovePlan | None
    moved: WhatIf | None
    """With the moves that are suggested."""
    assumptions: tuple[str, ...]
    problems: tuple[FilePlacement, ...]
    conflicts: tuple[str, ...]
    staying: tuple[FileItem, ...] = ()
    """A file of each tablespace whose files the database lets nobody move one by one, most load first.

    Those with less than a hundredth of the load are left out.
    """
    no_use: str = ""
    """Why moves by traffic are of no use: nothing waits, or not for anything that they relieve."""
    only_unsized: bool = False
    """Whether files lie on known units, but how many bytes of any of them is not known."""
    beside: tuple[Unit, ...] = ()
    """Units that hold none of these files; none if the available ones were named, or files are not placed.

    Those whose disks all serve something else are among them only if there are no others.
    """
    wider: WhatIf | None = None
    """With an even spread over these LCUs, too, if there are any."""
    volumes: int = 0
    """Over how many volumes of the only LCU `even` spreads, where that is predicted to help; else 0."""


def report_spread(
    placement: Placement,
    wanted: SpreadQuery,
    waiting: Waiting | None = None,
    throughput: Throughput | None = None,
    most: ThroughputBound | None = None,
) -> SpreadReport:
    """Compute the report.

    Args:
        placement: of the files.
        wanted: the options.
        waiting: for what requests wait, if that is known.
        throughput: predicts what moves give, if a model of queues can.
        most: what no placement can exceed, if that is measured.

    Raises:
        ValueError: a name of `wanted.available` names no unit, or the throughput cannot be predicted.
    """
    items = [_pinned(item, wanted.pins) for item in placement.items]
    units = available(placement, wanted.available)
    together = tuple(
        mix._replace(volume=placement.titles.get(mix.volume, mix.volume)) for mix in mixed(items)
    )
    beside_logs = {(pair.database, space) for pair in together for space in pair.others}
    rows: dict[tuple[str, str], list[FilePlacement]] = {}
    for row in placement.rows:
        rows.setdefault((row.database, row.tablespace), []).append(row)
    members = dict.fromkeys(sorted(rows), ()) | by_space(items)  # including those of which nothing was placed
    spaces = tuple(
        _space(key, members[key], rows.get(key, []), units, wanted, key in beside_logs)._replace(
            basis=placement.basis_of(key) if wanted.traffic else ""
        )
        for key in sorted(members)
    )
    whole = _space(("", ""), items, placement.rows, units, wanted, bool(beside_logs))
    no_use = ""
    if wanted.traffic and waiting is not None and not waiting.spreading_helps:
        no_use = waiting.why
    moves = 0 if no_use and not wanted.anyway else wanted.moves
    channels = placement.channels
    suggested = (
        plan_moves(
            items,
            units,
            most=moves,
            traffic=wanted.traffic,
            shared=shared_resources(units, channels),
            throughput=throughput,
            most_throughput=most,
        )
        if wanted.moves and units
        else None
    )
    moved = None if suggested is None else what_if(whole.load_on, suggested.after, units, channels, most)
    even = evenly(whole.load_on, units, channels)
    may_hold = _may_hold(items)
    beside = tuple(
        unit
        for unit in (() if wanted.available or whole.known_part < 1 else placement.units)
        if unit not in units and unit.key not in may_hold
    )
    beside = tuple(unit for unit in beside if unit.is_for_data) or beside
    wider = None
    if beside and wanted.what == "LCU":
        every = (*units, *beside)
        wider = what_if(whole.load_on, evenly(whole.load_on, every, channels), every, channels, most)
        begin = PlannerState(items, every, traffic=wanted.traffic, shared=shared_resources(every, channels))
        if begin.mean:  # files move as a whole: two of them fill two LCUs
            wider = wider._replace(times=min(wider.times, begin.top / lowest(begin)))
    return SpreadReport(
        wanted,
        units,
        spaces,
        whole,
        sides(whole.load_on, units),
        together,
        _headroom(whole.load_on, units, channels) if wanted.traffic else headroom({}, {}),
        _headroom(even, units, channels) if wanted.traffic else headroom({}, {}),
        what_if(whole.load_on, even, units, channels, most),
        suggested,
        moved,
        tuple(_assumptions(placement, items, units, whole, wanted)),
        tuple(row for row in placement.rows if row.problem),
        placement.conflicts,
        tuple(_staying(items, sum(whole.load_on.values()), wanted)) if wanted.moves else (),
        no_use,
        _only_unsized(items),
        beside,
        wider,
    )


def _only_unsized(items: Iterable[FileItem]) -> bool:
    return any(_may_hold(items)) and not any(item.bytes_on for item in items)


def _may_hold(items: Iterable[FileItem]) -> set[str]:
    """Return the units on which files may lie, how much is not known; an empty word for an unknown one."""
    return {unit for item in items for unit in item.unsized.values()}


def _staying(items: Sequence[FileItem], whole: float, wanted: SpreadQuery) -> Iterator[FileItem]:
    loads: dict[tuple[str, str], float] = {}
    first: dict[tuple[str, str], FileItem] = {}
    for item in items:
        if instead(item):
            load = item.load_on if wanted.traffic else item.bytes_on
            first.setdefault(item.space, item)
            load_seen = 0.0 if isinstance(load, Absent) else sum(load.values())
            loads[item.space] = loads.get(item.space, 0.0) + load_seen
    least = MATTERS * whole
    named = [space for space, load in loads.items() if load and load >= least]
    yield from (first[space] for space in sorted(named, key=lambda space: (-loads[space], space)))


MATTERS: Final = 0.01
"""The part of all load from which on a tablespace that stays is named."""


def shared_resources(units: Sequence[Unit], channels: Mapping[str, float]) -> list[SharedResource]:
    """Return the channels that units share, in the units' time; none unless all capacities are known."""
    given = [float(unit.capacity) for unit in units if not isinstance(unit.capacity, Absent)]
    if len(given) < len(units) or not given:
        return []
    mean = sum(given) / len(given)
    return [
        SharedResource(
            f"channels {name}", {unit.key: mean / capacity for unit in units if unit.channels == name}
        )
        for name, capacity in channels.items()
        if capacity > 0
    ]


def _pinned(item: FileItem, pins: Iterable[str]) -> FileItem:
    held = any(fnmatchcase(name, pattern) for name in (item.name, item.tablespace) for pattern in pins)
    return item._replace(pinned=Hindrance.PINNED) if held else item


def available(placement: Placement, names: Sequence[str]) -> tuple[Unit, ...]:
    """Return the units of these names, and, as closed, the other units that hold data.

    Without names, the units that hold data of the files: a unit that carries none gets some only if named.

    Raises:
        ValueError: a name matches none.
    """
    used = {key for item in placement.items for key in item.bytes_on}
    if not names:
        return tuple(unit for unit in placement.units if unit.key in used) or placement.units
    chosen: set[str] = set()
    for name in names:
        meant = [unit.key for unit in placement.units if _means(name, unit)]
        if not meant:
            there = ", ".join(unit.title for unit in placement.units) or "none is known"
            raise ValueError(NO_SUCH_UNIT.format(name, there))
        chosen.update(meant)
    return tuple(
        unit._replace(open=unit.key in chosen) for unit in placement.units if unit.key in chosen | used
    )


def _means(name: str, unit: Unit) -> bool:
    """Return whether a name matches a unit: `LCU 6`, `6`, `SSID 7600`, `LSS 0*`."""
    wanted = name.casefold().strip()
    candidates = (unit.title.casefold(), unit.number.casefold(), unit.key.casefold(), *unit.others)
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
    measures = unknown(loads, len(units)) if isinstance(loads, Absent) else spread(load_on, units)
    bytes_on: dict[str, int] = {}
    for item in items:
        for unit, count in item.bytes_on.items():
            bytes_on[unit] = bytes_on.get(unit, 0) + count
    keys = list(rows)
    unplaced = sum(item.unplaced for item in items)
    if unplaced and not wanted.traffic:  # the share is of all its bytes
        placed = sum(bytes_on.values())
        measures = measures._replace(share=measures.share * (placed / (placed + unplaced)))
    return TablespaceSpread(
        *key,
        max(len(items), len(keys)),
        bytes_on,
        load_on,
        unplaced,
        measures,
        fullest(items),
        worst_grade(keys),
        sum(bool(row.problem) for row in keys),
        beside_logs,
        not keys or any(not isinstance(row.size, Absent) for row in keys),
    )


def evenly(
    loads: Mapping[str, float], units: Sequence[Unit], channels: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Return the same load spread as well as the capacities of units and channels allow.

    Units that are not available keep what they hold, or less; channels count if all capacities are known.
    """
    bear = weights(units)
    whole = sum(loads.values())
    open_weight = sum(weight for unit, weight in zip(units, bear, strict=True) if unit.open)
    if not open_weight:
        return {}
    given = [float(unit.capacity) for unit in units if not isinstance(unit.capacity, Absent)]
    mean = sum(given) / len(units) if len(given) == len(units) else 0.0
    limits = {name: capacity / mean for name, capacity in (channels or {}).items()} if mean else {}

    def filled(level: float) -> dict[str, float]:
        """Return the largest load of each unit with no unit and no channels above a level."""
        parts, behind = {}, dict.fromkeys(limits, 0.0)
        for unit, weight in zip(units, bear, strict=True):
            part = level * weight
            parts[unit.key] = part if unit.open else min(part, loads.get(unit.key, 0.0))
            if unit.channels in behind:
                behind[unit.channels] += parts[unit.key]
        over = {name: level * limits[name] / part for name, part in behind.items() if part}
        return {unit.key: parts[unit.key] * min(1.0, over.get(unit.channels, 1.0)) for unit in units}

    low, high = 0.0, whole / sum(bear)
    while sum(filled(high).values()) < whole * (1 - SAME) and high < whole * 1e9:
        low, high = high, 2 * high
    for _ in range(BISECTIONS if low else 0):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(filled(middle).values()) < whole else (low, middle)
    return filled(high)


SAME: Final = 1e-12
"""The tolerance of sums of shares, which are not exact."""
BISECTIONS: Final = 60
"""Steps of the bisection; a float has no more digits."""


def what_if(
    before: Mapping[str, float],
    after: Mapping[str, float],
    units: Sequence[Unit],
    channels: Mapping[str, float],
    most: ThroughputBound | None = None,
) -> WhatIf:
    """Compare two placements by their bottlenecks; `most` is what no placement can exceed.

    Where the capacities are not all known, all units count alike, and channels are ignored.
    """
    is_sized = all(not isinstance(unit.capacity, Absent) for unit in units)
    alike = units if is_sized else [unit._replace(capacity=1.0) for unit in units]
    now, then = (_headroom(loads, alike, channels if is_sized else {}) for loads in (before, after))
    times, binding = bound_ratio(now, then), then.binding
    if most is not None and not isinstance(times, Absent) and most.times < times:
        times, binding = most.times, (most.title,)
    little = not isinstance(times, Absent) and times < 1 + WORTH
    return WhatIf(times, now.binding, binding, little=little)


class Pressure(NamedTuple):
    """The busiest resource under a load, by the utilisation law and M/M/1."""

    use: Number
    """Its utilisation, from 0 to 1."""
    response: Number
    """The response time as a multiple of the service time; absent where the utilisation is too high."""


def pressure(report: SpreadReport) -> tuple[Pressure, Pressure]:
    """Return the pressure of the same load now, and with an even spread."""
    return _pressure(1.0 / report.headroom.factor), _pressure(1.0 / report.headroom_even.factor)


def _pressure(use: Number) -> Pressure:
    if isinstance(use, Absent):
        return Pressure(use, use)
    return Pressure(use, mm1(1.0, use) if use < SATURATED else OVERLOADED)


def _headroom(loads: Mapping[str, float], units: Sequence[Unit], channels: Mapping[str, float]) -> Headroom:
    """Return the headroom of units and of the channel paths they share, by their titles."""
    capacities = {unit.title: float(unit.capacity) for unit in units if not isinstance(unit.capacity, Absent)}
    asked = {unit.title: loads.get(unit.key, 0.0) for unit in units}
    for unit in units:
        if unit.channels in channels:
            name = f"channels {unit.channels}"
            capacities[name] = channels[unit.channels]
            asked[name] = asked.get(name, 0.0) + loads.get(unit.key, 0.0)
    return headroom(asked, {name: capacity for name, capacity in capacities.items() if capacity > 0})


def _assumptions(
    placement: Placement,
    items: Sequence[FileItem],
    units: Sequence[Unit],
    whole: TablespaceSpread,
    wanted: SpreadQuery,
) -> Iterable[str]:
    """Yield the assumptions of the report that are not those of each, a sentence each."""
    yield from _units_words(placement, units, wanted, is_partial=whole.known_part < 1)
    yield from _load_words(placement, items, wanted)
    if placement.grade is not Grade.EXACT:
        alike = len({row.grade for row in placement.rows if row.size != 0}) < 2
        yield f"where bytes lie is {'' if alike else 'at worst '}{GRADES[placement.grade]}"
    yield from (
        f"not seen, and placed by its path alone: {file}" for file in placement.unseen[:MAX_UNSEEN_NAMED]
    )
    if (more := len(placement.unseen) - MAX_UNSEEN_NAMED) > 0:
        yield f"not seen, and placed by their paths alone: {more:,} more files"
    if whole.unplaced:
        part = 100 * whole.unplaced / whole.size
        yield f"{part:.0f} % of the bytes have no known {wanted.what} and are left out"
    if wanted.what == "LCU":
        given = [unit.title for unit in units if not isinstance(unit.capacity, Absent)]
        if len(given) == len(units) and given:
            different = len(set(weights(units))) > 1
            yield "capacities are the site's" + (", and loads count in proportion" if different else "")
        elif given:
            yield f"the capacities of all but {', '.join(given)} are not known; all LCUs count alike"
    if any(sum(item.volumes.values()) > item.size + item.unplaced for item in items):
        yield f"bytes on {wanted.what}s are those of the first copy; Most disk counts mirrors and parity, too"
    yield from _unmatched(placement, items, wanted)


def _load_words(placement: Placement, items: Sequence[FileItem], wanted: SpreadQuery) -> Iterable[str]:
    """Yield what the load of files rests on."""
    if not wanted.traffic:
        yield "bytes are counted, cold ones as much as hot ones; --traffic shows what hurts"
        return
    if placement.traffic is not None and placement.traffic.is_guessed:
        yield f"traffic of files: {placement.traffic.words}"
    silent = sum(isinstance(item.load_on, Absent) for item in items)
    if silent:
        yield f"the traffic of {silent} of {len(items)} files is not known, and counts for nothing"


def _units_words(
    placement: Placement, units: Sequence[Unit], wanted: SpreadQuery, *, is_partial: bool
) -> Iterable[str]:
    """Yield sentences on the units that are counted, and on those left out."""
    many = f"{len(units)} {wanted.what}{'s' * (len(units) != 1)}"
    if wanted.available:
        closed = [unit.title for unit in units if not unit.open]
        beside = f"; {', '.join(closed)} hold data besides, and get no more" if closed else ""
        yield f"available are the {wanted.what}s that were named{beside}"
    else:
        on = _may_hold(placement.items)
        if not any(item.bytes_on for item in placement.items):
            yield _unsized_words(placement, on, wanted)
            return
        if len(units) < len(placement.units):
            hold, are = ("holds", "is") if len(units) == 1 else ("hold", "are")
            yield f"only the {many} that {hold} these files {are} counted"
        others = [unit for unit in placement.units if unit not in units and unit.key not in on]
        unsized = [unit.title for unit in placement.units if unit not in units and unit.key in on]
        unused = [unit.title for unit in others if unit.is_for_data]
        serving = [unit.title for unit in others if not unit.is_for_data and not unit.doubts]
        if unsized:
            yield f"not counted: {names(unsized)}; how much of these files lies there is not known"
        if is_partial and (unused or any(unit.doubts for unit in others)):
            maybe = [unit.title for unit in others if unit.is_for_data or unit.doubts]
            yield f"not counted: {names(maybe)}; files that are not placed may lie there; --lcus names any"
        elif unused:
            why_asked = "no other use of disks there was found"
            yield f"not counted, though {why_asked}: {names(unused)}; --lcus names any"
        for unit in () if is_partial else others:
            if unit.doubts:
                yield f"not counted, for its disks may be in use: {unit.title} ({'; '.join(unit.doubts)})"
        if serving:
            yield f"left out: {names(serving)}, used for something else; --lcus names any"


def _unsized_words(placement: Placement, on: Collection[str], wanted: SpreadQuery) -> str:
    """Return where files lie that are nowhere with a size."""
    titles = [unit.title for unit in placement.units if unit.key in on]
    if not titles:
        return f"no {wanted.what} is known that holds these files"
    lost = {disk for item in placement.items for disk, unit in item.unsized.items() if not unit}
    disks = sorted(placement.titles.get(disk, disk) for disk in lost)
    more = f" or on {names(disks)}, of which no {wanted.what} is known" if disks else ""
    return f"these files lie on {names(titles)}{more}; how much of them on which is not known"


def _unmatched(placement: Placement, items: Sequence[FileItem], wanted: SpreadQuery) -> Iterable[str]:
    """Yield the names in options and in the site file that match nothing."""
    if placement.strange_capacities:
        lcus = names(placement.strange_capacities, FEW_NAMED)
        yield f"the site's capacity of {lcus} is of no LCU that is known here"
    for pattern in wanted.pins:
        candidates = (name for item in items for name in (item.name, item.tablespace))
        if not any(fnmatchcase(name, pattern) for name in candidates):
            yield f"--pin {pattern!r} matches none of these files and tablespaces"


MAX_UNSEEN_NAMED: Final = 20
"""Files that were not seen and are named; the others are counted."""


def counted(report: SpreadReport) -> str:
    """Return the load and the units of an even spread: `the bytes over 4 LCUs`."""
    many = sum(unit.open for unit in report.units)
    what = "traffic" if report.wanted.traffic else "bytes"
    others = ", with no more than now on the others" if many < len(report.units) else ""
    return f"the {what} over {many} {report.wanted.what}{'s' * (many != 1)}{others}"


def times_words(what: str, effect: WhatIf, units: Sequence[Unit]) -> str:
    """Return the factor by which the throughput may grow, and the bottleneck; empty if unknown."""
    if isinstance(effect.times, Absent):
        return ""
    verb = "The bottleneck is" if len(effect.now) == 1 else "The bottlenecks are"
    times = gain_words(effect)
    if effect.high:
        times = f"{times}, {effect.counted}"
    if effect.loss:
        times = f"{times}. {effect.loss}"
    if effect.little:
        return f"{what} would gain little: {times}"
    now, then = names(effect.now, FEW_NAMED), names(effect.then, FEW_NAMED)
    if effect.high:
        return f"{what}: {times}. Busiest now: {now}; afterwards: {then}"
    end = f", {then} afterwards"
    if effect.then == effect.now:
        end = " and afterwards"
    elif len(effect.then) > 1 and {unit.title for unit in units if unit.open} <= set(effect.then):
        end = "; afterwards all saturate together"
    return f"{what}: {times}. {verb} {now} now{end}"


NOT_WORTH: Final = "none gives 5 % more throughput, or spreads the tablespaces by 5 % more"


def even_words(report: SpreadReport, what: str = "An even spread") -> str:
    """Return what an even spread would give, or why it is of no use; empty if unknown."""
    uneven, is_traffic = report.whole.spread.uneven, report.wanted.traffic
    if report.no_use:
        return no_use_words(report)
    if report.whole.known_part < 1:
        return _of_known_part(report, what)
    if report.even.little and len(report.units) > 1 and uneven < 1 + WORTH:
        load, many = "traffic is" if is_traffic else "bytes are", f"{len(report.units)} {report.wanted.what}s"
        return f"The {load} even over {many}, Max/mean is {uneven:.2f}: an even spread gains nothing"
    if len(report.units) == 1 and report.volumes:
        volumes = f"its {report.volumes} volumes with such files"
        first = f"All is on {report.units[0].title}, but not evenly on {volumes}"
        return f"{first}. {times_words(f'{what} of the traffic over these', report.even, report.units)}"
    if len(report.units) == 1 and not isinstance(report.even.times, Absent):
        others = beside_words(report)
        rest = f"; {others}" if others else ": there is nothing to spread over"
        return f"All is on {report.units[0].title}{rest}"
    return times_words(f"{what} of {counted(report)}", report.even, report.units)


def _of_known_part(report: SpreadReport, what: str) -> str:
    """Return what an even spread would give to the bytes whose unit is known, where others are not."""
    if len(report.units) == 1:
        part, title = 100 * report.whole.known_part, report.units[0].title
        return (
            f"{part:.0f} % of the bytes are on {title}, and of the others no {report.wanted.what} is known:"
            " so it is not known what an even spread would give"
        )
    said = times_words(f"{what} of {counted(report)}", report.even, report.units)
    return f"{known_part_words(report)}{said}" if said else ""


def known_part_words(report: SpreadReport) -> str:
    """Return how many bytes a sentence is about, as its beginning; empty where it is about all."""
    part = report.whole.known_part
    return (
        "" if part == 1 else f"Of the {100 * part:.0f} % of the bytes whose {report.wanted.what} is known: "
    )


def why_no_move(report: SpreadReport) -> str:
    """Return why a plan without a move has none, where there is a load and moves may be of use."""
    if len(report.units) == 1 and report.whole.known_part < 1:
        return _of_known_part(report, "")
    if len(report.units) == 1:
        others = beside_words(report)
        return f"all is on {report.units[0].title}{others and f'; {others}'}"
    return NOT_WORTH


def offer_words(report: SpreadReport) -> str:
    """Return what an even spread over other LCUs, too, would give and how to plan it; empty without a gain.

    Where all is on one LCU, that it could be spread over others is said with it.
    """
    is_said = len(report.units) == 1 and not report.volumes
    return "" if is_said or report.no_use or not _wider_gain(report) else beside_words(report)


def beside_words(report: SpreadReport) -> str:
    """Return which LCUs hold no files, what they would give, and how to plan with them; empty without any."""
    if not report.beside or report.wanted.what != "LCU":
        return ""
    hold, them = ("holds", "it") if len(report.beside) == 1 else ("hold", "them")
    what = "none of these files" if any(unit.is_for_data for unit in report.beside) else "only other data"
    if any(unit.doubts for unit in report.beside):
        what = f"perhaps {what}"
    gain = _wider_gain(report)
    numbers = ",".join(sorted(unit.number for unit in (*report.units, *report.beside)))
    return (
        f"{names([unit.title for unit in report.beside])} {hold} {what}:"
        f"{f' an even spread over {them}, too, would give {gain};' if gain else ''}"
        f" {report.wanted.command(SUGGESTED, '--lcus', numbers)} plans with {them}"
    )


HOW: Final = "--how"
"""The option that prints the statements for moves."""
SUGGESTED: Final = 9
"""So many moves are asked for in the command that plans with other LCUs."""


def _wider_gain(report: SpreadReport) -> str:
    """Return what an even spread gives with the other LCUs, if it is more than without; else nothing."""
    wider, even = report.wider, report.even.times
    if wider is None or isinstance(wider.times, Absent) or wider.little:
        return ""
    if not isinstance(even, Absent) and wider.times < even * (1 + WORTH):
        return ""
    return gain_words(wider)


def gain_words(effect: WhatIf) -> str:
    """Return the factor by which the throughput may grow, with its range if it is predicted."""
    if effect.is_within_error:
        return WITHIN_ERROR
    if effect.high:
        return f"{effect.times:.2f} times the throughput ({effect.low:.2f} to {effect.high:.2f})"
    return f"at most {effect.times:.2f} times the throughput"


def no_use_words(report: SpreadReport) -> str:
    """Return why moves by traffic are of no use; empty where they may be."""
    return f"{report.no_use}; no move is of use" if report.no_use else ""


def moves_words(suggested: MovePlan) -> str:
    """Return the moves of a plan in words: `these 12 moves`; an exchange is one."""
    return f"these {len(suggested.steps)} moves" if len(suggested.steps) > 1 else "this move"


def anew_words(suggested: MovePlan) -> Iterable[str]:
    """Yield how the plan compares with that of placing all files anew, and with a longer one."""
    anew, longer = suggested.anew, suggested.longer
    if suggested.is_anew:
        yield "Carry out the whole plan; for fewer moves --moves N plans a better one"
    elif longer is not None:
        many = f"{longer.moves} move{'s' * (longer.moves != 1)}"
        result = _result(longer.uneven, many, longer.copied, longer.apart)
        if longer.is_begun:
            begin = "these are the first moves" if longer.first > 1 else "this is the first move"
            yield f"{begin.capitalize()} of a plan that reaches {result}"
        else:
            first = f"its first {longer.first} moves" if longer.first > 1 else "its first move"
            gain = longer.first_times
            less = f"less than {moves_words(suggested)}"
            times = less if isinstance(gain, Absent) else f"{gain:.2f} times the throughput"
            yield f"Another plan reaches {result}; {first} would give {times}"
    elif anew is not None and suggested.steps:
        result = _result(
            anew.uneven, f"moving {anew.files} file{'s' * (anew.files != 1)}", anew.copied, anew.apart
        )
        more = anew.files > sum(len(step.moves) for step in suggested.steps)
        yield f"Placing all anew, largest first, {'moves more files' if more else 'is no better'}: {result}"


def _result(uneven: float, many: str, copied: int, apart: float) -> str:
    return f"{uneven:.2f} by {many}, {copied / GIB:.3g} GiB, Spr {100 * apart:.0f} %"


def staying_words(report: SpreadReport) -> str:
    """Return which tablespaces stay where they are because of their database; empty if none."""
    reasons = dict.fromkeys(item.pinned.words for item in report.staying if item.pinned)
    spaces = [item.tablespace for item in report.staying]
    if not spaces:
        return ""
    return f"Files of {names(spaces, FEW_NAMED)} are not moved one by one: {'; '.join(reasons)}"


def spread_words(suggested: MovePlan, what: str) -> str:
    """Return Max/mean of units before and after the moves, and its bound; empty without a load."""
    if isinstance(suggested.uneven, Absent) or isinstance(suggested.gap, Absent):
        return ""
    least = f"the least possible is {suggested.bound:.2f}"
    if not suggested.steps:
        return f"Busiest {what} / mean: {suggested.uneven:.2f}; {least}"
    reached = suggested.steps[-1].uneven
    return f"Busiest {what} / mean: {suggested.uneven:.2f} now, {reached:.2f} after; {least}"


GRADES: Final = {
    Grade.EXACT: "exact, byte by byte",
    Grade.SHARES: "known in shares, by the layout of volumes",
    Grade.SET: "one of several disks, in unknown shares",
    Grade.ASSUMED: "assumed, by a rule of the site or the name of a path",
    Grade.UNKNOWN: "not known",
}
