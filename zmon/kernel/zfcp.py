"""FCP adapters and the SCSI disks behind them, as the zfcp driver counts them.

Of each adapter, in `/sys/class/scsi_host/hostN/`:

* `utilization`: percent of the adapter's processor, bus and port in the last two seconds.
* `requests`: input, output and control requests since it was switched on.
* `megabytes`: input and output, of 1,000,000 bytes.
* `queue_full`: how often its request queue was full, and the sum of used places in it over microseconds.

The first three are one request to the adapter each, so they are read every ten seconds at most.  Names and
states are in `/sys/class/fc_host/hostN/`, the ports of storage servers in `/sys/class/fc_remote_ports/`.

Of each LUN, in its directory of `/sys/class/scsi_device/`: `read_latency`, `write_latency`, `cmd_latency`
with `FMIN FMAX FSUM CMIN CMAX CSUM N`, microseconds in the fabric and in the channel, and how many requests;
and what the SCSI layer counts in hexadecimal: `iorequest_cnt`, `iodone_cnt`, `ioerr_cnt`, `iotmo_cnt`.

Kernel: drivers/s390/scsi/zfcp_sysfs.c, zfcp_scsi.c, drivers/scsi/scsi_sysfs.c, scsi_transport_fc.c.
"""

from __future__ import annotations

import re
from functools import partial

from zmon.absent import Absent, absent
from zmon.kernel.tree import read_value
from zmon.kinds import ADAPTER, BUSID_FORM, LUN
from zmon.light_typing import TYPE_CHECKING, Final
from zmon.sample import empty_frame, frame_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.absent import Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

HOSTS: Final = "sys/class/fc_host"
SCSI_HOSTS: Final = "sys/class/scsi_host"
PORTS: Final = "sys/class/fc_remote_ports"
DEVICES: Final = "sys/class/scsi_device"
NO_ADAPTER: Final = "there is no FCP adapter"
NO_LUN: Final = "there is no SCSI disk behind an FCP adapter"
OFF: Final = absent("the adapter does not measure it")
ONLINE: Final = "Online"
LATENCIES: Final = ("read", "write", "cmd")
COUNTS: Final = {
    "requested": "iorequest_cnt", "done": "iodone_cnt", "errors": "ioerr_cnt", "timeouts": "iotmo_cnt",
}  # fmt: skip
_HOST: Final = "host[0-9]{1,5}"
_LUN: Final = "[0-9]{1,5}:[0-9]{1,3}:[0-9]{1,5}:[0-9]{1,20}"


def parse_numbers(content: str, count: int) -> tuple[int, ...]:
    """Parse so many decimal numbers of 64 bits, separated by blanks.

    Raises:
        ValueError: they are others.
    """
    words = content.split()
    if len(words) != count or not all(re.fullmatch("[0-9]{1,20}", word) for word in words):
        raise ValueError(f"expected {count} numbers, found {content.strip()[:60]!r}")
    return tuple(map(int, words))


def parse_hex(content: str) -> int:
    """Parse a count of the SCSI layer, `0x1a2b`.

    Raises:
        ValueError: it is something else.
    """
    word = content.strip()
    if not re.fullmatch("0x[0-9a-fA-F]{1,16}", word):
        raise ValueError(f"expected a hexadecimal number, found {word[:40]!r}")
    return int(word, 16) & 0xFFFF_FFFF  # the kernel keeps 32 bits, and writes them with their sign


def _numbers(tree: Tree, path: str, names: tuple[str, ...]) -> dict[str, Value]:
    """Read a file of numbers; each absent with the reason if it cannot be read."""
    found: tuple[int, ...] = ()

    def parse(content: str) -> int:
        nonlocal found
        found = parse_numbers(content, len(names))
        return 0

    why = read_value(tree, path, parse)
    if isinstance(why, Absent):
        return dict.fromkeys(names, why)
    return dict(zip(names, found, strict=True))


def read_zfcp(tree: Tree) -> tuple[Frame, Frame]:
    """Return a frame of `ADAPTER` and one of `LUN`."""
    try:
        now = tree.when(HOSTS)
    except OSError:
        return empty_frame(ADAPTER, NO_ADAPTER), empty_frame(LUN, NO_LUN)
    hosts = dict(_hosts(tree))
    ports = list(_port_states(tree, {host: busid for busid, host in hosts.items()}))
    adapters = {busid: _adapter(tree, busid, host, ports) for busid, host in hosts.items()}
    luns = dict(_luns(tree))
    return (
        frame_of(ADAPTER, adapters, now) if adapters else empty_frame(ADAPTER, NO_ADAPTER),
        frame_of(LUN, luns, now) if luns else empty_frame(LUN, NO_LUN),
    )


def _entries(tree: Tree, path: str, form: str) -> list[str]:
    try:
        return [name for name in tree.entries(path) if re.fullmatch(form, name)]
    except OSError:
        return []


def _hosts(tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield the bus id of each FCP adapter, and its number among the hosts: `host0`."""
    for host in _entries(tree, HOSTS, _HOST):
        try:
            parts = tree.link(f"{HOSTS}/{host}").split("/")
        except OSError:
            continue
        busids = [part for part in parts if re.fullmatch(BUSID_FORM, part)]
        if len(busids) > 1:
            yield busids[-1], host


def _port_states(tree: Tree, busids: dict[str, str]) -> Iterator[tuple[str, Value]]:
    """Yield of each port of a storage server the bus id of the adapter that sees it, and its state."""
    for name in _entries(tree, PORTS, "rport-[0-9]{1,5}:[0-9]{1,3}-[0-9]{1,5}"):
        host = f"host{name.removeprefix('rport-').partition(':')[0]}"
        if host in busids:
            yield busids[host], read_value(tree, f"{PORTS}/{name}/port_state", parse_words)


def parse_words(content: str) -> str:
    """Parse a state or a name: a few words.

    Raises:
        ValueError: it has other characters, or is longer.
    """
    word = content.strip()
    if not re.fullmatch(r"[\w .,:()/+-]{1,60}", word, re.ASCII):
        raise ValueError(f"not some words: {word[:40]!r}")
    return word


def _adapter(tree: Tree, busid: str, host: str, ports: list[tuple[str, Value]]) -> dict[str, Value]:
    here, scsi = f"{HOSTS}/{host}", f"{SCSI_HOSTS}/{host}"
    word = partial(read_value, tree, parse=parse_words)
    mine = [state for adapter, state in ports if adapter == busid]
    return {
        "host": host,
        **{name: word(f"{here}/{name}") for name in ("port_name", "port_type", "port_state", "speed")},
        **_numbers(tree, f"{scsi}/utilization", ("processor", "bus", "port")),
        **_numbers(tree, f"{scsi}/requests", ("inputs", "outputs", "controls")),
        **_numbers(tree, f"{scsi}/megabytes", ("megabytes_in", "megabytes_out")),
        **_numbers(tree, f"{scsi}/queue_full", ("queue_full", "queue_used")),
        "ports": len(mine),
        "ports_online": sum(state == ONLINE for state in mine),
    }


def _luns(tree: Tree) -> Iterator[tuple[str, dict[str, Value]]]:
    for key in _entries(tree, DEVICES, _LUN):
        here = f"{DEVICES}/{key}/device"
        adapter = read_value(tree, f"{here}/hba_id", parse_words)
        if isinstance(adapter, Absent):
            continue  # not behind zfcp
        row: dict[str, Value] = {"adapter": adapter}
        names = _entries(tree, f"{here}/block", "[a-z]{1,12}")
        row["name"] = names[0] if names else absent("the SCSI device is no disk")
        row["state"] = read_value(tree, f"{here}/state", parse_words)
        row["failed"] = read_value(tree, f"{here}/zfcp_failed", _bit)
        for what in LATENCIES:
            parts = ("min", "max", "fabric", "cmin", "cmax", "channel", "count")
            found = _numbers(tree, f"{here}/{what}_latency", parts)
            row |= {f"{what}_{name}": found[name] for name in ("fabric", "channel", "count")}
        row |= {name: read_value(tree, f"{here}/{file}", parse_hex) for name, file in COUNTS.items()}
        yield key, row


def _bit(content: str) -> int:
    return parse_numbers(content, 1)[0]
