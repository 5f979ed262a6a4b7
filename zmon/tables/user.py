"""USER (FCX112) and USERIO: services, containers, guests and login sessions by what they use.

The Toolkit's users are guests; here they are what the Linux itself runs.  No layout of FCX112 is public, so
the columns are zmon's own.  The row `not accounted for` makes the bytes of all rows those of the disks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent, code_of, ratio
from zmon.base.sizes import MB
from zmon.interval import IDLE
from zmon.kinds import CMF, DASD, DEVICE, PROCESS, UNIT, UNIT_IO, UNLISTED
from zmon.machine.figure import Needs
from zmon.machine.join import by_key, mean, total
from zmon.machine.topology import TOPOLOGY, has_files, no_files
from zmon.machine.unit_loads import (
    KINDS,
    NO_LCU,
    NO_UNIT_IO,
    DiskPlaces,
    UnitLoads,
    parts_of,
    total_of,
    unit_loads,
)
from zmon.machine.unit_use import UnitUse
from zmon.placement.file_traffic import disk_spaces, spaces_of
from zmon.tables.filled import TableDefinition
from zmon.tables.table import SUMMARY, Table, summed
from zmon.topology.leaf_disks import NOTHING
from zmon.values.unit_name import title_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.machine.view import View
    from zmon.topology.leaf_disks import IoCounts

NEEDS: Final = Needs((*KINDS, CMF, DASD, DEVICE, PROCESS), topology=TOPOLOGY)

PROCESSES: Final = "UPROC"
"""The command that lists processes, which there are on every machine."""
INSTEAD: Final = f"{PROCESSES} shows what each process reads and writes"
REST: Final = "not-accounted"
"""The key of what is accounted to no unit."""
REST_TITLE: Final = "not accounted for"
REST_DISKS: Final = f"USERIO unit={REST_TITLE}"
"""The command that lists the disks of that."""
REST_WORDS: Final = "it is no unit"
MIN_REST: Final = 0.01
"""The part of a disk's bytes from which on what is accounted to no unit has a row."""

NO_DISKS: Final = absent("what the disks did is not known")
IS_REST: Final = absent(REST_WORDS)
MORE_COUNTED: Final = absent(
    "units count I/Os when they are submitted, disks when they complete: more were submitted"
)
NO_SPACE: Final = absent("no file of a known tablespace lies on its disks")
RESPONSE: Final = "~ Resp: the mean response time of the disks that a user uses, not its own"
OF_REST: Final = (
    "Not accounted for: journals of file systems, swapping, the kernel itself, and users that ended"
)
OTHERS: Final = "others"
"""What stands for several disks."""
SEVERAL: Final = absent("several disks together, of each of which less than 1 % is not accounted for")

SHOWN: Final = (
    "unit", "sort", "database", "instance", "cpu", "throttled", "cpuwait", "iowait", "iofull", "memwait",
    "faults", "tasks", "memory", "swap", "path",
)  # fmt: skip
SUMMED: Final = ("cpu", "io", "mbs", "share", "tasks", "memory", "swap", "faults")


def without_units(view: View, missing: Absent | None) -> Table:
    """Return a table of units where there are none: why, and that processes are shown instead.

    That is said where there are some: on a live machine, which reads them when they are looked at, or where
    they were recorded.
    """
    from zmon.registry import UNRECORDED  # noqa: PLC0415 - most machines have units

    processes = view.interval.after.frame(PROCESS)
    if missing is None or not (processes.keys or code_of(processes.missing) in UNRECORDED):
        return Table([], {}, missing=missing)
    return Table([], {}, missing=absent(f"{missing.reason}; {INSTEAD}"), facts={"door": PROCESSES})


def lcu_doors(loads: UnitLoads, places: DiskPlaces) -> dict[str, str]:
    """Return the command that lists who uses it, for each LCU on whose disks units do I/O, by its key.

    So it does for the disks of each sort that are on no LCU.
    """
    on = places.lcu | places.home
    keys = {on[number] for devices in loads.of.values() for number in devices if number in on}
    return {key: f"USERIO lcu={places.titles.get(key, key)}" for key in keys}


def table(view: View) -> Table:
    """Fill USER: one row per unit, keyed by its path, and one for what is accounted to none."""
    units, loads = UnitUse(view.interval), unit_loads(view.interval)
    if not units.keys:
        return without_units(view, units.missing)
    keys = list(units.keys)
    places = DiskPlaces(view, loads)
    spaces = {} if view.figures_only else disk_spaces(view)
    none = absent("not measured") if loads.missing is None else loads.missing
    io: list[dict[str, IoCounts] | Absent] = [
        none if loads.missing is not None else NO_UNIT_IO if not counted else loads.of.get(key, {})
        for key, counted in zip(keys, units.counted["io_counted"], strict=True)
    ]
    rest = dict(_rest(loads)) if loads.missing is None and loads.disks else None
    columns = units.columns(SHOWN) | {"door": [f"UDETAIL {key}" for key in keys]}
    if rest is not None:
        keys.append(REST)
        io.append(rest)
        for name, values in columns.items():
            values.append({"unit": REST_TITLE, "path": REST, "door": REST_DISKS}.get(name, IS_REST))
    everything = total(list(loads.bytes.values())) if loads.disks else NO_DISKS
    columns |= _io_columns(io, everything, places)
    columns["lcus"] = [counts if isinstance(counts, Absent) else _lcus(counts, places) for counts in io]
    columns["spaces"] = [_spaces(view, counts, spaces) for counts in io]
    return Table(
        keys,
        columns,
        summed("Users", columns, SUMMED),
        estimated={"resp": None, "spaces": None, **_guessed(keys, loads)},
        notes=tuple(_notes(view, units.counted["io_counted"], loads)),
    )


def _io_columns(
    io: Sequence[Mapping[str, IoCounts] | Absent], everything: Number, places: DiskPlaces
) -> dict[str, list[Value]]:
    """Return what all disks of each row have together."""
    columns: dict[str, list[Value]] = {name: [] for name in ("io", "mbs", "read", "share", "resp")}
    for disks in io:
        if isinstance(disks, Absent):
            for values in columns.values():
                values.append(disks)
            continue
        counts = total_of(disks.values())
        ios = [counts.ios for counts in disks.values() if counts.ios >= 0]
        columns["io"].append(total(ios) if ios or not disks else MORE_COUNTED)
        columns["mbs"].append(counts.bytes / MB)
        columns["read"].append(_read_percent(counts))
        columns["share"].append(100.0 * ratio(counts.bytes, everything, IDLE.reason))
        columns["resp"].append(_response(disks, places))
    return columns


def _rest(loads: UnitLoads) -> Iterator[tuple[str, IoCounts]]:
    """Yield what each disk did that is accounted to no unit, and of the disks with little of it all together.

    Of each disk by itself: units may have more than another one, which hides nothing of this.
    """
    small = NOTHING
    for number, counts in loads.rest.items():
        if counts.bytes > MIN_REST * loads.disks[number].bytes and counts.bytes > 0:
            yield number, counts
        else:
            small = small.plus(counts)
    if small.bytes > 0:  # so that the sums are those of the disks
        yield OTHERS, small


def _read_percent(counts: IoCounts) -> Number:
    """Return the percentage of the bytes that were read: of the rest, one of the two may be below zero."""
    read = max(counts.read, 0.0)
    return 100.0 * ratio(read, read + max(counts.written, 0.0), IDLE.reason)


def _response(io: Mapping[str, IoCounts], places: DiskPlaces) -> Number:
    """Return the mean response time of some disks, each with the I/Os that are done there."""
    if io.keys() == {OTHERS}:
        return SEVERAL
    responses = [
        (places.response.get(number, NO_LCU), counts.ios) for number, counts in io.items() if counts.ios > 0
    ]
    return (
        mean([response for response, _ in responses], [ios for _, ios in responses], IDLE.reason)
        if responses
        else IDLE
    )


def _lcus(io: Mapping[str, IoCounts], places: DiskPlaces) -> Value:
    """Name the LCUs of some disks, each with its part of the bytes."""
    if io.keys() == {OTHERS}:
        return SEVERAL
    more = {number: counts for number, counts in io.items() if counts.bytes > 0}
    much = {lcu: done for lcu, done in places.by_lcu(more).items() if lcu}
    return parts_of(much, sum(counts.bytes for counts in more.values())) or (NO_LCU if more else IDLE)


def _spaces(
    view: View, io: Mapping[str, IoCounts] | Absent, spaces: Mapping[str, Mapping[tuple[str, str], float]]
) -> Value:
    """Name the tablespaces on some disks, each with its part of what is done there."""
    if isinstance(io, Absent):
        return io
    if io.keys() == {OTHERS}:
        return SEVERAL
    if not spaces:
        return UNLISTED if view.inputs is None else NO_SPACE if has_files(view) else no_files(view)
    whole = sum(counts.bytes for counts in io.values() if counts.bytes > 0)
    return parts_of(spaces_of(spaces, io), whole) or (NO_SPACE if whole else IDLE)


def _guessed(keys: Sequence[str], loads: UnitLoads) -> dict[str, frozenset[int]]:
    """Return the rows with bytes that are shared out over the disks of an array."""
    rows = frozenset(row for row, key in enumerate(keys) if loads.guessed.get(key))
    return dict.fromkeys(("lcus",), rows) if rows else {}


def uncounted(users: int) -> str:
    """Say of how many users the I/O is not counted, and what switches that on."""
    some, whose = (f"{users:,} users", "their units") if users > 1 else ("1 user", "its unit")
    return f"The I/O of {some} is not counted; IOAccounting=yes of {whose} switches it on"


def _notes(view: View, counted: Iterable[Value], loads: UnitLoads) -> Iterable[str]:
    if loads.missing is not None:
        if (why := view.interval.after.frame(UNIT_IO).missing) is not None:
            yield f"I/O: {why.reason}"
        return
    if many := sum(1 for is_counted in counted if is_counted == 0):
        yield uncounted(many)
    yield OF_REST
    yield RESPONSE


def disk_table(view: View) -> Table:
    """Fill USERIO: one row per unit and disk, keyed `major:minor path`, and those accounted to none."""
    loads = unit_loads(view.interval)
    if loads.missing is not None:
        nothing = view.interval.after.frame(UNIT_IO).missing
        return Table([], {}, missing=loads.missing) if nothing is None else without_units(view, nothing)
    places, spaces, units = DiskPlaces(view, loads), disk_spaces(view), view.interval.of(UNIT)
    rows = [
        (unit, number, counts) for unit, devices in loads.of.items() for number, counts in devices.items()
    ]
    rows += [(REST, number, counts) for number, counts in _rest(loads)]
    by_lcu = by_key((places.lcu.get(number, ""), much) for number, much in loads.bytes.items())
    columns: dict[str, list[Value]] = {
        "unit": [REST_TITLE if unit == REST else title_of(unit) for unit, _, _ in rows],
        **{
            name: [IS_REST if unit == REST else units.cell(unit, name) for unit, _, _ in rows]
            for name in ("database", "instance")
        },
        "lcu": [SEVERAL if number == OTHERS else places.lcu_name(number) for _, number, _ in rows],
        "cu": [places.home.get(number, places.lcu.get(number, NO_LCU)) for _, number, _ in rows],
        "addr": [places.device.get(number, number) for _, number, _ in rows],
        "label": [SEVERAL if number == OTHERS else places.label.get(number, NO_LCU) for _, number, _ in rows],
        "io": [counts.ios if counts.ios >= 0 else MORE_COUNTED for _, _, counts in rows],
        "mbs": [counts.bytes / MB for _, _, counts in rows],
        "read": [_read_percent(counts) for _, _, counts in rows],
        "resp": [
            SEVERAL if number == OTHERS else places.response.get(number, NO_LCU) for _, number, _ in rows
        ],
        "share": [
            SEVERAL if number == OTHERS else 100.0 * ratio(counts.bytes, loads.bytes[number])
            for _, number, counts in rows
        ],
        "lcushare": [
            100.0 * ratio(counts.bytes, by_lcu[places.lcu[number]]) if number in places.lcu else NO_LCU
            for _, number, counts in rows
        ],
        "spaces": [_spaces(view, {number: counts}, spaces) for _, number, counts in rows],
        "path": [unit for unit, _, _ in rows],
        "door": [
            f"UDETAIL {unit}"
            if unit != REST
            else "DEVICE"
            if number == OTHERS
            else f"DEVICE {places.device.get(number, number)}"
            for unit, number, _ in rows
        ],
    }
    guessed = frozenset(
        row for row, (unit, number, _) in enumerate(rows) if number in loads.guessed.get(unit, ())
    )
    return Table(
        [f"{number} {unit}" for unit, number, _ in rows],
        columns,
        summed("Users", columns, ("io", "mbs"))._replace(things="rows") if rows else None,
        estimated={
            "resp": None,
            "spaces": None,
            **(dict.fromkeys(("io", "mbs", "share", "lcushare"), guessed | {SUMMARY}) if guessed else {}),
        },
        notes=(OF_REST, RESPONSE) if any(unit == REST for unit, _, _ in rows) else (RESPONSE,),
        missing=None if rows else IDLE,
    )


DEFINITIONS: Final = {
    "user": TableDefinition(NEEDS, table, things=UnitUse),
    "user_disk": TableDefinition(NEEDS, disk_table),
}
