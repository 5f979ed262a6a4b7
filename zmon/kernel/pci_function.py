"""PCI functions of IBM Z: what the kernel calls zpci, in sysfs, and the machine's own counters of each.

/sys/bus/pci/devices/ADDRESS has for each function that is configured (arch/s390/pci/pci_sysfs.c), in hex:
`function_id`, by which the machine and its configuration name it, `pchid` of the adapter, `pfgid` (function
group), `vfn` (0: no virtual function), `pft` (function type), `uid`, `pfip/segment0` to `segment3`; in
decimal `port`; `util_string`, 64 bytes of EBCDIC.  Machines of other makers have none of them: no rows.
/sys/bus/pci/slots/FID/power (drivers/pci/hotplug/s390_pci_hpc.c) is 0 of a function that is in standby; such
a function has no directory.

/sys/kernel/debug/pci/ADDRESS/statistics (arch/s390/pci/pci_debug.c; debugfs is root's) has the function
measurement block, which the machine updates every few seconds: its interval, how often it was updated, the
time of the last update, and counters of 64 bits, of which each form of the block has others.  Where it is
switched off the file says so.  zmon never writes there, which would switch it.
"""

from __future__ import annotations

import re

from zmon.base.absent import Absent, absent
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.kernel.ccw_device import parse_number
from zmon.kernel.tree import (
    attributes,
    driver_of,
    ebcdic_name,
    names_in,
    read_attributes,
    read_several,
    read_value,
    refused,
    word_parser,
)
from zmon.kinds import PCI_FORM, PCI_FUNCTION
from zmon.sample import empty_frame, frame_of

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

DEVICES: Final = "sys/bus/pci/devices"
SLOTS: Final = "sys/bus/pci/slots"
STATISTICS: Final = "sys/kernel/debug/pci"
NO_FUNCTION: Final = "there is no PCI function of IBM Z"
SWITCHED_OFF: Final = absent("the function measurement is switched off")
STANDBY: Final = absent("the function is in standby")
NOT_IN_FORM: Final = absent("the machine's measurement of this function has no such counter")
NO_TEXT: Final = absent("the utility string is empty")
COUNTERS: Final = {
    "Samples": "samples",
    "Load operations": "loads",
    "Store operations": "stores",
    "Store block operations": "store_blocks",
    "Refresh operations": "refreshes",
    "DMA read bytes": "dma_read",
    "DMA write bytes": "dma_written",
    "Received bytes": "received",
    "Received packets": "packets_in",
    "Transmitted bytes": "sent",
    "Transmitted packets": "packets_out",
    "Consumed work units": "work_units",
    "Mapped pages": "mapped",
    "Unmapped pages": "unmapped",
}
"""The fields of the counters by what the kernel calls them; others are left out."""
_OFF: Final = "FMB statistics disabled"
_MEASURED: Final = ("update_ms", "updated", *COUNTERS.values())
_TOD_PER_US: Final = 12
"""Bits of the time-of-day clock below a microsecond."""
_LINE: Final = re.compile(
    r"[ ]*(?P<name>[A-Za-z][A-Za-z ]{0,40}):\s*(?P<value>[0-9a-f]{1,20})(?: ms)?", re.ASCII
)
_FID: Final = "[0-9a-f]{8}"
MAX_LISTED: Final = 32
"""Interfaces or disks of a function that are named at most."""

parse_hex = word_parser("0x[0-9a-f]{1,8}", lambda word: int(word, 16))
"""Parses an attribute of a function: `0x00000104`."""
OF_FUNCTION: Final = {
    **attributes(parse_hex, "pchid", "pfgid", "vfn", "pft", "uid", "class"),
    **attributes(parse_number, "port"),
}
"""What the kernel says of each."""


def parse_statistics(content: str) -> dict[str, Value]:
    """Parse the statistics of a function; what its form of the block lacks is absent.

    Raises:
        ValueError: the file has another form.
    """
    if content.strip() == _OFF:
        return dict.fromkeys(_MEASURED, SWITCHED_OFF)
    counts: dict[str, Value] = {}
    for line in content.splitlines():
        parts = _LINE.fullmatch(line.rstrip())
        if parts is None:
            if line.strip() == "Unknown format":
                continue
            raise ValueError(f"expected a name and a number, found {line[:60]!r}")
        name, value = parts["name"].rstrip(), parts["value"]
        if name == "Last update TOD":
            counts["updated"] = int(value, 16) >> _TOD_PER_US
        elif not value.isdecimal():
            raise ValueError(f"expected a number, found {line[:60]!r}")
        elif name == "Update interval":
            counts["update_ms"] = int(value)
        elif name in COUNTERS:
            counts[COUNTERS[name]] = int(value)
    if not counts:
        raise ValueError("the file is empty")
    return {name: counts.get(name, NOT_IN_FORM) for name in _MEASURED}


def read_functions(tree: Tree) -> Frame:
    """Read the frame PCI_FUNCTION, keyed by function id; without rows on other machines."""
    rows: dict[str, dict[str, Value]] = {}
    for address in names_in(tree, DEVICES, PCI_FORM):
        here = f"{DEVICES}/{address}"
        number = read_value(tree, f"{here}/function_id", parse_hex)
        if isinstance(number, int):
            rows[f"{number:08x}"] = _function(tree, here, address)
    for slot in names_in(tree, SLOTS, _FID):
        power = read_value(tree, f"{SLOTS}/{slot}/power", parse_number)
        if slot in rows:
            rows[slot]["power"] = power
        elif power == 0:
            rows[slot] = {**dict.fromkeys(PCI_FUNCTION.by_name, STANDBY), "power": 0}
    if not rows:
        return empty_frame(PCI_FUNCTION, NO_FUNCTION)
    return frame_of(PCI_FUNCTION, {key: rows[key] for key in sorted(rows)}, tree.when(DEVICES))


def _function(tree: Tree, here: str, address: str) -> dict[str, Value]:
    segments = [read_value(tree, f"{here}/pfip/segment{place}", parse_hex) for place in range(4)]
    missing = next((segment for segment in segments if isinstance(segment, Absent)), None)
    return {
        "address": address,
        **read_attributes(tree, here, OF_FUNCTION),
        "segments": missing or ".".join(f"{segment:02x}" for segment in segments),
        "utility": _utility(tree, f"{here}/util_string"),
        "driver": driver_of(tree, here, "function"),
        "interfaces": _listed(names_in(tree, f"{here}/net", r"\S{1,15}"), "no network interface"),
        "disks": _listed(_disks(tree, here), "no NVMe disk"),
        "power": absent("the function has no slot"),
        **read_several(
            tree,
            f"{STATISTICS}/{address}/statistics",
            _MEASURED,
            lambda content: parse_statistics(content).values(),
            "no pci/*/statistics in debugfs: is it mounted?",
            "statistics says something zmon does not understand",
        ),
    }


def _utility(tree: Tree, path: str) -> Value:
    """Return the text that the machine's administrator or firmware gave the function."""
    try:
        return ebcdic_name(tree.read(path)[:64]) or NO_TEXT
    except OSError as error:
        return refused(error)


def _disks(tree: Tree, here: str) -> list[str]:
    """Return the disks of NVMe controllers of a function; the paths of a shared one are hidden disks."""
    form = "nvme[0-9]{1,3}(?:c[0-9]{1,3})?n[0-9]{1,4}"
    controllers = names_in(tree, f"{here}/nvme", "nvme[0-9]{1,3}")
    return [disk for controller in controllers for disk in names_in(tree, f"{here}/nvme/{controller}", form)]


def _listed(names: list[str], nothing: str) -> Value:
    return " ".join(names[:MAX_LISTED]) or absent(f"{nothing} of this function")
