"""FCP adapters and the SCSI disks behind them, as the zfcp driver counts them.

Of each adapter, in `/sys/class/scsi_host/hostN/`:

* `utilization`: percent of the adapter's processor, bus and port in the last two seconds.
* `requests`: input, output and control requests since it was switched on.
* `megabytes`: input and output, of 1,000,000 bytes.
* `queue_full`: how often its request queue was full, and the sum of used places in it over microseconds.

The first three are one request to the adapter each, so they are read every ten seconds at most.  Names and
states are in `/sys/class/fc_host/hostN/`, the ports of storage servers in `/sys/class/fc_remote_ports/`:
`port_name`, `port_state`, `roles`.

Of each LUN, in its directory of `/sys/class/scsi_device/`: `read_latency`, `write_latency`, `cmd_latency`
with `FMIN FMAX FSUM CMIN CMAX CSUM N`, microseconds in the fabric and in the channel, and how many requests;
and what the SCSI layer counts in hexadecimal: `iorequest_cnt`, `iodone_cnt`, `ioerr_cnt`, `iotmo_cnt`.

Kernel: drivers/s390/scsi/zfcp_sysfs.c, zfcp_scsi.c, drivers/scsi/scsi_sysfs.c, scsi_transport_fc.c.
"""

from __future__ import annotations

import posixpath
import re
from contextlib import suppress
from functools import partial

from zmon.base.absent import Absent, absent
from zmon.base.clock import MINUTE
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.kernel.tree import (
    CCW_DEVICES,
    NOT_CAPTURED,
    attributes,
    driver_of,
    names_in,
    read_attributes,
    read_several,
    read_value,
    word_parser,
)
from zmon.kinds import ADAPTER, BUSID_FORM, LUN, NO_ADAPTER, TARGET_PORT
from zmon.sample import empty_frame, frame_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zmon.base.absent import Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

HOSTS: Final = "sys/class/fc_host"
SCSI_HOSTS: Final = "sys/class/scsi_host"
PORTS: Final = "sys/class/fc_remote_ports"
ZFCP: Final = "sys/bus/ccw/drivers/zfcp"
DEVICES: Final = "sys/class/scsi_device"
NO_LUN: Final = "there is no SCSI disk behind an FCP adapter"
NO_PORT: Final = "no FCP adapter sees a port of a storage server"
OFF: Final = absent("the adapter does not measure it")
ONLINE: Final = "Online"
MAX_DIGITS: Final = 20
LOOK_EVERY: Final = MINUTE
"""ns after which it is looked again which LUN is which disk, if no event reported a change."""
LATENCIES: Final = ("read", "write", "cmd")
_TIMES: Final = {what: (f"{what}_fabric", f"{what}_channel", f"{what}_count") for what in LATENCIES}
"""The fields that are taken of each file of latencies."""
_HOST: Final = "host[0-9]{1,5}"
_LUN: Final = "[0-9]{1,5}:[0-9]{1,3}:[0-9]{1,5}:[0-9]{1,20}"


def parse_numbers(content: str, count: int) -> tuple[int, ...]:
    """Parse so many decimal numbers of 64 bits, separated by blanks.

    Raises:
        ValueError: they are others.
    """
    numbers = content.split()
    digits = "".join(numbers)
    is_decimal = digits.isascii() and digits.isdecimal()
    if len(numbers) != count or not is_decimal or max(map(len, numbers)) > MAX_DIGITS:
        raise ValueError(f"expected {count} numbers, found {content.strip()[:60]!r}")
    return tuple(map(int, numbers))


# the kernel keeps 32 bits, and writes them with their sign
parse_hex = word_parser("0x[0-9a-fA-F]{1,16}", lambda word: int(word, 16) & 0xFFFF_FFFF)
"""Parses a count of the SCSI layer, `0x1a2b`."""
parse_words = word_parser(r"[\w .,:()/+-]{1,60}", str)
"""Parses a state or a name: a few words."""

OF_HOST: Final = attributes(parse_words, "port_name", "port_type", "port_state", "speed")
"""What the kernel says of an adapter, ..."""
OF_PORT: Final = attributes(parse_words, "port_name", "roles", state="port_state")
"""... of a port of a storage server, ..."""
OF_LUN: Final = {
    **attributes(parse_words, "state"),
    **attributes(word_parser("[0-9]{1,20}", int), failed="zfcp_failed"),
}
"""... and of a LUN, ..."""
COUNTS: Final = attributes(
    parse_hex, requested="iorequest_cnt", done="iodone_cnt", errors="ioerr_cnt", timeouts="iotmo_cnt"
)
"""... of which it counts these."""
NUMBERS: Final = {
    "utilization": ("processor", "bus", "port"),
    "requests": ("inputs", "outputs", "controls"),
    "megabytes": ("megabytes_in", "megabytes_out"),
    "queue_full": ("queue_full", "queue_used"),
}
"""The numbers in files of an adapter."""
_OF_CLASS: Final = {
    "fc_host": OF_HOST,
    "fc_remote_ports": OF_PORT,
    "scsi_device": {**OF_LUN, **COUNTS},
}


def parse_attribute(owner: str, file: str, content: str) -> dict[str, Value]:
    """Parse what a file of a class of sysfs holds, `fc_host`, by the fields that are read; else nothing.

    Raises:
        ValueError: it holds something else.
    """
    if owner == "scsi_host" and file in NUMBERS:
        return dict(zip(NUMBERS[file], parse_numbers(content, len(NUMBERS[file])), strict=True))
    what, _, latency = file.rpartition("_")
    if owner == "scsi_device" and latency == "latency" and what in _TIMES:
        return dict(zip(_TIMES[what], _sums(content), strict=True))
    return {
        field: parse(content) for field, (name, parse) in _OF_CLASS.get(owner, {}).items() if name == file
    }


def _numbers(tree: Tree, path: str, names: tuple[str, ...]) -> dict[str, Value]:
    """Read a file of an adapter that has so many numbers."""
    unlike = f"{path.rpartition('/')[2]} says something zmon does not understand"
    return read_several(tree, path, names, partial(parse_numbers, count=len(names)), unlike=unlike)


class ZfcpReader:
    """Reads adapters and LUNs again and again; which disk a LUN is, it looks at once a minute."""

    def __init__(self, tree: Tree, _choice: object = None) -> None:
        """Look at nothing yet."""
        self._tree = tree
        self._looked: int | None = None
        self._known: dict[str, tuple[str, dict[str, Value] | None]] = {}
        """Of each LUN its directory, and what stays; None if it is not behind an FCP adapter."""

    def refresh(self) -> None:
        """Look again which LUN is which disk: devices came, went, or changed."""
        self._looked = None

    def read(self) -> tuple[Frame, Frame, Frame]:
        """Return a frame of `ADAPTER`, one of `LUN` and one of `TARGET_PORT`."""
        tree = self._tree
        hosts = dict(fcp_hosts(tree))
        now = _when(tree, HOSTS)
        is_lacking = not hosts and _has_adapter(tree)
        if now is None and not is_lacking:
            return (
                empty_frame(ADAPTER, NO_ADAPTER),
                empty_frame(LUN, NO_LUN),
                empty_frame(TARGET_PORT, NO_PORT),
            )
        now = now or _when(tree, DEVICES) or 0
        if self._looked is None or now - self._looked >= LOOK_EVERY:
            self._looked = now
            self._known.clear()
        ports = dict(_ports(tree, {host: busid for busid, host in hosts.items()}))
        adapters = {busid: _adapter(tree, busid, host, ports) for busid, host in hosts.items()}
        luns = self._luns()
        no_host = absent(f"/{HOSTS}: {NOT_CAPTURED}")
        has_luns = not is_lacking or names_in(tree, DEVICES, _LUN)
        no_lun = NO_LUN if has_luns else f"/{DEVICES}: {NOT_CAPTURED}"
        return (
            frame_of(ADAPTER, adapters, now)
            if adapters
            else empty_frame(ADAPTER, no_host if is_lacking else NO_ADAPTER),
            frame_of(LUN, luns, now) if luns else empty_frame(LUN, no_lun),
            frame_of(TARGET_PORT, ports, now)
            if ports
            else empty_frame(TARGET_PORT, no_host if is_lacking else NO_PORT),
        )

    def _luns(self) -> dict[str, dict[str, Value]]:
        """Return the LUNs behind FCP adapters."""
        luns: dict[str, dict[str, Value]] = {}
        for key in names_in(self._tree, DEVICES, _LUN):
            if key not in self._known:
                here = _directory(self._tree, key)
                self._known[key] = here, _constant(self._tree, here)
            here, constant = self._known[key]
            if constant is not None:
                luns[key] = constant | _counted(self._tree, here)
        return luns


def _when(tree: Tree, path: str) -> int | None:
    """Return when a directory was read; None if it is not there."""
    try:
        return tree.when(path)
    except OSError:
        return None


def _has_adapter(tree: Tree) -> bool:
    """Return whether a capture shows an adapter on line, which has a host on any machine.

    A collection may lack the directory of the driver.
    """
    if tree.live:
        return False
    busids = names_in(tree, ZFCP, BUSID_FORM) or [
        busid
        for busid in names_in(tree, CCW_DEVICES, BUSID_FORM)
        if driver_of(tree, f"{CCW_DEVICES}/{busid}", "device") == "zfcp"
    ]
    return any(read_value(tree, f"{CCW_DEVICES}/{busid}/online") == "1" for busid in busids)


def fcp_hosts(tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield the bus id of each FCP adapter, and its number among the hosts: `host0`."""
    for host in names_in(tree, HOSTS, _HOST):
        try:
            parts = tree.link(f"{HOSTS}/{host}").split("/")
        except OSError:
            continue
        busids = [part for part in parts if re.fullmatch(BUSID_FORM, part)]
        if len(busids) > 1:
            yield busids[-1], host


def _ports(tree: Tree, busids: dict[str, str]) -> Iterator[tuple[str, dict[str, Value]]]:
    """Yield each port of a storage server that an adapter sees."""
    for name in names_in(tree, PORTS, TARGET_PORT.key_form):
        host = f"host{name.removeprefix('rport-').partition(':')[0]}"
        if host in busids:
            yield name, {"adapter": busids[host], **read_attributes(tree, f"{PORTS}/{name}", OF_PORT)}


def _adapter(tree: Tree, busid: str, host: str, ports: Mapping[str, Mapping[str, Value]]) -> dict[str, Value]:
    scsi = f"{SCSI_HOSTS}/{host}"
    mine = [port["state"] for port in ports.values() if port["adapter"] == busid]
    row = {"host": host, **read_attributes(tree, f"{HOSTS}/{host}", OF_HOST)}
    for file, names in NUMBERS.items():
        row |= _numbers(tree, f"{scsi}/{file}", names)
    return row | {"ports": len(mine), "ports_online": sum(state == ONLINE for state in mine)}


def _directory(tree: Tree, key: str) -> str:
    """Return the directory of a LUN; on a live machine that without links, which is found more quickly."""
    linked = f"{DEVICES}/{key}"
    if tree.live:
        with suppress(OSError):
            real = posixpath.normpath(posixpath.join(DEVICES, tree.link(linked)))
            above, mark, _ = real.rpartition("/scsi_device/")
            if mark:
                return above
    return f"{linked}/device"


def _constant(tree: Tree, here: str) -> dict[str, Value] | None:
    """Return what stays of a LUN; None if it is not behind an FCP adapter."""
    adapter = read_value(tree, f"{here}/hba_id", parse_words)
    if isinstance(adapter, Absent):
        return None
    names = names_in(tree, f"{here}/block", "[a-z]{1,12}")
    return {"adapter": adapter, "name": names[0] if names else absent("the SCSI device is no disk")}


def _sums(content: str) -> tuple[int, ...]:
    """Return both sums of a file of latencies, and how many requests these are of."""
    numbers = parse_numbers(content, 7)
    return numbers[2], numbers[5], numbers[6]


def _counted(tree: Tree, here: str) -> dict[str, Value]:
    """Return the state of a LUN and what is counted of it."""
    row = read_attributes(tree, here, OF_LUN)
    for what, names in _TIMES.items():
        row |= read_several(tree, f"{here}/{what}_latency", names, _sums)
    row |= read_attributes(tree, here, COUNTS)
    return row
