"""What checks of files look at: logs apart, stripes, sides of the storage server, direct I/O."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent, text_of
from zmon.kinds import BLOCK
from zmon.placement.items import LOGS
from zmon.topology.target import TargetLayout, size_of
from zmon.words.template import With

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.check.practice import CheckInput
    from zmon.topology.stack import BlockDevice
    from zmon.topology.target import Target
    from zmon.topology.volumes import Volume


class FileDisks:
    """The disks of data and of logs, by the files that are known."""

    def __init__(self, given: CheckInput) -> None:
        """Locate the files."""
        machine = given.machine
        self.data: dict[str, float] = {}
        """Bytes of data by the number of a volume."""
        self.logs: dict[str, float] = {}
        self.volumes: dict[str, Volume] = {}
        for file in machine.files:
            role = file.role
            if role in {"", "unknown"} and machine.site.is_log(file.path):
                role = "log"
            part = self.logs if role in LOGS else self.data
            for share in machine.counted[file.path].disks:
                number = share.volume.number
                self.volumes[number] = share.volume
                bytes_ = 0.0 if isinstance(share.bytes, Absent) else float(share.bytes)
                part[number] = part.get(number, 0.0) + bytes_


def _title(volume: Volume) -> str:
    return text_of(volume.busid).rpartition(".")[2].upper() if volume.has_busid else text_of(volume.disk)


def _lcu(volume: Volume) -> str:
    return text_of(volume.lcu_name) or volume.key


def logs_apart(given: CheckInput) -> Mapping[str, Any]:
    """Return the disks of logs, those of them that have data, and the LCUs that have both."""
    spread = FileDisks(given)
    logs, data = ([spread.volumes[number] for number in numbers] for numbers in (spread.logs, spread.data))
    spindles, lcus = {volume.spindle for volume in data}, {volume.key for volume in data}
    return {
        "logs": logs,
        "shared": list(dict.fromkeys(_title(volume) for volume in logs if volume.spindle in spindles)),
        "lcus": sorted({_lcu(volume) for volume in logs if volume.key in lcus}),
    }


def log_disks_idle(given: CheckInput) -> Mapping[str, Any]:
    """Return the disks of logs, and those of them that are read, with their rates."""
    spread = FileDisks(given)
    reads, writes = given.rates(BLOCK, "reads"), given.rates(BLOCK, "writes")
    disks = [
        {"title": _title(volume), "read": reads[disk], "write": writes[disk]}
        for volume in map(spread.volumes.__getitem__, spread.logs)
        if (disk := text_of(volume.disk)) in reads
    ]
    return {"logs": list(spread.logs), "are_counted": bool(reads), "disks": disks}


def _volumes_with_data(given: CheckInput) -> list[BlockDevice]:
    """Return the logical volumes on DASD or FCP disks: those with files of databases, else all mounted."""
    stack, machine = given.machine.stack, given.machine
    real = {node.number for node in given.luns}
    real |= {node.number for node in given.nodes if text_of(node.name).startswith("dasd")}
    real |= {node.number for node in given.nodes if node.multipath and real.intersection(node.below)}
    numbers = {str(file.number) for file in machine.files if file.role not in LOGS}
    numbers = numbers or set(machine.mounts.by_number)
    nodes = (node for node in given.nodes if node.number in numbers)
    return [
        node
        for node in nodes
        if node.sort == "dm" and not node.multipath and real.intersection(stack.leaves(node.number))
    ]


def stripes(given: CheckInput) -> Mapping[str, Any]:
    """Return the volumes with data, on how many disks they are at their end, at most and in all."""
    volumes = []
    for node in _volumes_with_data(given):
        widths = [len(target.legs) for target in _table(node) if target.legs] or [0]
        disks = len(given.machine.stack.leaves(node.number))
        volumes.append(With(node, last=widths[-1], most=max(widths), disks=disks))
    unread = (volume.table for volume in volumes if isinstance(volume.table, Absent))
    return {"volumes": volumes, "unread": next(unread, None)}


def _table(node: BlockDevice) -> Sequence[Target]:
    return () if isinstance(node.table, Absent) else node.table


def stripe_size(given: CheckInput) -> Mapping[str, Any]:
    """Return the volumes with stripes and how large these are, and the smallest of them."""
    sizes = {
        node.title: target.chunk
        for node in _volumes_with_data(given)
        for target in _table(node)
        if target.layout is TargetLayout.STRIPED
    }
    return {
        "stripes": [{"title": title, "bytes": size, "size": size_of(size)} for title, size in sizes.items()],
        "least": size_of(min(sizes.values(), default=0)),
    }


def both_sides(given: CheckInput) -> Mapping[str, Any]:
    """Return how the bytes of data lie on the servers of a storage server, and in LCUs."""
    spread = FileDisks(given)
    sides: dict[str, float] = {}
    for number, count in spread.data.items():
        side = spread.volumes[number].side
        if not isinstance(side, Absent):
            sides[str(side)] = sides.get(str(side), 0.0) + count
    total = sum(sides.values())
    most = max(sides, key=sides.__getitem__, default="")
    parts = {side: sides[side] / total for side in sorted(sides) if total}
    lcus = list(dict.fromkeys(_lcu(spread.volumes[number]) for number in spread.data))
    reasons = (volume.side.reason for volume in spread.volumes.values() if isinstance(volume.side, Absent))
    return {
        "whole": sum(spread.data.values()),
        "count": len(spread.data),
        "known": total,
        "side": most,
        "most": sides.get(most, 0.0),
        "part": parts.get(most, 0.0),
        "sides": [{"title": side, "part": part} for side, part in parts.items()],
        "lcus": lcus,
        "several": len(lcus) > 1,
        "why": next(reasons, ""),
    }


def direct_io(given: CheckInput) -> Mapping[str, Any]:
    """Return whether no file of a database is on a file system."""
    return {"are_raw": all(isinstance(file.mount, Absent) for file in given.files)}


FACTS: Final = {
    "B11": logs_apart,
    "B12": log_disks_idle,
    "B13": stripes,
    "B14": stripe_size,
    "B15": both_sides,
    "B16": direct_io,
}
"""What is found for each of these checks."""
