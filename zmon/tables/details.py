"""DEVICE nnnn (FCX110): everything that is known of one device, on one page."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent, code_of, text_of
from zmon.base.ranges import names, some
from zmon.base.sizes import SECTOR
from zmon.kinds import BLOCK, CACHE, CMF, DASD, DEVICE, LAYER, LUN, MOUNT, MULTIPATH, NO_CMF, NOWHERE, PATH
from zmon.machine.device_names import find_device
from zmon.machine.devices import NOT_CCW, devices_of, label_reader
from zmon.machine.figure import Needs
from zmon.machine.topology import NOTHING_ON, TOPOLOGY, machine_of, no_files, volumes_of
from zmon.tables import multipath
from zmon.tables.cache import table as cache_table
from zmon.tables.device import CP_ONLY, hanging
from zmon.tables.device import table as device_table
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Table
from zmon.topology.volumes import ON_A_TRACK
from zmon.values.dasd_state import UNFORMATTED
from zmon.values.nvme import parse_path
from zmon.values.path_masks import IN_SHORT, NO_MASKS, OF_DEVICE, device_paths, path_masks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.interval import Interval
    from zmon.machine.view import View
    from zmon.topology.machine import Machine

NEEDS: Final = Needs((BLOCK, CACHE, CMF, DASD, DEVICE, LAYER, LUN, MOUNT, MULTIPATH, PATH), topology=TOPOLOGY)

NOT_ASKED: Final = absent("the controller's cache was not asked: its statistics are off by default")
NO_DISK: Final = absent("it is no disk that Linux has a block device for")
NO_MOUNT: Final = absent("no file system that is mounted lies on it")
NO_CHANNEL: Final = absent("only DASD have channel measurement; Linux itself measures Await")
SET_0: Final = "0.0."
"""What the bus ids of most devices begin with."""
MAX_TYPE: Final = 12
"""Characters of a type that the page has room for."""
NO_OTHER_LABEL: Final = absent("Linux reads no other label on it than that of the volume")
NOT_COUNTED: Final = absent("Linux does not count this")
MAX_PATHS: Final = 16
"""The number of paths of a multipath device that are described; the others are counted."""
NO_STATE: Final = absent("nothing tells the states of its paths")


def table(view: View) -> Table:
    """Fill the page of the device that `view.argument` names.

    Raises:
        NoSuchThing: no device, or more than one, has that name.
    """
    load, devices = device_table(view), devices_of(view.interval)
    key = find_device(view, view.argument)
    row = load.keys.index(key)
    facts: dict[str, Value] = {name: values[row] for name, values in load.columns.items()}
    guesses = {name: None for name in facts if name != "lcu" and load.is_estimate(name, row)}
    if load.is_estimate("lcu", row):
        facts["lcu"] = f"{facts['lcu']}~"
    interval, volume = view.interval, volumes_of(view).get(key)
    ccw = interval.of(DEVICE)
    label = interval.of(DASD).cell(key, "volser")
    volser = volume.volser if volume else label_reader(interval)(key, ccw.cell(key, "uid"), label)
    own_label = text_of(label) if volser != label else ""
    chpids = facts["chpids"]
    paths = chpids.split() if isinstance(chpids, str) else []
    states = path_states(interval, key, len(paths))
    device_name = facts["addr"] if isinstance(facts["addr"], str) else key
    if "." not in key:
        is_lacking = (value == NO_CMF for value in facts.values())
        facts |= {name: NO_CHANNEL for name, lacks in zip([*facts], is_lacking, strict=True) if lacks}
    facts |= {
        "device": device_name,
        "subject": f"{device_name} ( {_kind(facts)} )",
        "busid": _busid(view, key),
        "subchannel": ccw.cell(key, "subchannel"),
        "status": _status(interval, key),
        "uid": devices.uids[row],
        "seek": NOT_COUNTED,
        "contention": NOT_COUNTED,
        "reserved": NOT_COUNTED,
        "sense": NOT_COUNTED,
        "recovery": NOT_COUNTED,
        "throttle": CP_ONLY,
        "path_names": "".join(f"{name:<6}" for name in paths) or chpids,
        "path_states": "".join(f"{state:<6}" for state in states) or (NO_MASKS if paths else chpids),
        "size": _size(view, facts["dasd"], key),
        "label": volser,
        "ownlabel": own_label or NO_OTHER_LABEL,
        "cylinders": interval.of(DASD).cell(key, "cylinders"),
        "measured": "".join(hanging(view, {devices.keys.index(key)} & devices.blocks.hung.keys()))
        or _measured(facts),
        "requests": interval.of(BLOCK).cell(str(facts["dasd"]), "nr_requests"),
    }
    caches = cache_table(view)
    place = caches.keys.index(key) if key in caches.keys else None
    for name in ("total", "read", "readhit", "writehit", "inhibited", "bypassed"):
        facts[f"cu_{name}"] = (
            caches.columns[name][place] if place is not None else caches.missing or NOT_ASKED
        )
    facts |= contents(view, facts)
    notes: list[str] = []
    if key in devices.paths:
        paths_table = multipath.table(view)
        rows = [row for row, name in enumerate(paths_table.columns["device"]) if name == key]
        facts |= _paths(paths_table, rows) if rows else _named_paths(devices.paths[key])
        notes = _described(paths_table, rows) if rows else _controllers(devices.paths[key])
    if isinstance(facts["type"], str) and len(facts["type"]) > MAX_TYPE:
        notes = [f"Device type: {facts['type']}", *notes]
    return Table([], {}, facts=facts, estimated=guesses, notes=tuple(notes))


def _paths(paths_table: Table, rows: Sequence[int]) -> dict[str, Value]:
    """Return the names of the paths of a multipath device and, under them, whether each can be used."""
    names = [str(paths_table.columns["path"][row]) for row in rows]
    width = max(6, *(len(name) + 1 for name in names))
    states = ["ON" if paths_table.columns["down"][row] == 0 else "OFF" for row in rows]
    return {
        "path_names": "".join(f"{name:<{width}}" for name in names),
        "path_states": "".join(f"{state:<{width}}" for state in states),
    }


def _named_paths(names: Sequence[str]) -> dict[str, Value]:
    """Return the names of paths that MPATH does not have, as those of an NVMe disk."""
    return {"path_names": " ".join(names), "path_states": NO_STATE}


def _controllers(names: Sequence[str]) -> list[str]:
    """Say of each path to an NVMe disk over which controller it leads, which its name has."""
    paths = ((name, parse_path(name)) for name in names)
    said = [f"{name}: over controller {path.controller}" for name, path in paths if path]
    return some(said, "paths", MAX_PATHS)


def _described(paths_table: Table, rows: Sequence[int]) -> list[str]:
    """Say of each path of a multipath device where it leads, its state, and what it carries."""
    said = []
    for row in rows:
        cells = {name: values[row] for name, values in paths_table.columns.items()}
        facts = [str(cells["state"]) if isinstance(cells["state"], str) else "state not known"]
        if isinstance(cells["adapter"], str):
            facts.append(f"over {cells['adapter']}")
        if isinstance(cells["port"], str):
            facts.append(f"port {cells['port']}")
        load = [
            f"{value:,.1f} {unit}"
            for name, unit in (("io", "I/O a second"), ("resp", "ms"))
            if isinstance(value := cells[name], (int, float))
        ]
        said.append(f"{cells['path']}: {' '.join(facts)}{': ' * bool(load)}{', '.join(load)}")
    return some(said, "paths: MPATH shows them", MAX_PATHS)


def _busid(view: View, key: str) -> Value:
    """Return the bus id of the device, or those of the adapters that a SCSI disk is reached by.

    Of several adapters the device numbers are enough where all are in set 0.
    """
    if "." in key:
        return key
    stack = machine_of(view).stack
    nodes = [stack.named(name) for name in devices_of(view.interval).paths.get(key, (key,))]
    busids = dict.fromkeys(node.busid for node in nodes if node is not None)
    names = [busid for busid in busids if isinstance(busid, str)]
    if len(names) > 1 and all(busid.startswith(SET_0) for busid in names):
        names = [busid.removeprefix(SET_0) for busid in names]
    return " ".join(names) or next(iter(busids), NOT_CCW)


def contents(view: View, facts: Mapping[str, Value]) -> dict[str, Value]:
    """Return what lies on a device: file systems, tablespaces, files."""
    if not isinstance(facts["dasd"], str):
        is_open = code_of(facts["dasd"]) == NOWHERE.code
        why = facts["dasd"] if is_open else NO_DISK
        return dict.fromkeys(("mounts", "spaces", "files", "lodged"), why)
    node = machine_of(view).stack.named(facts["dasd"])
    number = view.interval.of(BLOCK).cell(facts["dasd"], "number") if node is None else node.number
    if isinstance(number, Absent):
        return dict.fromkeys(("mounts", "spaces", "files", "lodged"), number)
    mounts, spaces, files = _contents(machine_of(view), str(number))
    nothing = NOTHING_ON if machine_of(view).files else no_files(view)
    return {
        "mounts": names(mounts) or view.interval.after.frame(MOUNT).missing or NO_MOUNT,
        "spaces": names(spaces) or nothing,
        "files": files or nothing,
        "lodged": facts["dasd"] if files else nothing,
    }


@lru_cache(maxsize=8)
def _contents(machine: Machine, number: str) -> tuple[list[str], list[str], int]:
    """Return the mount points and the tablespaces on a disk, and how many files; the largest first."""
    from zmon.placement.pieces import tablespace_of  # noqa: PLC0415 - other pages start without it
    from zmon.placement.word_lookup import MeaningKind, WordMeaning, find_on_disks  # noqa: PLC0415 - likewise

    contents = find_on_disks(WordMeaning(number, MeaningKind.DEVICE, number, (number,)), machine)
    sizes: dict[str, float] = {}
    for on_disk in contents.files:
        name = tablespace_of(on_disk.file) or "(none)"
        name = f"{on_disk.file.database}.{name}" if on_disk.file.database else name
        sizes[name] = sizes.get(name, 0) + (0 if isinstance(on_disk.bytes, Absent) else on_disk.bytes)
    points = list(dict.fromkeys(mount.title for mount in contents.mounts))
    return points, sorted(sizes, key=lambda name: (-sizes[name], name)), len(contents.files)


def path_states(interval: Interval, key: str, paths: int) -> list[str]:
    """Return for each installed path `ON`, or which mask says that it cannot be used."""
    cells = [interval.of(DEVICE).cell(key, name) for name in OF_DEVICE]
    device = device_paths(*cells)
    if device is None:
        return []
    lacking = [
        (word, ~mask)
        for word, mask in zip(("OFF", "NOTOP", "NOTVER"), cells[2:5], strict=True)
        if isinstance(mask, int)
    ]
    of_driver = path_masks(text_of(device.of_driver))
    lacking += [(word, device.lost & of_driver.get(name, 0)) for name, word in IN_SHORT.items()]
    lacking.append(("LOST", device.lost))
    bits = [0x80 >> place for place in range(8) if device.installed & (0x80 >> place)]
    return [next((word for word, mask in lacking if mask & bit), "ON") for bit in bits[:paths]]


def _kind(facts: dict[str, Value]) -> str:
    role = facts["role"]
    if role in {"PAV", "HPAV"}:
        return f"{role} ALIAS"
    if role == "alias":
        return "ALIAS"
    if isinstance(facts["dasd"], str):
        return "LINUX"
    return "NAME NOT KNOWN" if code_of(facts["dasd"]) == NOWHERE.code else "NO BLOCK DEVICE"


def _status(interval: Interval, key: str) -> Value:
    ccw = interval.of(DEVICE)
    states = [ccw.cell(key, name) for name in ("status", "availability", "discipline")]
    said = [word.upper() for word in states if isinstance(word, str)]
    if pair := text_of(ccw.cell(key, "copy_pair")):
        said.append(f"{text_of(ccw.cell(key, 'copy_role'))} of {pair}".upper())
    for name, label in (("readonly", "READ ONLY"), ("hpf", "HPF"), ("ese", "THIN")):
        if ccw.cell(key, name) == 1:
            said.append(label)
    return ", ".join(said) or states[0]


def _size(view: View, name: Value, key: str) -> Value:
    """Return the bytes of a disk; where the block layer was not read, as in texts, as others say."""
    sectors = view.interval.of(BLOCK).cell(str(name), "size") if isinstance(name, str) else name
    if isinstance(sectors, int):
        return sectors * SECTOR
    node = machine_of(view).stack.named(name) if isinstance(name, str) else None
    if node is not None and not isinstance(node.size, Absent):
        return node.size
    dasd = view.interval.after.frame(DASD)
    size, blocks, cylinders = (dasd.cell(key, field) for field in ("block_size", "blocks", "cylinders"))
    is_formatted = dasd.cell(key, "state") not in UNFORMATTED
    if is_formatted and isinstance(blocks, Absent) and isinstance(size, int) and isinstance(cylinders, int):
        blocks = cylinders * 15 * ON_A_TRACK.get(size, 0)
    return blocks * size or sectors if isinstance(blocks, int) and isinstance(size, int) else sectors


def _measured(facts: dict[str, Value]) -> str:
    """Say why times are missing, or how far they may be off."""
    for name in ("serv", "await"):
        value = facts[name]
        if isinstance(value, Absent):
            return value.reason
    off = facts["error"]
    if isinstance(off, int) and off:
        return f"times are rebuilt from averages: each total may be off by {off / 1e6:.1f} ms"
    return ""


DEFINITIONS: Final = {
    "details": TableDefinition(
        NEEDS, table, find=lambda view: find_device(view, view.argument),
        screen="DETAILS", resource="device", concluded=True,
    )
}  # fmt: skip
