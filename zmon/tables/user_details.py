"""UDETAIL: one service, container, guest or session: its disks with their LCUs, its processes, its files.

What a process or a file has of the I/O is an estimate: the kernel counts it by unit and disk only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent, ratio
from zmon.base.ranges import names
from zmon.base.sizes import MB
from zmon.interval import IDLE
from zmon.kinds import CMF, DASD, DEVICE, OPEN_FILE, PROCESS, ROUNDS, UNIT
from zmon.machine.figure import Needs
from zmon.machine.topology import TOPOLOGY, has_files, machine_of
from zmon.machine.unit_loads import KINDS, NO_LCU, DiskPlaces, parts_of, unit_loads
from zmon.machine.unit_use import UnitUse
from zmon.machine.view import NoSuchThing
from zmon.machine.wait_devices import CANDIDATES, WaitDevices
from zmon.placement.file_traffic import disk_spaces, spaces_of
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Table
from zmon.tables.user import without_units
from zmon.tables.wait_states import NOBODY, SLEPT, process_use
from zmon.values.unit_name import title_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.machine.view import View
    from zmon.tables.wait_states import ProcessUse

NEEDS: Final = Needs(
    (ROUNDS, PROCESS, OPEN_FILE, *KINDS, CMF, DASD, DEVICE), topology=TOPOLOGY, on_demand=True
)

DISK: Final = "disk"
IS_PROCESS: Final = "process"
FILE: Final = "file"
MAX_NAMED: Final = 3
"""Processes that are named as having a file open; the others are counted."""
MAX_PROCESSES: Final = 40
"""Processes that have a line: those that did most."""
MAX_FILES: Final = 200

NOT_OF_IT: Final = absent("only disks have it")
NO_FILE_COUNT: Final = absent("nobody counts the I/O of a file; one of a listing has an estimate on FILES")
SHARES: Final = "~ Lines of processes: I/O of the unit in the ratio of what its processes read and made dirty"
LEFT: Final = "{} more processes did less: UPROC {} lists all"
NO_PROCESSES: Final = "Processes and files: {}"

_COLUMNS: Final = (
    "sort", "name", "lcu", "addr", "label", "io", "mbs", "read", "share", "resp", "what", "door",
)  # fmt: skip


def table(view: View) -> Table:
    """Fill UDETAIL: one row per disk of a unit, keyed by its number, per process and per open file.

    Raises:
        NoSuchThing: `view.argument` names no unit.
    """
    units, loads, use = view.interval.of(UNIT), unit_loads(view.interval), process_use(view.interval)
    all_units = list(dict.fromkeys((*units.keys, *(unit for unit in use.by_unit if unit != NOBODY))))
    if not all_units:
        return without_units(view, units.missing or use.missing)
    unit = find_unit(view, all_units)
    rows = dict(_disks(view, unit))
    notes = [] if loads.missing is None else [f"Disks: {loads.missing.reason}"]
    guessed: set[str] = set()
    if use.missing is None:
        devices = WaitDevices(view)
        members = use.by_unit.get(unit, [])
        processes = dict(_processes(use, members, devices, rows))
        guessed = {key for key, row in processes.items() if row.pop("guessed")}
        rows |= {key: _without(row, "guessed") for key, row in processes.items()}
        rows |= _files(view, unit, devices)
        if len(members) > MAX_PROCESSES:
            notes.append(LEFT.format(len(members) - MAX_PROCESSES, title_of(unit)))
        notes += [SHARES] if processes else []
        notes += [CANDIDATES] if guessed else []
    else:
        notes.append(NO_PROCESSES.format(use.missing.reason))
    keys = list(rows)
    columns = {name: [rows[key].get(name, NOT_OF_IT) for key in keys] for name in _COLUMNS}
    shared = frozenset(row for row, key in enumerate(keys) if rows[key]["sort"] == IS_PROCESS)
    places = frozenset(row for row, key in enumerate(keys) if key in guessed)
    disks = frozenset(row for row, key in enumerate(keys) if rows[key]["sort"] == DISK)
    parts = frozenset(row for row in disks if rows[keys[row]]["what"])
    wrong = frozenset(row for row in disks if keys[row] in loads.guessed.get(unit, ()))
    return Table(
        keys,
        columns,
        facts=_facts(view, unit),
        estimated={
            "mbs": shared | wrong, "share": shared, "lcu": places, "addr": places, "resp": disks, "io": wrong,
            "what": parts,
        },
        notes=tuple(notes),
        missing=None if keys else IDLE,
    )  # fmt: skip


def find_unit(view: View, units: Sequence[str]) -> str:
    """Return the path of the unit that `view.argument` names, else of the one that moves most bytes.

    Raises:
        NoSuchThing: it names none, or several.
    """
    wanted = view.argument
    if not wanted:
        of = unit_loads(view.interval).of
        return max(units, key=lambda unit: sum(counts.bytes for counts in of.get(unit, {}).values()))
    named = [unit for unit in units if wanted in {unit, unit.rpartition("/")[2]}]
    named = named or [unit for unit in units if title_of(unit).casefold() == wanted.casefold()]
    if len(named) != 1:
        why = f"{len(named)} users are called {wanted!r}: take the path" if named else f"no user {wanted!r}"
        raise NoSuchThing(f"{why}; USER lists all")
    return named[0]


def _without(row: Mapping[str, Value], name: str) -> dict[str, Value]:
    return {key: value for key, value in row.items() if key != name}


def _facts(view: View, unit: str) -> dict[str, Value]:
    """Return what the head says of the unit."""
    units = UnitUse(view.interval)
    return {
        "unit": title_of(unit),
        **{name: units.counted.cell(unit, name) for name in ("database", "instance")},
        "path": unit,
        **{name: units.cell(unit, name, NOT_OF_IT) for name in ("cpu", "cpuwait", "iowait", "memwait")},
        "tasks": units.counted.cell(unit, "tasks"),
        "memory": units.cell(unit, "memory", NOT_OF_IT),
    }


def _disks(view: View, unit: str) -> Iterator[tuple[str, dict[str, Value]]]:
    """Yield the disks on which the unit does I/O, that with most bytes first."""
    loads = unit_loads(view.interval)
    places, spaces = DiskPlaces(view, loads), disk_spaces(view)
    on = loads.of.get(unit, {})
    every = sum(counts.bytes for counts in on.values())
    for number, counts in sorted(on.items(), key=lambda item: -item[1].bytes):
        addr = places.device.get(number, number)
        yield number, {
            "sort": DISK, "name": addr, "lcu": places.lcu_name(number), "addr": addr,
            "label": places.label.get(number, NO_LCU), "io": counts.ios, "mbs": counts.bytes / MB,
            "read": 100.0 * ratio(max(counts.read, 0.0), counts.bytes, IDLE.reason),
            "share": 100.0 * ratio(counts.bytes, every, IDLE.reason),
            "resp": places.response.get(number, NO_LCU),
            "what": parts_of(spaces_of(spaces, {number: counts}), counts.bytes) or "",
            "door": f"DEVICE {addr}",
        }  # fmt: skip


def _processes(
    use: ProcessUse,
    members: Sequence[str],
    devices: WaitDevices,
    disks: Mapping[str, Mapping[str, Value]],
) -> Iterator[tuple[str, dict[str, Value]]]:
    """Yield the processes of the unit, those that move most bytes, wait most or run most first."""
    moved = {key: use.moved(key) for key in members}
    rates = [value for value in moved.values() if not isinstance(value, Absent)]
    every = sum(rates)
    whole = sum(float(mbs) for row in disks.values() if isinstance(mbs := row["mbs"], (int, float)))

    def much(key: str) -> tuple[float, int, float]:
        rate, run = moved[key], use.of[key].rates["run"]
        return (
            0.0 if isinstance(rate, Absent) else rate,
            use.of[key].active,
            0.0 if isinstance(run, Absent) else run,
        )

    for key in sorted(members, key=much, reverse=True)[:MAX_PROCESSES]:
        on, place = use.waits_on([key], devices), use.place([key])
        part = ratio(moved[key], every, IDLE.reason)
        yield f"process {key}", {
            "sort": IS_PROCESS, "name": f"{use.now.cell(key, 'command')} {key}", "lcu": on.lcu,
            "addr": on.device, "mbs": whole * part if disks else IDLE, "share": 100.0 * part,
            "what": "" if place is SLEPT else place, "door": f"UPROC {key}", "guessed": int(on.is_estimate),
        }  # fmt: skip


def _files(view: View, unit: str, devices: WaitDevices) -> dict[str, dict[str, Value]]:
    """Return the files that processes of the unit have open, those that are written first."""
    frame = view.interval.after.frame(OPEN_FILE)
    columns = (frame.column(name) for name in ("unit", "file", "device", "access", "process"))
    opened: dict[str, tuple[str, set[str], list[str]]] = {}
    for owner, path, number, access, process in zip(*columns, strict=True):
        if owner == unit and isinstance(path, str):
            _, ways, processes = opened.setdefault(path, (str(number), set(), []))
            ways.add(access if isinstance(access, str) else "open")
            processes.append(str(process))
    listed = {file.path for file in machine_of(view).files} if has_files(view) else set()
    files = sorted(opened, key=lambda path: (opened[path][1] <= {"read"}, path))
    rows: dict[str, dict[str, Value]] = {}
    for path in files[:MAX_FILES]:
        number, ways, processes = opened[path]
        disks = devices.disks(number)
        addr = devices.device(disks)
        rows[f"file {path}"] = {
            "sort": FILE, "name": path, "lcu": devices.lcu(disks), "addr": addr, "mbs": NO_FILE_COUNT,
            "io": NO_FILE_COUNT, "share": NO_FILE_COUNT,
            "what": f"open for {_ways(ways)} by {names(processes, MAX_NAMED)}",
"door": _file_door(path, addr, is_listed=path in listed, disks=len(disks)),
        }  # fmt: skip
    return rows


def _file_door(path: str, addr: str, *, is_listed: bool, disks: int) -> Value:
    """Return the command that leads deeper: where a file of a listing lies, else to its disk."""
    if is_listed:
        return f"FILES {path}"
    return f"DEVICE {addr}" if disks == 1 else NO_FILE_COUNT


def _ways(ways: set[str]) -> str:
    if ways <= {"read"}:
        return "reading"
    return "writing" if ways <= {"write"} else "reading and writing"


DEFINITIONS: Final = {"user_details": TableDefinition(NEEDS, table)}
