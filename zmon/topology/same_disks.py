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

    from zmon.sample import Frame
    from zmon.topology.stack import Stack
    from zmon.topology.volumes import Volume

PV_LINK: Final = "disk/by-id/lvm-pv-uuid-"
"""How the links of udev begin that name a physical volume by its id."""


def same_disks(volumes: Mapping[str, Volume], stack: Stack, layers: Frame) -> dict[str, dict[str, bool]]:
    """Return for each disk the others that are the same, by major:minor, and whether that is sure."""
    same: dict[str, dict[str, bool]] = {}
    groups: dict[str, dict[str, None]] = {}
    for number, volume in volumes.items():
        for key in _keys(volume):
            groups.setdefault(key, {})[number] = None
    for number, pv in _physical_volumes(stack, layers):
        groups.setdefault(pv, {})[number] = None
    for key, numbers in groups.items():
        for number in numbers if len(numbers) > 1 else ():
            for other in numbers:
                is_sure = not key.startswith("? ")
                if other != number and (is_sure or _may_be_one(volumes[number], volumes[other], stack)):
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


def _may_be_one(this: Volume, other: Volume, stack: Stack) -> bool:
    """Return whether two disks with one LUN contradict nowhere that they are one."""
    volumes = this, other
    nodes = [node for volume in volumes if (node := stack.node(volume.number))]
    sizes = {node.size for node in nodes if not isinstance(node.size, Absent)}
    named = [volume.spindle for volume in volumes if volume.spindle.startswith("WWID ")]
    boxes = {box_of_port(text_of(volume.wwpn)) for volume in volumes}
    is_told = len(named) == len(volumes) or ("" not in boxes and len(boxes) > 1)
    return len(sizes) < len(volumes) and not is_told


def _physical_volumes(stack: Stack, layers: Frame) -> Iterator[tuple[str, str]]:
    """Yield the disks of devices that links name as a physical volume."""
    for number, links in zip(layers.keys, layers.column("links"), strict=True):
        pvs = [word for word in text_of(links).split() if word.startswith(PV_LINK)]
        node = stack.node(number) if pvs else None
        if node is not None and node.sort in {"disk", "partition"}:
            yield from ((text_of(node.parent) or number, pv) for pv in pvs)


def same_devices(number: str, same: Mapping[str, Mapping[str, bool]], stack: Stack) -> Mapping[str, bool]:
    """Return the other disks that a disk is, or the partitions of them that a partition is."""
    node = stack.node(number)
    parent = text_of(node.parent) if node is not None else ""
    if node is None or not parent:
        return same.get(number, {})
    part = text_of(node.name).removeprefix(stack.title(parent))
    return {
        upper: is_sure
        for other, is_sure in same.get(parent, {}).items()
        for upper in stack.above(other)
        if stack.title(upper) == f"{stack.title(other)}{part}"
    }
