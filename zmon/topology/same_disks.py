"""Disks of Linux that are one disk over several paths, although multipath does not join them.

One WWID, one volume of a DS8000 by LUN and port (`lun.py`), or one physical volume by its id prove it; one
LUN behind ports of which it is not known that they are of two storage servers may be one disk.
"""

from __future__ import annotations

from zmon.base.absent import Absent, text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.topology.lun import box_of_port

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zmon.topology.machine import Machine
    from zmon.topology.volumes import Volume

PV_LINK: Final = "disk/by-id/lvm-pv-uuid-"
"""How the links of udev begin that name a physical volume by its id."""


def same_disks(machine: Machine) -> dict[str, dict[str, bool]]:
    """Return for each disk the others that are the same, by major:minor, and whether that is sure."""
    same: dict[str, dict[str, bool]] = {}
    groups: dict[str, dict[str, None]] = {}
    for number, volume in machine.volumes.items():
        for key in _keys(volume):
            groups.setdefault(key, {})[number] = None
    for number, pv in _physical_volumes(machine):
        groups.setdefault(pv, {})[number] = None
    for key, numbers in groups.items():
        for number in numbers if len(numbers) > 1 else ():
            for other in numbers:
                is_sure = not key.startswith("? ")
                if other != number and (is_sure or _may_be_one(number, other, machine)):
                    there = same.setdefault(number, {})
                    there[other] = there.get(other, False) or is_sure
    return same


def _keys(volume: Volume) -> Iterator[str]:
    """Yield what names a SCSI disk; behind a question mark what may name others, too."""
    if isinstance(volume.lun, str) and not volume.has_busid:
        yield f"? {volume.lun}"
    if volume.spindle.startswith("WWID ") or box_of_port(text_of(volume.wwpn)):
        yield volume.spindle
        if volume.key.startswith("IBM.") and isinstance(volume.ua, str):
            yield f"{volume.key} {volume.ua}"


def _may_be_one(number: str, other: str, machine: Machine) -> bool:
    """Return whether two disks with one LUN contradict nowhere that they are one."""
    volumes = machine.volumes[number], machine.volumes[other]
    sizes = {node.size for node in map(machine.stack.node, (number, other)) if node}
    known = {size for size in sizes if not isinstance(size, Absent)}
    named = [volume.spindle for volume in volumes if volume.spindle.startswith("WWID ")]
    boxes = {box_of_port(text_of(volume.wwpn)) for volume in volumes}
    is_told = len(named) == len(volumes) or ("" not in boxes and len(boxes) > 1)
    return len(known) < len(volumes) and not is_told


def _physical_volumes(machine: Machine) -> Iterator[tuple[str, str]]:
    """Yield the disks of devices that links name as a physical volume."""
    frame = machine.layers
    for number, links in zip(frame.keys, frame.column("links"), strict=True):
        pvs = [word for word in text_of(links).split() if word.startswith(PV_LINK)]
        node = machine.stack.node(number) if pvs else None
        if node is not None and node.sort in {"disk", "partition"}:
            yield from ((text_of(node.parent) or number, pv) for pv in pvs)


def same_devices(number: str, machine: Machine) -> Mapping[str, bool]:
    """Return the other disks that a disk is, or the partitions of them that a partition is."""
    node = machine.stack.node(number)
    parent = text_of(node.parent) if node is not None else ""
    if node is None or not parent:
        return machine.same_disks.get(number, {})
    part = text_of(node.name).removeprefix(machine.stack.title(parent))
    return {
        upper: is_sure
        for other, is_sure in machine.same_disks.get(parent, {}).items()
        for upper in machine.stack.above(other)
        if machine.stack.title(upper) == f"{machine.stack.title(other)}{part}"
    }
