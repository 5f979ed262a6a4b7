"""sys/devices/css0/0.S.NNNN/0.S.DDDD: subchannels and the devices behind them.

One subchannel has one device.  The subchannel knows the paths, the device its type, and the
driver the rest.  The attributes read here change only by commands of an operator, and none of them
starts I/O.  `host_access_count` and `capacity/space_*` would, and `logging`,
`safe_offline`, `path_reset` and `ping` are triggers: they are left alone.

Kernel: drivers/s390/cio/css.c, device.c; drivers/s390/block/dasd_devmap.c.
"""

from __future__ import annotations

import re

from zmon.base.absent import Absent, absent
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.kernel.tree import (
    CSS,
    OFFLINE,
    attributes,
    driver_of,
    read_attributes,
    refused,
    text,
    why_hidden,
    word_parser,
)
from zmon.kinds import DEVICE, NO_BLOCK_OF_ALIAS, NO_CSS, NO_DASD, NO_DEVICES
from zmon.sample import empty_frame, frame_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zmon.base.absent import Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame


BUS_ID: Final = r"0\.[0-3]\.[0-9a-f]{4}"
"""Channel subsystem (always shown as 0), subchannel set, number of subchannel or device."""

_PATHS: Final = ("pim", "pam", "pom", "chpids")
NO_TYPE: Final = absent("the device has no type")
NO_PAIR: Final = absent("it is in no copy pair")
NO_CONFIGURATION: Final = absent("the storage gave the kernel no configuration data")


def parse_bytes(content: str, count: int) -> tuple[int, ...]:
    """Return the first numbers of a file, of two hex digits each.

    `chpids` has the channel path in each of the eight slots; an unused slot says 00, which is also a legal
    path: only the path installed mask distinguishes them, see `installed`.  `pimpampom` has the masks of
    paths installed, available, operational as of the last time the kernel asked the subchannel, and `vpm`
    that of the paths which Linux verified; the highest bit is the first slot.

    Raises:
        ValueError: there are fewer, or other words.
    """
    numbers = content.split()[:count]
    if len(numbers) < count or not all(re.fullmatch("[0-9a-f]{2}", word, re.ASCII) for word in numbers):
        raise ValueError(f"not {count} numbers of two hex digits: {content[:40]!r}")
    return tuple(int(word, 16) for word in numbers)


def parse_path_masks(content: str) -> str:
    """Return `path_masks` of a DASD: six masks in hex, with single blanks between.

    Operational, not preferred, mis-cabled, quiesced by the control unit, unusable for High
    Performance FICON, disabled after interface control checks.

    Raises:
        ValueError: there are fewer than six, or other words.
    """
    return " ".join(f"{mask:02x}" for mask in parse_bytes(content, 6))


parse_type = word_parser("[0-9a-f]{4}/[0-9a-f]{2}", str, {"n/a": NO_TYPE})
"""Parses `devtype` or `cutype`: type and model, `3390/0c`."""
parse_number = word_parser("[0-9]{1,10}", int)
"""Parses a setting such as `online` or `alias`: decimal, nearly always 0 or 1."""

OF_SUBCHANNEL: Final = attributes(lambda content: parse_bytes(content, 1)[0], "vpm")
"""What a subchannel has, ..."""
OF_DEVICE: Final = {
    **attributes(str.strip, "availability"),
    **attributes(parse_type, "devtype", "cutype"),
    **attributes(parse_number, "online", "cmb_enable"),
}
"""... each device, ..."""
OF_DASD: Final = {
    **attributes(str.strip, "status", "discipline", "vendor", "uid", "copy_role"),
    **attributes(parse_number, "alias", "readonly", "hpf", "ese", "use_diag"),
    **attributes(parse_path_masks, "path_masks"),
}
"""... and what only the DASD driver gives, ..."""
OF_PAIR: Final = attributes(lambda content: " ".join(re.findall(BUS_ID, content)), "copy_pair")
"""... of those in a copy pair: `0.0.9700,0.0.9740 `."""


def installed(chpids: tuple[int, ...], pim: int) -> str:
    """Return the channel paths that lead to a device, in the order of their slots: `70 71`."""
    return " ".join(f"{chpid:02x}" for slot, chpid in enumerate(chpids) if pim & 0x80 >> slot)


def read_devices(tree: Tree, only: Iterable[str] | None = None) -> Frame:
    """Read every device that has a subchannel, in the order of bus ids; or only those named.

    A device that disappears meanwhile is left out.
    """
    try:
        places = _subchannels(tree) if only is None else _subchannels_of(tree, only)
    except OSError as error:
        why = why_hidden(tree, CSS) or NO_CSS.reason
        return empty_frame(DEVICE, refused(error, why).reason)
    rows: dict[str, dict[str, Value]] = {}
    times: dict[str, int] = {}
    for subchannel in places:
        path = f"{CSS}/{subchannel}"
        try:
            for busid in _bus_ids(tree.entries(path)):
                device = _device(tree, f"{path}/{busid}")
                times[busid] = tree.when(f"{path}/{busid}/online")
                rows[busid] = {"subchannel": subchannel} | _paths(tree, path) | device
        except FileNotFoundError:
            continue
    if not rows:
        return empty_frame(DEVICE, NO_DEVICES)
    keys = sorted(rows)
    return frame_of(DEVICE, {key: rows[key] for key in keys}, [times[key] for key in keys])


def _subchannels(tree: Tree) -> list[str]:
    return _bus_ids(tree.entries(CSS))


def _bus_ids(names: Iterable[str]) -> list[str]:
    return [name for name in names if re.fullmatch(BUS_ID, name)]


def _subchannels_of(tree: Tree, busids: Iterable[str]) -> list[str]:
    """Return the subchannels of devices, as the links to them say; those that are gone are left out."""
    subchannels = []
    for busid in busids:
        try:
            parts = tree.link(f"sys/bus/ccw/devices/{busid}").split("/")
        except OSError:
            continue
        if len(parts) > 1 and re.fullmatch(BUS_ID, parts[-2]):
            subchannels.append(parts[-2])
    return subchannels


def _paths(tree: Tree, subchannel: str) -> dict[str, Value]:
    """Return what a subchannel says of the paths to its device."""
    row = read_attributes(tree, subchannel, OF_SUBCHANNEL)
    try:
        pim, pam, pom = parse_bytes(text(tree, f"{subchannel}/pimpampom"), 3)
        chpids = parse_bytes(text(tree, f"{subchannel}/chpids"), 8)
    except OSError as error:
        return row | dict.fromkeys(_PATHS, refused(error))
    except ValueError:
        return row | dict.fromkeys(_PATHS, absent("the subchannel's paths are not in a form known to zmon"))
    return row | dict(zip(_PATHS, (pim, pam, pom, installed(chpids, pim)), strict=True))


def _device(tree: Tree, path: str) -> dict[str, Value]:
    """Return what a device's own directory says.

    Raises:
        FileNotFoundError: the directory has gone.
    """
    names = tree.entries(path)
    row = {"driver": driver_of(tree, path, "device"), **read_attributes(tree, path, OF_DEVICE)}
    row |= _dasd(tree, path, row)
    row["block"] = _block(tree, path, names, row)
    return row


def _dasd(tree: Tree, path: str, device: dict[str, Value]) -> dict[str, Value]:
    """Return the DASD driver's attributes, which are absent for everybody else's devices."""
    driver = device["driver"]
    if isinstance(driver, Absent):
        return dict.fromkeys((*OF_DASD, *OF_PAIR), driver)
    if not str(driver).startswith("dasd-"):
        return dict.fromkeys((*OF_DASD, *OF_PAIR), NO_DASD)
    is_offline = device["online"] == 0
    row = read_attributes(tree, path, OF_DASD, OFFLINE if is_offline else None)
    if is_offline:
        row["path_masks"] = OFFLINE
    is_paired = row["copy_role"] in {"primary", "secondary"}
    row |= read_attributes(tree, path, OF_PAIR) if is_paired else {"copy_pair": NO_PAIR}
    for name in ("uid", "vendor"):
        if row[name] == "":
            row[name] = OFFLINE if is_offline else _unidentified(name, row["discipline"])
    return row


def _unidentified(name: str, discipline: Value) -> Absent:
    if discipline in ("FBA", "DIAG"):
        return absent(f"FBA and DIAG disks have no {name}")
    return NO_CONFIGURATION


def _block(tree: Tree, path: str, names: list[str], device: dict[str, Value]) -> Value:
    """Return the name of the block device: below `block`, or one directory deeper for virtio."""
    above = [path, *(f"{path}/{name}" for name in names if name.startswith("virtio"))]
    for directory in above:
        try:
            return tree.entries(f"{directory}/block")[0]
        except (OSError, IndexError):
            continue
    if device["online"] == 0:
        return OFFLINE
    if device["alias"] == 1:
        return NO_BLOCK_OF_ALIAS
    return absent("no block device belongs to it")
