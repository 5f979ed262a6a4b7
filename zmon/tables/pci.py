"""PCI: the functions that this Linux has, what they are, and what goes through them.

What a network function carries is what its interfaces count, and of an NVMe disk what the disk counts; of
others it is the machine's own measurement of the function, where it is switched on and may be read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.sizes import MB
from zmon.kinds import BLOCK, INTERFACE, PCI_FUNCTION
from zmon.machine.blocks import Blocks
from zmon.machine.figure import Needs
from zmon.machine.join import Joined, first, plus, quotient, total
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Table, summed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.base.absent import Number, Value
    from zmon.interval import Delta
    from zmon.machine.view import View

NEEDS: Final = Needs((BLOCK, INTERFACE, PCI_FUNCTION))

CLASSES: Final = {
    0x0101: "storage",
    0x0108: "NVMe",
    0x0200: "network",
    0x0207: "InfiniBand",
    0x0280: "network",
}
"""What functions are called by the first two bytes of their class."""
MICROSECONDS: Final = 1e-6
NOTHING: Final = absent("the function has neither a network interface nor an NVMe disk")
NOT_COUNTED: Final = absent("the kernel does not count it here")
NOT_YET: Final = absent("the machine did not update its measurement of the function in this interval")
STANDBY: Final = "standby"
NO_DOOR: Final = absent("nothing more is known of the function")
SUMMED: Final = ("inmb", "outmb", "loads", "stores")


def table(view: View) -> Table:
    """Fill PCI: one row per function, keyed by its id."""
    functions = view.interval.of(PCI_FUNCTION)
    keys = list(functions.keys)
    seconds: list[Number] = [us * MICROSECONDS if us else NOT_YET for us in functions.numbers("updated")]

    def measured(name: str, factor: float = 1.0) -> list[Number]:
        return quotient(functions.numbers(name), seconds, factor, NOT_YET)

    columns: dict[str, list[Value]] = {
        "fid": [key.upper() for key in keys],
        "address": list(functions["address"]),
        "pchid": _hex(functions, "pchid", 4),
        "sort": [
            cell if isinstance(cell, Absent) else CLASSES.get(int(cell) >> 8, f"{int(cell):06x}")
            for cell in functions["class"]
        ],
        "names": _names(functions),
        "driver": list(functions["driver"]),
        "state": [STANDBY if power == 0 else "configured" for power in functions["power"]],
        "inmb": list(first(_carried(view, functions, "in"), measured("received", 1 / MB),
                           measured("dma_written", 1 / MB))),
        "outmb": list(first(_carried(view, functions, "out"), measured("sent", 1 / MB),
                            measured("dma_read", 1 / MB))),
        "loads": list(measured("loads")),
        "stores": list(plus(measured("stores"), measured("store_blocks"))),
        "refreshes": list(measured("refreshes")),
        "work": list(measured("work_units")),
        "port": list(functions["port"]),
        "vfn": list(functions["vfn"]),
        "pft": _hex(functions, "pft", 2),
        "pfgid": _hex(functions, "pfgid", 2),
        "uid": _hex(functions, "uid", 1),
        "segments": list(functions["segments"]),
        "utility": list(functions["utility"]),
    }  # fmt: skip
    columns["door"] = [
        f"DEVICE {str(disks).split()[0]}"
        if isinstance(disks, str)
        else "NETWORK"
        if isinstance(net, str)
        else NO_DOOR
        for disks, net in zip(functions["disks"], functions["interfaces"], strict=True)
    ]
    return Table(
        keys,
        columns,
        summed("", columns, SUMMED) if keys else None,
        missing=functions.missing,
    )


def _hex(functions: Delta, name: str, digits: int) -> list[Value]:
    return [
        cell if isinstance(cell, (Absent, str)) else f"{int(cell):0{digits}X}" for cell in functions[name]
    ]


def _names(functions: Delta) -> list[Value]:
    """Return the interfaces and disks of each function."""
    pairs = zip(functions["interfaces"], functions["disks"], strict=True)
    return [
        " ".join(str(name) for name in both if not isinstance(name, Absent))
        or (NOTHING if all(isinstance(name, Absent) for name in both) else both[0])
        for both in pairs
    ]


def _carried(view: View, functions: Delta, way: str) -> list[Number]:
    """Return what the interfaces or disks of each function carried one way, in megabytes per second."""
    counter, figure = {"in": ("received", "rbytes"), "out": ("sent", "wbytes")}[way]
    carried: list[Number] = []
    for nets, disks in zip(functions["interfaces"], functions["disks"], strict=True):
        rates: Sequence[Number] = ()
        if isinstance(nets, str):
            rates = Joined(view.interval.of(INTERFACE), nets.split(), NOT_COUNTED).rate(counter)
        elif isinstance(disks, str):
            names = disks.split()
            # a shared disk counts itself or its paths, which are hidden disks: never both
            heads = [name for name in names if "c" not in name.removeprefix("nvme")]
            rates = Blocks(view.interval, heads or names, NOT_COUNTED).numbers(figure)
        carried.append(total([rate / MB for rate in rates]) if rates else NOTHING)
    return carried


DEFINITIONS: Final = {"pci": TableDefinition(NEEDS, table, screen="PCI")}
