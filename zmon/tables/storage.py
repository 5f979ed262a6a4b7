"""STORAGE (FCX103): what the memory of this Linux holds, how much it pages, and the areas that it swaps to.

No layout of FCX103 is public.  Its items that CP alone knows (frames of CP, the dynamic paging area, expanded
storage, the minidisk cache) have no place here: this is the memory that CP gave to the guest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent, ratio, text_of
from zmon.base.sizes import MB
from zmon.interval import IDLE
from zmon.kinds import CMF, DASD, DEVICE, MACHINE, MEMORY, PRESSURE, SWAP
from zmon.machine.figure import Needs
from zmon.machine.join import mean
from zmon.machine.lost_time import LostTime
from zmon.machine.memory_use import Memory
from zmon.machine.topology import TOPOLOGY, machine_of
from zmon.machine.unit_loads import KINDS, DiskPlaces, unit_loads
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Summary, Table, sums

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.base.absent import Value
    from zmon.machine.view import View
    from zmon.topology.leaf_disks import IoCounts

NEEDS: Final = Needs((MEMORY, SWAP, PRESSURE, CMF, DASD, DEVICE, MACHINE, *KINDS), topology=TOPOLOGY)

NO_PRESSURE: Final = absent("the kernel does not measure pressure on memory")

FBA: Final = "FBA"
IN_ZVM: Final = "VDISK/EDEV"
"""What an FBA disk of a guest of z/VM is."""
TWO_KINDS: Final = (
    "VDISK/EDEV: an FBA disk of z/VM is a virtual disk in storage (VDISK) or an emulated one on SCSI (EDEV);"
    " Linux cannot tell which"
)
TYPES: Final = {
    "zram": "zram", "nvme": "NVMe", "vd": "virtio", "sd": "SCSI", "loop": "loop", "ram": "RAM",
    "md": "array",
}  # fmt: skip
"""What sort of disk a name stands for that is no DASD."""
NO_SWAP: Final = absent("this Linux swaps nowhere: it has no swap area")
NO_DEVICE: Final = absent("the device of the swap area is not known")
IN_MEMORY: Final = absent("the area is in the memory of this Linux")
SUMMED: Final = ("size", "used", "io", "mbs")


def table(view: View) -> Table:
    """Fill STORAGE: one row per swap area, keyed by its name, and the memory as facts."""
    memory = view.interval.of(MEMORY)
    areas = view.interval.after.frame(SWAP)
    if not memory.keys and not areas.keys:
        return Table([], {}, facts=facts(view), missing=memory.missing)
    rows = list(_areas(view))
    names = (
        "area", "type", "priority", "size", "used", "usedpct", "device", "label", "lcu", "io", "mbs", "resp",
    )  # fmt: skip
    columns: dict[str, list[Value]] = {name: [row[name] for row in rows] for name in names}
    cells = sums(columns, SUMMED)
    cells["usedpct"] = 100.0 * ratio(cells["used"], cells["size"]) if rows else NO_SWAP  # type: ignore[arg-type]  # likewise
    return Table(
        list(areas.keys),
        columns,
        Summary(">> All <<", cells) if len(rows) > 1 else None,
        facts=facts(view),
        notes=tuple(_notes(view, columns["type"])),
        missing=None if rows else areas.missing or NO_SWAP,
    )


def facts(view: View) -> dict[str, Value]:
    """Return sizes in bytes, numbers of huge pages, rates per second and percent of time."""
    lost = LostTime(view.interval)
    waited = {key: lost.cell("memory", key, lost.missing or NO_PRESSURE) for key in ("some", "full")}
    return Memory(view.interval).as_one() | waited


def _areas(view: View) -> Iterator[dict[str, Value]]:
    """Yield a row for each swap area: the disks below it, and what these do for whatever lies on them."""
    areas = view.interval.after.frame(SWAP)
    if not areas.keys:
        return
    machine, loads = machine_of(view), unit_loads(view.interval)
    places = DiskPlaces(view, loads)
    columns = [areas.column(name) for name in ("sort", "priority", "size", "used")]
    for name, sort, priority, size, used in zip(areas.keys, *columns, strict=True):
        number = machine.swaps.get(name)
        leaves = () if number is None else loads.leaves.leaves(number)
        does = [loads.disks[leaf] for leaf in leaves if leaf in loads.disks]
        yield {
            "area": name.removeprefix("/dev/"),
            "type": _type(view, name, sort, leaves),
            "priority": priority,
            "size": size,
            "used": used,
            "usedpct": 100.0 * ratio(used, size),
            **_place(places, leaves, IN_MEMORY if _in_memory(name) else NO_DEVICE),
            **_rates(does, IN_MEMORY if _in_memory(name) else loads.missing or NO_DEVICE),
        }


def _in_memory(name: str) -> bool:
    return name.rpartition("/")[2].startswith(("zram", "ram"))


def _place(places: DiskPlaces, leaves: Sequence[str], why: Absent) -> dict[str, Value]:
    """Return which devices an area is on, with their labels, LCUs and mean response time."""
    if not leaves:
        return dict.fromkeys(("device", "label", "lcu", "resp"), why)
    labels = [label for leaf in leaves if isinstance(label := places.label.get(leaf), str)]
    lcus = [lcu for leaf in leaves if isinstance(lcu := places.lcu_name(leaf), str)]
    responses = [places.response.get(leaf, NO_DEVICE) for leaf in leaves]
    return {
        "device": ", ".join(places.device.get(leaf, leaf) for leaf in leaves),
        "label": ", ".join(dict.fromkeys(labels)) or places.label.get(leaves[0], NO_DEVICE),
        "lcu": ", ".join(dict.fromkeys(lcus)) or places.lcu_name(leaves[0]),
        "resp": mean(responses, [1.0] * len(leaves), IDLE.reason),
    }


def _rates(does: list[IoCounts], why: Absent) -> dict[str, Value]:
    if not does:
        return dict.fromkeys(("io", "mbs"), why)
    return {"io": sum(counts.ios for counts in does), "mbs": sum(counts.bytes for counts in does) / MB}


def _type(view: View, name: str, sort: Value, leaves: Sequence[str]) -> Value:
    """Return what sort of disk an area is on: that of its first disk, and whether it is a file there."""
    disk = unit_loads(view.interval).leaves.name(leaves[0]) if leaves else name.rpartition("/")[2]
    if disk.startswith("dasd"):
        what = _discipline(view, disk)
    elif disk.startswith("dm-"):  # only a multipath device is a disk
        node = machine_of(view).stack.named(disk)
        what = "SCSI" if node is not None and node.multipath else ""
    else:
        what = next((what for start, what in TYPES.items() if disk.startswith(start)), "")
    if not what:
        return NO_DEVICE
    return f"{what} file" if sort == "file" else what


def _discipline(view: View, name: str) -> str:
    """Return how the kernel uses a DASD: ECKD, FBA, DIAG."""
    dasd = view.interval.after.frame(DASD)
    disciplines = (
        what
        for dasd_name, what in zip(dasd.column("name"), dasd.column("discipline"), strict=True)
        if dasd_name == name
    )
    discipline = text_of(next(disciplines, ""))
    environment = text_of(view.interval.after.frame(MACHINE).cell("machine", "environment"))
    return IN_ZVM if discipline == FBA and environment == "zvm" else discipline or "DASD"


def _notes(view: View, types: list[Value]) -> Iterator[str]:
    memory = Memory(view.interval)
    if memory.missing is not None:
        yield f"Memory: {memory.missing.reason}"
    if any(text_of(type_).startswith(IN_ZVM) for type_ in types):
        yield TWO_KINDS
    packed, held = memory.since_boot("zswap"), memory.since_boot("zswapped")
    if isinstance(held, int) and isinstance(packed, int) and held:
        pages, room = held / MB, packed / MB
        yield f"zswap keeps {pages:,.0f} MB of swapped pages in {room:,.0f} MB of memory"
    killed = memory.size("oom_kills")
    if isinstance(killed, int) and killed:
        what = "a process" if killed == 1 else f"{killed} processes"
        yield f"The kernel killed {what} in the interval for want of memory"


DEFINITIONS: Final = {"storage": TableDefinition(NEEDS, table)}
