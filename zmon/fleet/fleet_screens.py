"""The screens of a fleet as tables: FLEET, which has all at a glance, and a list of each sort of thing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zmon.base.absent import Absent, absent, ratio
from zmon.base.clock import DATED, SECOND, clock
from zmon.base.event import LEVELS
from zmon.base.ranges import many
from zmon.fleet.filling import WAITING
from zmon.fleet.fleet_tables import APART
from zmon.machine.figure import TimedValue
from zmon.session.when import written
from zmon.tables.fleet import GLANCE
from zmon.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.base.absent import Number, Value
    from zmon.base.event import ExceptionEntry
    from zmon.fleet.fleet_tables import Fleet, LcuRow

KEYS: Final = {
    "guests": ("guest",),
    "boxes": ("box", "vendor"),
    "lcus": ("box", "lcu"),
    "fillers": ("box", "lcu", "guest"),
    "channels": ("cpc", "chpid"),
}
"""What the keys of the rows of each list are made of."""
NONE: Final = {
    "boxes": "no system here reports an LCU in this time",
    "lcus": "no system here reports an LCU in this time",
    "fillers": "no system here reports an LCU in this time",
    "channels": "no system here reports how busy channel paths are: that takes an LPAR that measures them",
}
"""Why a list has no rows."""
MOST_OPEN: Final = 10
"""Exceptions that FLEET names."""
NO_VALUE: Final = ""
UNKNOWN: Final = absent("of no system here exceptions are known")
NOT_ADDED: Final = absent(APART)
"""The part that a system has of a sum to which its I/O was not added."""


class FleetLine(NamedTuple):
    """One line of FLEET; what it does not have is an empty text."""

    section: str
    """`verdict`, `exception`, `open`, `unseen`, or a list: `system`, `box`, `unit`, `chpid`."""
    key: str
    name: str
    state: Value = ""
    percent: Value = NO_VALUE
    io: Value = NO_VALUE
    mbs: Value = NO_VALUE
    resp: Value = NO_VALUE
    cpu: Value = NO_VALUE
    bad: Value = NO_VALUE
    look: Value = NO_VALUE
    guests: Value = NO_VALUE
    lcus: Value = NO_VALUE
    busiest: Value = NO_VALUE
    skew: Value = NO_VALUE
    box: Value = NO_VALUE
    own: Value = NO_VALUE
    others: Value = NO_VALUE
    filled: str = ""
    words: str = ""
    command: str = ""


def fleet_table(listed: str, fleet: Fleet, exceptions: Sequence[ExceptionEntry] = ()) -> Table:
    """Return a list of some rows of a fleet; FLEET names the exceptions of its time, too."""
    if listed == GLANCE:
        return _glance(fleet, exceptions)
    rows: Sequence[Any] = getattr(fleet, listed)
    fields = rows[0]._fields if rows else ()
    columns: dict[str, list[Value]] = {field: [getattr(row, field) for row in rows] for field in fields}
    if "filled_by" in columns:
        columns["filled"] = [filled(row.filled_by) for row in rows]
        del columns["filled_by"]
    if "until" in columns:
        columns["ended"] = [
            "" if isinstance(row.until, Absent) else clock(int(row.until), DATED) for row in rows
        ]
    keys = [" ".join(getattr(row, part) for part in KEYS[listed]) for row in rows]
    missing = absent(NONE[listed]) if listed in NONE and not rows else None
    return Table(keys, columns, notes=fleet.notes, missing=missing)


def filled(guests: Sequence[tuple[str, float]]) -> str:
    """Write the guests that fill something, with their percent of its I/O."""
    return ", ".join(f"{guest} {percent:.0f} %" for guest, percent in guests)


# at a glance


def _glance(fleet: Fleet, exceptions: Sequence[ExceptionEntry]) -> Table:
    """Return FLEET: one row per line, keyed by section and thing."""
    lines = [
        _said(fleet),
        *_exceptions(exceptions, fleet),
        *_systems(fleet),
        *_boxes(fleet),
        *_units(fleet),
        *_paths(fleet),
        *_open(exceptions),
        *_unseen(fleet),
    ]
    return Table(
        [f"{line.section} {line.key}" for line in lines],
        {name: [getattr(line, name) for line in lines] for name in FleetLine._fields},
        series={
            "exceptions": tuple(
                TimedValue(exception.begin, exception.end, 1, 1, 1) for exception in exceptions
            )
        },
    )


def _number(value: Number) -> float:
    return -1.0 if isinstance(value, Absent) else float(value)


def _whole(fleet: Fleet) -> float:
    """Return the I/O of all guests whose I/O is added up."""
    return sum(max(_number(row.io), 0.0) for row in fleet.guests if row.state != APART)


def _share(io: Number, fleet: Fleet) -> Value:
    return io if isinstance(io, Absent) else 100.0 * ratio(float(io), _whole(fleet))


def _said(fleet: Fleet) -> FleetLine:
    """Say of what the figures are, and the conclusion."""
    claim, (text, command) = f"{reports(fleet)}.", conclusion(fleet)
    return FleetLine("verdict", "verdict", claim, words=f"{claim} {text}".rstrip(), command=command)


def reports(fleet: Fleet) -> str:
    """Say on how many systems the figures rest, and of which time they are."""
    of, answering = many(len(fleet.guests), "system"), fleet.answering
    said = f"{answering or 'None'} of {of} report{'' if answering > 1 else 's'}"
    if fleet.reporting < answering:
        said += f", {fleet.reporting or 'none'} of them an LCU" if answering > 1 else ", but no LCU"
    return f"{said}, {written(fleet.begin)} to {written(fleet.end)}"


def conclusion(fleet: Fleet) -> tuple[str, str]:
    """Return who fills the LCU at which guests wait, or that none waits; and the command that shows it."""
    if fleet.filling is not None:
        return fleet.filling.sentence, f"FILLERS lcu={fleet.filling.lcu} box={fleet.filling.box}"
    busiest = max(fleet.lcus, key=lambda row: _number(row.io), default=None)
    if busiest is None or isinstance(busiest.io, Absent) or not busiest.io:
        return "", "GUESTS"
    answers = "" if isinstance(busiest.resp, Absent) else f" at {busiest.resp:.1f} ms"
    rests = all(0 <= _number(row.queue) < WAITING for row in fleet.lcus)
    text = "At no LCU do guests wait. " * rests + (
        f"LCU {busiest.lcu} of box {busiest.box} has most I/O:"
        f" {busiest.io:,.0f} of {_whole(fleet):,.0f} a second{answers}, the most"
        f" by {filled(busiest.filled_by)}."
    )
    return text, _fillers(busiest)


def _fillers(row: LcuRow) -> str:
    return f"FILLERS lcu={row.lcu} box={row.box}"


def _exceptions(entries: Sequence[ExceptionEntry], fleet: Fleet) -> Iterator[FleetLine]:
    """Yield how many exceptions there were in the time, and how many of them are open at its end."""
    end, of = fleet.end, len(fleet.guests)
    unknown = sum(isinstance(row.bad, Absent) for row in fleet.guests)
    if unknown and unknown == of and not entries:
        text = f"Exceptions are not known of any of {many(of, 'system')}."
        yield FleetLine("exception", "all", "Exceptions", UNKNOWN, words=text, command="EXCEPT")
        return
    still = sum(entry.begin < end <= entry.end + SECOND for entry in entries)
    bad = sum(LEVELS[entry.level] == "bad" for entry in entries)
    text = (
        f"{len(entries):,} exception{'s' * (len(entries) > 1)} in this time, {bad or 'none'} bad;"
        f" {still or 'none'} open at its end."
        if entries
        else "No exception in this time."
    )
    text += f" They are not known of {unknown} of {many(of, 'system')}." * (unknown > 0)
    state = LEVELS[max((entry.level for entry in entries), default=0)]
    yield FleetLine("exception", "all", "Exceptions", state, words=text, command="EXCEPT")


def _systems(fleet: Fleet) -> Iterator[FleetLine]:
    for row in sorted(fleet.guests, key=lambda row: (-_number(row.io), row.guest)):
        share = NOT_ADDED if row.state == APART else _share(row.io, fleet)
        yield FleetLine(
            "system", row.guest, row.guest, "", share, row.io, row.mbs, row.resp, row.cpu,
            row.bad, row.look, command=f"OPEN {row.guest}" if row.path else "GUESTS",
        )  # fmt: skip


def _boxes(fleet: Fleet) -> Iterator[FleetLine]:
    for row in fleet.boxes:
        yield FleetLine(
            "box", f"{row.box} {row.vendor}", row.box, "", _share(row.io, fleet), row.io, row.mbs, row.resp,
            guests=row.guests, lcus=row.lcus, busiest=row.busiest, skew=row.skew,
            filled=filled(row.filled_by), command=f"LCUS box={row.box}",
        )  # fmt: skip


def _units(fleet: Fleet) -> Iterator[FleetLine]:
    for row in fleet.lcus:
        yield FleetLine(
            "unit", f"{row.box} {row.lcu}", row.lcu, "", _share(row.io, fleet), row.io, row.mbs, row.resp,
            guests=row.guests, box=row.box, filled=filled(row.filled_by), command=_fillers(row),
        )  # fmt: skip


def _paths(fleet: Fleet) -> Iterator[FleetLine]:
    for row in sorted(fleet.channels, key=lambda row: -_number(row.busy)):
        yield FleetLine(
            "chpid", f"{row.cpc} {row.chpid}", row.chpid, "", row.busy, own=row.own, others=row.gap,
            guests=row.seen_by, box=row.cpc, command="CHPIDS",
        )  # fmt: skip


def _open(entries: Sequence[ExceptionEntry]) -> Iterator[FleetLine]:
    for entry in sorted(entries, key=lambda candidate: (candidate.heaviness, candidate.where))[:MOST_OPEN]:
        name = f"{clock(entry.begin)} {entry.where}"
        yield FleetLine(
            "open",
            str(entry.number),
            name,
            LEVELS[entry.level],
            words=entry.told,
            command=f"WORST {entry.number}",
        )


def _unseen(fleet: Fleet) -> Iterator[FleetLine]:
    for row in fleet.guests:
        if row.state:
            yield FleetLine(
                "unseen",
                row.guest,
                row.guest,
                words=row.state,
                command=f"OPEN {row.guest}" if row.path else "",
            )
    for number, note in enumerate(fleet.notes, 1):
        yield FleetLine("unseen", f"note {number}", "Note", words=note)
