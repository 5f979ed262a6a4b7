"""What checks of DASDs and their LCUs look at: aliases, sizes, formats, transport mode, schedulers."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent, text_of
from zmon.base.sizes import SECTOR
from zmon.check.practice import reason_of
from zmon.kinds import BLOCK, BUSID_FORM, CHANNEL, DASD, DEVICE, MOUNT
from zmon.machine.observation import FEW_ALIASES, MANY_ALIASES
from zmon.topology.volumes import ON_A_TRACK
from zmon.values.uid import HYPERPAV
from zmon.words.template import With

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.check.practice import CheckInput, Dasd
    from zmon.sample import Frame

FIRST_TRACKS: Final = 192
"""Sectors of the two tracks with the label in the compatible disk layout: 2 x 12 blocks of 4 KiB."""
LINUX_LAYOUT: Final = 24
"""First sector of the one partition of a volume in Linux disk layout."""
DS8000: Final = ("2107", "5331", "5341")
ESS: Final = "2105"
"""The storage server before the DS8000, which has no HyperPAV."""
ESCON: Final = 0x05
"""Type of an ESCON channel path; HyperPAV needs FICON."""


def _by_lcu(dasds: Sequence[Dasd]) -> dict[str, list[Dasd]]:
    lcus: dict[str, list[Dasd]] = {}
    for dasd in dasds:
        if dasd.lcu and dasd.is_eckd and not dasd.is_emulated:
            lcus.setdefault(dasd.lcu, []).append(dasd)
    return lcus


def _is_pool(dasd: Dasd) -> bool:
    return dasd.is_alias and dasd.uid is not None and dasd.uid.ua == HYPERPAV


def _own_aliases(given: CheckInput) -> dict[str, int]:
    """Return how many PAV aliases each base has that has some, by its bus id."""
    bases = {dasd.uid.volume: dasd.busid for dasd in given.bases if dasd.uid is not None}
    volumes = [dasd.uid.volume for dasd in given.dasds if dasd.is_alias and dasd.uid is not None]
    return Counter(bases[volume] for volume in volumes if volume in bases)


def _no_hyperpav(given: CheckInput, bases: Sequence[Dasd]) -> bool:
    """Return whether disks cannot have HyperPAV: they are in an ESS, or behind ESCON channels alone."""
    channels = given.without_counts(CHANNEL)
    if all(text_of(_storage_type(given, dasd)).startswith(ESS) for dasd in bases):
        return True
    chpids = {f"0.{chpid}" for dasd in bases for chpid in dasd.chpids.split()}
    return bool(chpids) and all(channels.cell(chpid, "type") == ESCON for chpid in chpids)


def hyperpav_aliases(given: CheckInput) -> Mapping[str, Any]:
    """Return the aliases of each LCU; the LCUs without any, with few or many, and without HyperPAV."""
    own = _own_aliases(given)
    lcus: list[dict[str, Any]] = []
    unable = []
    for key, dasds in _by_lcu(given.dasds).items():
        bases = [dasd for dasd in dasds if not dasd.is_alias]
        aliases = sum(map(_is_pool, dasds))
        minidisks = all(dasd.uid is not None and dasd.uid.token for dasd in bases)
        if not bases or (not aliases and (minidisks or any(dasd.busid in own for dasd in bases))):
            continue
        name = given.lcu_name(key)
        if aliases or not _no_hyperpav(given, bases):
            use = max(given.busy.get(base.block, 0.0) for base in bases)
            lcus.append({"title": name, "aliases": aliases, "disks": len(bases), "use": use})
        else:
            unable.append(name)
    few = [lcu for lcu in lcus if lcu["aliases"] < FEW_ALIASES]
    return {
        "own": own,
        "lcus": lcus,
        "disks": sum(lcu["disks"] for lcu in lcus if not lcu["aliases"]),
        "busiest": max((lcu["use"] for lcu in lcus if not lcu["aliases"]), default=0.0),
        "uneven": few + [lcu for lcu in lcus if lcu["aliases"] > MANY_ALIASES],
        "unable": unable,
    }


def base_pav(given: CheckInput) -> Mapping[str, Any]:
    """Return the disks with aliases of their own, with how busy they are, and the fewest of these."""
    own, bases = _own_aliases(given), {dasd.busid: dasd for dasd in given.bases}
    disks = [
        With(bases[busid], aliases=aliases, use=given.busy.get(bases[busid].block, 0.0))
        for busid, aliases in own.items()
    ]
    return {"disks": disks, "fewest": min(own.values(), default=0)}


def minidisks(given: CheckInput) -> Mapping[str, Any]:
    """Return the minidisks, and whether this guest sees aliases below them."""
    lcus = {dasd.lcu for dasd in given.dasds if dasd.is_alias}
    mini = [dasd for dasd in given.bases if dasd.uid is not None and dasd.uid.token]
    return {"minidisks": [With(dasd, has_aliases=dasd.lcu in lcus) for dasd in mini]}


def large_volumes(given: CheckInput) -> Mapping[str, Any]:
    """Return the volumes whose size is known, and whether they have aliases."""
    frame = given.frame(DASD)
    columns = map(frame.column, ("cylinders", "discipline", "block_size", "blocks"))
    cells = {busid: _cylinders(*row) for busid, *row in zip(frame.keys, *columns, strict=True)}
    sizes = {busid: size for busid, size in cells.items() if isinstance(size, int)}
    lcus, own = {dasd.lcu for dasd in given.dasds if _is_pool(dasd)}, _own_aliases(given)
    return {
        "sizes": list(sizes) or (*cells.values(), frame.missing)[0],
        "volumes": [
            With(dasd, cylinders=sizes[dasd.busid], has_aliases=dasd.lcu in lcus or dasd.busid in own)
            for dasd in given.bases
            if dasd.busid in sizes
        ],
    }


def _cylinders(cylinders: Value, discipline: Value, size: Value, blocks: Value) -> Value:
    """Return the size of a disk as the driver tells it, else by the blocks that lsdasd prints."""
    if isinstance(cylinders, int) or discipline != "ECKD" or size not in ON_A_TRACK:
        return cylinders
    return blocks // (15 * ON_A_TRACK[int(size)]) if isinstance(blocks, int) else cylinders


def idle_aliases(given: CheckInput) -> Mapping[str, Any]:
    """Return the aliases, and whether they can serve a base."""
    lcus = {dasd.lcu for dasd in given.bases}
    volumes = {dasd.uid.volume for dasd in given.bases if dasd.uid is not None}
    return {
        "all": [
            With(dasd, has_base=dasd.lcu in lcus if _is_pool(dasd) else dasd.uid.volume in volumes)
            for dasd in given.dasds
            if dasd.is_alias and dasd.uid is not None
        ]
    }


def nopav(given: CheckInput) -> Mapping[str, Any]:
    """Return whether PAV is switched off by a boot parameter."""
    parameters = (text_of(given.setting(f"cmdline/{name}")) for name in ("dasd", "dasd_mod.dasd"))
    return {"is_set": any("nopav" in re.split("[, ]", parameter) for parameter in parameters)}


def _storage_type(given: CheckInput, dasd: Dasd) -> str | Absent:
    """Return the type of a disk's storage server by its configuration data, else that of its control unit.

    A control unit that calls itself 3990 may be in any.
    """
    storage = given.frame(DASD).cell(dasd.busid, "storage")
    kind = text_of(given.frame(DEVICE).cell(dasd.busid, "cutype"))
    if isinstance(storage, Absent):
        return kind if kind.startswith((ESS, *DS8000)) else storage
    return str(storage)


def high_performance_ficon(given: CheckInput) -> Mapping[str, Any]:
    """Return the disks of a DS8000 without transport mode, how many have it, and the first unknown one."""
    frame = given.frame(DEVICE)
    off, in_use, unread = [], 0, []
    for dasd in given.bases:
        if dasd.is_emulated or not dasd.is_eckd:
            continue
        hpf, storage = frame.cell(dasd.busid, "hpf"), _storage_type(given, dasd)
        if isinstance(hpf, Absent) or (not hpf and isinstance(storage, Absent)):
            unread.append(With(dasd, hpf=hpf))
        elif hpf:
            in_use += 1
        elif str(storage).startswith(DS8000):
            off.append(dasd)
    return {"off": off, "in_use": in_use, "unread": next(iter(unread), None)}


def availability(given: CheckInput) -> Mapping[str, Any]:
    """Return the devices online whose availability is known, and those that are not good."""
    frame = given.frame(DEVICE)
    rows = zip(frame.keys, frame.column("online"), frame.column("availability"), strict=True)
    states = {busid: state for busid, online, state in rows if online == 1 and isinstance(state, str)}
    return {
        "states": list(states),
        "poor": [
            {"busid": busid, "state": repr(state)} for busid, state in states.items() if state != "good"
        ],
        "unread": next((why for why in frame.column("availability") if isinstance(why, Absent)), None),
    }


def offline_devices(given: CheckInput) -> Mapping[str, Any]:
    """Return how many devices there are, and how many of them are offline."""
    states = given.frame(DEVICE).column("online")
    return {"count": len(states), "off": sum(state == 0 for state in states)}


def ignored_devices(given: CheckInput) -> Mapping[str, Any]:
    """Return the devices online, and those of them that are excluded at the next boot."""
    setting = given.setting("cio_ignore")
    text = setting if isinstance(setting, str) else ""
    ends = (part.partition("-") for part in text.split())
    ranges = [(_place(low), _place(high or low)) for low, _, high in ends]
    frame = given.frame(DEVICE)
    online = [busid for busid, state in zip(frame.keys, frame.column("online"), strict=True) if state == 1]
    return {
        "ignored": reason_of(setting) if setting != text else text,
        "online": online,
        "strange": repr(text[:40]) if any(() in pair for pair in ranges) else "",
        "hidden": [busid for busid in online if any(low <= _place(busid) <= high for low, high in ranges)],
    }


def _place(busid: str) -> tuple[int, ...]:
    """Return the numbers in a bus id, by which devices are in order; none if it is no bus id."""
    return tuple(int(part, 16) for part in busid.split(".")) if re.fullmatch(BUSID_FORM, busid) else ()


def block_size(given: CheckInput) -> Mapping[str, Any]:
    """Return the ECKD disks whose block size is known, and those with another one than 4,096 bytes."""
    blocks, dasds = given.without_counts(BLOCK), given.frame(DASD)
    disks = [
        {"number": dasd.number, "size": _block_size(blocks, dasds, dasd)}
        for dasd in given.bases
        if dasd.is_eckd and dasd.block
    ]
    sizes = [disk for disk in disks if not isinstance(disk["size"], Absent)]
    return {
        "sizes": sizes or next((disk["size"] for disk in disks), ()),
        "others": [disk for disk in sizes if disk["size"] != 4096],
    }


def _block_size(blocks: Frame, dasds: Frame, dasd: Dasd) -> Value:
    size = blocks.cell(dasd.block, "block_size")
    return dasds.cell(dasd.busid, "block_size") if isinstance(size, Absent) else size


def partitions(given: CheckInput) -> Mapping[str, Any]:
    """Return the partitions of ECKD disks, those on the tracks of the label, and disks used without any."""
    stack = given.machine.stack
    eckd = {dasd.block for dasd in given.bases if dasd.is_eckd}
    disks = {node.number: str(node.name) for node in given.nodes if node.sort == "disk" and node.name in eckd}
    parts = [node for node in given.nodes if node.sort == "partition" and node.parent in disks]
    starts = [(node.title, node.start // SECTOR) for node in parts if not isinstance(node.start, Absent)]
    used = {below for node in given.nodes if node.sort != "partition" for below in stack.feet(node.number)}
    used |= {text_of(number) for number in given.frame(MOUNT).column("number")}
    parted = {node.parent for node in parts}
    return {
        "partitions": parts,
        "early": [title for title, start in starts if start < FIRST_TRACKS and start != LINUX_LAYOUT],
        "whole": [disk for number, disk in disks.items() if number in used - parted],
        "untold": next((node.start for node in parts if isinstance(node.start, Absent)), None),
    }


def scheduler(given: CheckInput) -> Mapping[str, Any]:
    """Return the DASDs and SCSI disks behind FCP whose scheduler is known, and those that have one."""
    names = {dasd.block for dasd in given.bases} | {str(node.name) for node in given.luns}
    cells = {name: given.settings.get(f"disk/{name}/scheduler") for name in sorted(names)}
    schedulers = {name: cell for name, cell in cells.items() if isinstance(cell, str)}
    others = {name: sort for name, sort in schedulers.items() if sort != "none"}
    return {
        "disks": list(schedulers) or reason_of(given.setting("disk/dasda/scheduler")),
        "others": list(others),
        "schedulers": list(dict.fromkeys(others.values())),
    }


FACTS: Final = {
    "B1": hyperpav_aliases,
    "B2": base_pav,
    "B3": minidisks,
    "B4": large_volumes,
    "B26": high_performance_ficon,
    "H2": availability,
    "H3": offline_devices,
    "H4": ignored_devices,
    "H5": idle_aliases,
    "H6": nopav,
    "H7": block_size,
    "H8": partitions,
    "K1": scheduler,
}
"""What is found for each of these checks."""
