"""Checks of where files of databases lie: logs apart, stripes, sides of the storage server, direct I/O."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, text_of
from zmon.base.ranges import many
from zmon.check.practice import Check, bad, look, ok, percent, several, skip, unknown
from zmon.kinds import BLOCK, CONTAINER, LAYER, UNLISTED
from zmon.placement.items import LOGS
from zmon.topology.target import TargetLayout, size_of

if TYPE_CHECKING:
    from zmon.check.practice import CheckInput, Finding
    from zmon.topology.stack import BlockDevice
    from zmon.topology.volumes import Volume

ONE_SIDE: Final = 0.8
"""Part of the data on one side of a storage server that is uneven."""
SMALL_STRIPE: Final = 64 << 10
LARGE_CACHE: Final = 0.4
"""Part of the memory in the page cache that is more than files besides a database need."""


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


def _unlisted(given: CheckInput) -> Finding | None:
    """Return the finding of a check of files where none is known."""
    if given.machine.files:
        return None
    missing = given.sample.frame(CONTAINER).missing
    if missing is not None and missing.code != UNLISTED.code:
        return unknown(missing)
    return unknown("no files of databases are known: name them with --listing")


def logs_apart(given: CheckInput) -> Finding:
    """B11: logs lie on disks without data, and in another LCU."""
    missing = _unlisted(given)
    if missing:
        return missing
    spread = FileDisks(given)
    if not spread.logs:
        return unknown("no file is known to be a log: the site file can name patterns ([logs])")
    places = {spread.volumes[number].spindle for number in spread.data}
    both = [
        _title(spread.volumes[number]) for number in spread.logs if spread.volumes[number].spindle in places
    ]
    if both:
        return bad(f"data on the same disk: {several(both)}")
    lcus = {spread.volumes[number].key for number in spread.data}
    same = {
        text_of(volume.lcu_name) or volume.key
        for volume in map(spread.volumes.__getitem__, spread.logs)
        if volume.key in lcus
    }
    if same:
        return look(f"no data on these, but in the same LCU: {several(sorted(same))}")
    return ok(f"no data on {many(len(spread.logs), 'disk')}")


def log_disks_idle(given: CheckInput) -> Finding:
    """B12: nothing else reads or writes on the disks of logs."""
    missing = _unlisted(given)
    if missing:
        return missing
    spread = FileDisks(given)
    if not spread.logs:
        return unknown("no file is known to be a log: the site file can name patterns ([logs])")
    reads, writes = given.rates(BLOCK, "reads"), given.rates(BLOCK, "writes")
    if not reads:
        return unknown("reads were not counted: this takes two samples")
    found = []
    for number in spread.logs:
        volume = spread.volumes[number]
        read, write = (rates.get(text_of(volume.disk)) for rates in (reads, writes))
        if (
            isinstance(read, float | int)
            and isinstance(write, float | int)
            and read > 1
            and read > write / 10
        ):
            found.append(f"{_title(volume)} ({read:.0f} reads/s, {write:.0f} writes/s)")
    if found:
        return look(f"disks of logs are read: {several(found)}")
    return ok(f"nothing reads from {many(len(spread.logs), 'disk')} of logs")


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


def stripes(given: CheckInput) -> Finding:
    """B13: a logical volume with data uses all its disks, from begin to end."""
    unread_layers = given.missing(LAYER)
    if unread_layers:
        return unread_layers
    volumes = _volumes_with_data(given)
    if not volumes:
        return skip("no data on logical volumes of DASD or FCP disks")
    linear, fewer, unread = [], [], []
    for node in volumes:
        if isinstance(node.table, Absent):
            unread.append(node.table)
            continue
        widths = [len(target.legs) for target in node.table if target.legs]
        if widths and widths[-1] < max(widths):
            fewer.append(f"{node.title} ({widths[-1]} of {max(widths)} disks at its end)")
        elif max(widths, default=0) == 1 and len(given.machine.stack.leaves(node.number)) > 1:
            linear.append(node.title)
    if unread:
        return unknown(unread[0])
    if fewer:
        return bad(f"extended over fewer disks: {several(fewer)}")
    if linear:
        return look(f"linear over several disks, one after the other: {several(linear)}")
    return ok(f"{many(len(volumes), 'logical volume')}, none linear over several disks")


def stripe_size(given: CheckInput) -> Finding:
    """B14: stripes are not small."""
    unread_layers = given.missing(LAYER)
    if unread_layers:
        return unread_layers
    volumes = _volumes_with_data(given)
    sizes = {
        node.title: target.chunk
        for node in volumes
        if not isinstance(node.table, Absent)
        for target in node.table
        if target.layout is TargetLayout.STRIPED
    }
    if not sizes:
        return skip("no data on striped volumes of DASD or FCP disks")
    small = [f"{title} ({size_of(size)})" for title, size in sizes.items() if size < SMALL_STRIPE]
    if small:
        return look(f"stripes of less than 64 KiB: {several(small)}")
    return ok(f"stripes of {size_of(min(sizes.values()))} or more")


def both_sides(given: CheckInput) -> Finding:
    """B15: data lie on both servers of a storage server, and on several LCUs."""
    missing = _unlisted(given)
    if missing:
        return missing
    spread = FileDisks(given)
    if not sum(spread.data.values()):
        return unknown("the disks of the data are not known")
    if len(spread.data) == 1:
        return skip("all data are on one disk")
    return _judge_sides(spread)


def _judge_sides(spread: FileDisks) -> Finding:
    sides: dict[str, float] = {}
    lcus: dict[str, float] = {}
    for number, count in spread.data.items():
        volume = spread.volumes[number]
        lcu = text_of(volume.lcu_name) or volume.key
        lcus[lcu] = lcus.get(lcu, 0.0) + count
        if not isinstance(volume.side, Absent):
            sides[str(volume.side)] = sides.get(str(volume.side), 0.0) + count
    whole, known = sum(lcus.values()), sum(sides.values())
    if known > whole / 2:
        side = max(sides, key=sides.__getitem__)
        if sides[side] > ONE_SIDE * known:
            return look(f"{percent(sides[side] / known)} of the data are on {side}")
    if len(lcus) == 1:
        return look(f"all data are in {next(iter(lcus))}")
    if known > whole / 2:
        parts = ", ".join(f"{percent(sides[side] / known)} on {side}" for side in sorted(sides))
        return ok(f"{parts}; {many(len(lcus), 'LCU')}")
    reasons = [one.side.reason for one in spread.volumes.values() if isinstance(one.side, Absent)]
    return unknown(f"the side of {many(len(spread.data), 'disk')}: {reasons[0]}")


def direct_io(given: CheckInput) -> Finding:
    """B16: the page cache does not hold what a database caches itself."""
    cached, total = given.memory("cached"), given.memory("total")
    if isinstance(cached, Absent) or isinstance(total, Absent) or not total:
        return unknown(cached if isinstance(cached, Absent) else total)
    files = given.machine.files
    if not files:
        return given.elsewhere or unknown("no files of databases are known: name them with --listing")
    if all(isinstance(file.mount, Absent) for file in files):
        return skip("no file of a database is on a file system")
    words = f"the page cache has {percent(cached / total)} of the memory"
    if cached > LARGE_CACHE * total:
        return look(f"{words}, and files of databases are on file systems")
    return ok(words)


CHECKS: Final = (
    Check("B11", "logs on disks of their own", "files of a listing, and what they lie on",
          "no data beside them", "move logs to disks without data, best in another LCU and rank: in the"
          " study commits waited 98 % less", "S000:129-130, S000:159-160, S003:167-184, S004:454-456",
          logs_apart),
    Check("B12", "nothing else on the disks of logs", "files of a listing, /proc/diskstats", "writes only",
          "move other files away from the disks of logs, and copy archived logs at quiet times",
          "S004:454-456", log_disks_idle),
    Check("B13", "stripes over all disks", "device-mapper tables", "as many stripes as disks",
          "make volumes for data with lvcreate -i NUMBER_OF_DISKS; after adding disks, restripe instead of"
          " extending: in the study new data were on 2 of 6 disks", "S004:128-131, S004:538-544", stripes),
    Check("B14", "size of stripes", "device-mapper tables", "1 MiB or more for scans",
          "use stripes of 1 MiB or more (lvcreate -I): in the study sequential reads were a third faster"
          " with 4 MiB than with 1 MiB", "S002:51-95, S004:506-508", stripe_size),
    Check("B15", "data on both sides of the storage server", "files of a listing, unique ids, LSS, site"
          " file", "half on each server", "use LCUs of even and of odd LSS alike: each server has half of"
          " the cache", "S000:244-248, S001:562-570", both_sides),
    Check("B16", "direct I/O", "/proc/meminfo: Cached", "less than 40 % in the page cache",
          "let the database open its files with O_DIRECT (Oracle: filesystemio_options=setall), and give"
          " the memory to its own buffers", "S004:308-309, S004:536-537", direct_io),
)  # fmt: skip
"""The checks of this module."""
