"""DEVICE (FCX108): the load of each I/O device, as `zmon.machine.devices` has it.

Where starts are not counted, Linux's requests are shown instead, marked; so is the time of a volume that
hangs.
"""

from __future__ import annotations

from collections import Counter

from zmon.base.absent import Absent, absent
from zmon.base.clock import length
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.ranges import some
from zmon.kinds import BLOCK, CMF, DASD, DEVICE, NOWHERE, TEXT
from zmon.machine.devices import (
    NVME_HOME,
    SHOWN,
    VIRTIO_HOME,
    Devices,
    address,
    devices_of,
    homes,
    hung_for,
    labels,
    no_number,
    path_count,
    roles,
    strays,
)
from zmon.machine.figure import Needs
from zmon.machine.join import present
from zmon.machine.topology import TOPOLOGY, units_of, volumes_of
from zmon.tables.filled import TableDefinition
from zmon.tables.table import SUMMARY, Summary, Table
from zmon.topology.volumes import device_type, short_titles

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.machine.view import View
    from zmon.sample import Sample
    from zmon.topology.volumes import Volume

NEEDS: Final = Needs((BLOCK, CMF, DASD, DEVICE), topology=TOPOLOGY)
SERVICE: Final = "Serv includes the time in which the device alone was active: up to {:.1f} ms"
REQUESTS: Final = "~ I/O: Linux's own requests, where starts of I/O are not counted"
MAX_NAMED: Final = 3
"""So many volumes that hang are named."""
CP_ONLY: Final = absent("only CP knows this; Linux does not")
NO_LCU: Final = absent("no LCU: the device has no uid")
OF_HOST: Final = absent("no LCU: a disk of the host, which alone knows on which volume it lies")
OF_NVME: Final = absent("no LCU: an NVMe disk has none")

ORDER: Final = (
    "addr", "type", "label", "links", "paths", "io", "avoid", "pend", "disc", "conn", "serv", "resp", "cuwt",
    "qued", "dasd", "lcu", "role", "busy", "ios", "await", "inflight", "queue", "lbusy", "mbs", "reqkb",
    "read", "aliases", "chpids", "cu", "error",
)  # fmt: skip
"""The order of all columns, which the page of a device exports."""


WHY_NO_LCU: Final = {VIRTIO_HOME: OF_HOST, NVME_HOME: OF_NVME}


def table(view: View) -> Table:
    """Fill DEVICE: one row per device that is on line, and a line for all DASD."""
    devices = devices_of(view.interval)
    told, volumes = _told(view, devices), volumes_of(view)
    units = units_of(view).lcus
    short = short_titles(units)
    lcu_of = {**devices.lcu_of, **told}
    home = homes(devices, lcu_of)
    unit: list[Value] = [
        lcu_of.get(key, WHY_NO_LCU.get(sort, uid if isinstance(uid, Absent) else NO_LCU))
        for key, uid, sort in zip(devices.keys, devices.uids, home, strict=True)
    ]
    shown: dict[str, list[Value]] = {
        "addr": [no_number(key) or address(key) for key in devices.keys],
        "type": _types(devices),
        "label": labels(devices, volumes),
        "links": [CP_ONLY] * len(devices.keys),
        "paths": list(path_count(devices)),
        "avoid": [CP_ONLY] * len(devices.keys),
        **devices.columns(SHOWN),
        "dasd": devices.names,
        "lcu": [short.get(lcu, lcu) if isinstance(lcu, str) else lcu for lcu in unit],
        "role": roles(devices),
        "inflight": devices.blocks.counted["in_flight"],
        "aliases": _aliases(devices, unit, view.interval.after),
        "chpids": devices.chpids,
        "cu": [sort or lcu for sort, lcu in zip(home, unit, strict=True)],
        "error": list(devices.cmf.numbers("error")),
    }
    columns = {name: shown[name] for name in ORDER}
    whys = {key: units[told[key]].why for key in devices.keys if key in told} if told else {}
    guesses = frozenset(row for row, key in enumerate(devices.keys) if whys.get(key))
    estimated, notes = dict.fromkeys(("lcu", "cu"), guesses), hanging(view, devices.blocks.hung)
    estimated["resp"] = frozenset(devices.blocks.hung)
    if guesses:
        notes.append(f"~ LCU: by {'; '.join(dict.fromkeys(filter(None, whys.values())))}")
    if devices.guessed:
        estimated["io"] = devices.guessed
        if devices.estimated(range(len(devices.keys))):
            estimated["io"] |= {SUMMARY}
        notes.append(REQUESTS)
    if devices.blocks.mixed:
        notes.append("Rq/s and Await are those of reads, writes and discards together, as sar counts them")
    shared = frozenset(row for row, aliases in enumerate(columns["aliases"]) if aliases > 0)  # type: ignore[operator]
    if shared.difference(row for row, value in enumerate(devices.queued) if isinstance(value, Absent)):
        estimated["qued"] = shared | {SUMMARY}
        notes.append("~ Qued: as if aliases served like the base; CTLUNIT has it for the whole LCU")
    if devices.active:
        notes.append(SERVICE.format(max(present(devices.active), default=0.0)))
    if devices.ccw_missing is not None:
        notes.append(f"Only what any Linux knows: {devices.ccw_missing.reason}")
    notes += two_labels(devices, volumes)
    missing = None if devices.keys else view.interval.of(BLOCK).missing
    return Table(
        devices.keys, columns, summary(devices), estimated=estimated, notes=tuple(notes), missing=missing
    )


def hanging(view: View, rows: Iterable[int]) -> list[str]:
    """Say which volumes hang, the longest first, and for how long as far as the samples before show it."""
    devices, rows = devices_of(view.interval), list(rows)
    lasted = hung_for(view) if rows else {}
    worst = sorted(rows, key=lambda row: (-lasted[devices.keys[row]], row))
    said = [
        f"{devices.title(row)}: busy for {length(lasted[devices.keys[row]])}, nothing completed"
        for row in worst
    ]
    return some(said, "volumes hang", MAX_NAMED)


def _told(view: View, devices: Devices) -> dict[str, str]:
    """Return the keys of the LCUs of disks that have no unique id, where people, CP or a LUN tell them."""
    lcu_of = devices.lcu_of
    if all(
        key in lcu_of for key, name in zip(devices.keys, devices.names, strict=True) if name.__class__ is str
    ):
        return {}
    return {key: lcu for key, lcu in units_of(view).of.items() if key not in lcu_of}


def _types(devices: Devices) -> list[Value]:
    return [
        model if isinstance(model, str) and isinstance(unit, Absent) else device_type(kind, unit, cylinders)
        for kind, unit, model, cylinders in zip(
            devices.ccw["devtype"],
            devices.ccw["cutype"],
            devices.of_paths("model"),
            devices.dasd["cylinders"],
            strict=True,
        )
    ]


def two_labels(devices: Devices, of_keys: Mapping[str, Volume]) -> list[str]:
    """Say that minidisks have labels of their own beside those of their volumes."""
    volumes = (of_keys[key] for key in devices.keys if key in of_keys)
    two = [volume for volume in volumes if volume.own_label and isinstance(volume.volser, str)]
    if not two:
        return []
    some = f"{len(two)} minidisks have other labels than their volumes"
    return [
        f"{some if len(two) > 1 else 'A minidisk has another label than its volume'}: DEVICE nnnn shows both"
    ]


def _aliases(devices: Devices, unit: Sequence[Value], sample: Sample) -> list[Value]:
    """Return how many aliases the LCU of each device has; they are shared by its volumes."""
    alias = devices.ccw["alias"]
    counts: dict[Value, int] = {}
    for key in (key for key, is_alias in zip(unit, alias, strict=True) if is_alias == 1):
        counts[key] = counts.get(key, 0) + 1
    stray = sum(count for key, count in counts.items() if isinstance(key, Absent))
    unknown = strays(stray) if stray else None
    if not stray and TEXT.name in sample.frames:
        from zmon.topology.read_texts import unseen_aliases  # noqa: PLC0415 - most samples are of no texts

        unknown = unseen_aliases(sample)
    return [
        key
        if isinstance(key, Absent)
        else unknown
        if unknown is not None and (isinstance(own, int) or own == NOWHERE)
        else counts.get(key, 0)
        for key, own in zip(unit, alias, strict=True)
    ]


def summary(devices: Devices) -> Summary:
    """Add up all DASD and their aliases; times are averages, each with its I/O rate as its weight."""
    whole = devices.as_one(devices.summed, SHOWN)
    return Summary(">> All DASD <<", whole, lambda rows: devices.as_one(rows, SHOWN), "DASD")


def with_labels(filled: Table, view: View, by: str = "addr", column: str = "label") -> Table:
    """Show the labels of a table by time as DEVICE shows them: those of the volumes, where CP gives them."""
    told = volumes_of(view)
    if not told or column not in filled.columns:
        return filled
    devices = devices_of(view.interval)
    numbers = [address(key) for key in devices.keys]
    often = Counter(numbers)
    shown = {
        number: label
        for number, label in zip(numbers, labels(devices, told), strict=True)
        if often[number] == 1
    }
    pairs = zip(filled.columns[by], filled.columns[column], strict=True)
    values = [shown.get(str(number), label) for number, label in pairs]
    return filled._replace(columns={**filled.columns, column: values})


DEFINITIONS: Final = {
    "device": TableDefinition(
        NEEDS, table, things=Devices, screen="DEVICE", resource="device", concluded=True,
        correlated=(
            "io", "pend", "disc", "conn", "serv", "resp", "qued", "busy", "queue", "mbs", "reqkb", "read",
        ),
    )
}  # fmt: skip
