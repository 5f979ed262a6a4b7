"""/proc/dasd/devices and BIODASDINFO2: what the DASD driver knows of its volumes."""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import absent
from zmon.kernel import ioctl
from zmon.kernel.ebcdic import name
from zmon.kernel.tree import text
from zmon.kinds import DASD
from zmon.sample import Frame, nothing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.absent import Value
    from zmon.kernel.tree import Tree

PATH: Final = "proc/dasd/devices"

_LINE: Final = re.compile(
    r"(?P<busid>[0-9a-f]+\.[0-9a-f]\.[0-9a-f]{4})\((?P<discipline>[^)]*)\)"
    r" +at \( *(?P<major>\d+|\?+): *(?P<minor>\d+|\?+)\)"
    r" +is (?P<name>\S+) *"
    r"(?P<readonly>\(ro\))? *: ?(?P<state>.*)",
    re.ASCII,
)
_SIZES: Final = re.compile(r"active at blocksize: (\d+), (\d+) blocks, (\d+) MB", re.ASCII)

_NO_NODE: Final = absent("the device has no block device yet")
_NO_SIZE: Final = absent("the volume is not active, or not formatted")
_NO_DISCIPLINE: Final = absent("the device is not set up yet")
_NO_VOLSER: Final = absent("udev knows no volume serial (ID_SERIAL)")
_NOT_ECKD: Final = absent("only an ECKD volume has this")
_NOT_UNDERSTOOD: Final = absent("what BIODASDINFO2 answered was not understood")


class Volume(NamedTuple):
    """One line of /proc/dasd/devices."""

    busid: str
    discipline: Value
    """ECKD, FBA or DIAG."""
    number: Value
    """major:minor of its block device."""
    name: Value
    """Of its block device: dasda."""
    readonly: bool
    state: str
    """new, detected, basic, unformatted, active, no stat."""
    block_size: Value
    blocks: Value
    megabytes: Value


def parse_devices(content: str) -> list[Volume]:
    """Parse /proc/dasd/devices: one line per DASD with a block device; PAV aliases have none.

    `0.0.7000(ECKD) at ( 94:    12) is dasdd       : active at blocksize: 4096, 200340 blocks, 782 MB`

    The discipline may be `none`, number and name question marks, `(ro)` may stand before the colon;
    a volume that is active but not formatted says `active n/f`.  A MB is 2048 sectors of 512.

    Source: drivers/s390/block/dasd_proc.c.

    Raises:
        ValueError: a line is not understood.
    """
    return [_volume(line) for line in content.splitlines() if line.strip()]


def _volume(line: str) -> Volume:
    match = _LINE.fullmatch(line.rstrip())
    if match is None:
        raise ValueError(f"/proc/dasd/devices: not understood: {line!r}")
    discipline = match["discipline"].strip()
    known = "?" not in match["major"] + match["minor"]
    state = match["state"].removesuffix("(probeonly)").strip()
    sizes = _SIZES.match(state)
    block_size, blocks, megabytes = map(int, sizes.groups()) if sizes else (_NO_SIZE,) * 3
    return Volume(
        match["busid"],
        _NO_DISCIPLINE if discipline in {"", "none"} else discipline,
        f"{match['major']}:{match['minor']}" if known else _NO_NODE,
        _NO_NODE if match["name"].startswith("?") else match["name"],
        match["readonly"] is not None,
        "active" if sizes else state,
        block_size,
        blocks,
        megabytes,
    )


class Information(NamedTuple):
    """What BIODASDINFO2 tells beyond the other sources."""

    channel_queue: Value
    """Requests that are queued on the base device at this moment."""
    lss: Value
    """Number of the logical subsystem: the CUADD of its I/O definition."""
    storage: Value
    """Type and model by which the storage server describes itself: `2107-900`."""
    cylinders: Value
    uid: Value = absent("the configuration data name no storage server")
    """The unique id, which the driver makes of the same data: `IBM.75000000092461.1500.18`; no token."""


_UID: Final = re.compile(r"[A-Z0-9]{1,3}\.[A-Z0-9]{1,14}\.[0-9a-f]{4}\.[0-9a-f]{2}")

_HEAD: Final = struct.Struct(">28xI4s12xII")
_CHARACTERISTICS: Final = 56
_CYLINDERS: Final = struct.Struct(">12xH46xI")
_RECORDS: Final = range(120, 376, 32)
_LARGE_VOLUME: Final = 0xFFFE


def parse_info2(answer: bytes) -> Information:
    """Parse the answer to BIODASDINFO2: 416 bytes, big-endian.

    Type, model and logical subsystem are bytes 4, 10 and 30 of the device's own node element descriptor,
    found among eight records of configuration data by its first two bytes.  Cylinders are a halfword at
    12 of the device characteristics, or the word at 60 when the halfword says 0xFFFE.  All only on ECKD.

    Source: arch/s390/include/uapi/asm/dasd.h; drivers/s390/block/dasd_eckd.h (characteristics,
    descriptors) and dasd_eckd.c (which of the two counts holds).

    Raises:
        ValueError: it is not 416 bytes long.
    """
    if len(answer) != ioctl.BIODASDINFO2.size:
        raise ValueError(f"BIODASDINFO2: {ioctl.BIODASDINFO2.size} bytes expected, found {len(answer)}")
    queue, discipline, characteristics, configuration = _HEAD.unpack_from(answer)
    if discipline != b"ECKD":
        return Information(queue, _NOT_ECKD, _NOT_ECKD, _NOT_ECKD, _NOT_ECKD)
    lss: Value = absent("the configuration data names no device")
    storage = uid = lss
    for start in _RECORDS:
        if start - _RECORDS.start < configuration and answer[start] >> 6 == 3 and answer[start + 1] == 1:
            lss = answer[start + 30]
            storage = _storage(answer[start + 4 : start + 13])
            uid = _uid(answer[start : start + 32], answer, configuration)
            break
    cylinders: Value = absent("the driver did not read the device characteristics")
    if characteristics >= _CYLINDERS.size:
        cylinders, long_count = _CYLINDERS.unpack_from(answer, _CHARACTERISTICS)
        if cylinders == _LARGE_VOLUME and long_count:
            cylinders = long_count
    return Information(queue, lss, storage, cylinders, uid)


def _uid(device: bytes, answer: bytes, configuration: int) -> Value:
    """Return the unique id that the device's own descriptor and the general qualifier tell together.

    Manufacturer, plant and sequence number are bytes 13 to 29 of the descriptor, the unit address its last;
    the subsystem id is the halfword at 8 of the qualifier, whose first two bits are 10.

    Source: drivers/s390/block/dasd_eckd.c, create_uid.
    """
    maker, serial = name(device[13:16]), name(device[16:30])
    for start in _RECORDS:
        if start - _RECORDS.start < configuration and answer[start] >> 6 == 2:
            ssid = int.from_bytes(answer[start + 8 : start + 10])
            uid = f"{maker}.{serial}.{ssid:04x}.{device[31]:02x}"
            return uid if _UID.fullmatch(uid) else absent("the configuration data give no unique id")
    return absent("the configuration data name no subsystem")


def _storage(described: bytes) -> Value:
    kind, model = name(described[:6]).lstrip("0"), name(described[6:])
    if not (kind + model).isalnum():
        return absent("the configuration data give no type of the storage")
    return f"{kind}-{model}"


def parse_volser(content: str) -> str | None:
    """Find the volume serial in an entry of udev's data base: the line `E:ID_SERIAL=0X7000`."""
    for line in content.splitlines():
        key, _, value = line.partition("=")
        if key == "E:ID_SERIAL" and value:
            return value
    return None


def _volser(tree: Tree, number: Value) -> Value:
    if not isinstance(number, str):
        return _NO_VOLSER
    try:
        return parse_volser(text(tree, f"run/udev/data/b{number}")) or _NO_VOLSER
    except OSError:
        return _NO_VOLSER


def _information(tree: Tree, name: Value) -> Information:
    if not isinstance(name, str):
        return Information(*[_NO_NODE] * 5)
    try:
        return parse_info2(ioctl.ask(tree, name, ioctl.BIODASDINFO2))
    except OSError as error:
        reason = ioctl.refused(ioctl.BIODASDINFO2, error)
    except ValueError:
        reason = _NOT_UNDERSTOOD
    return Information(*[reason] * 5)


def read_volumes(tree: Tree) -> list[Volume]:
    """Read /proc/dasd/devices.

    Raises:
        OSError: it cannot be read: the DASD driver is not loaded.
        ValueError: it is not understood.
    """
    return parse_devices(text(tree, PATH))


def read_dasd(tree: Tree) -> Frame:
    """Read what the driver knows of every volume: one frame of `DASD`.

    Opens the node of every volume for one moment: see `ioctl.ask` for what that can mean.
    """
    try:
        volumes = read_volumes(tree)
        when = tree.when(PATH)
    except OSError as error:
        return nothing(DASD, f"/{PATH} cannot be read: {error.strerror}")
    except ValueError as error:
        return nothing(DASD, str(error))
    if not volumes:
        return nothing(DASD, "no DASD is online")
    told = [_information(tree, volume.name) for volume in volumes]
    return Frame(
        DASD,
        [volume.busid for volume in volumes],
        {
            "name": [volume.name for volume in volumes],
            "discipline": [volume.discipline for volume in volumes],
            "state": [volume.state for volume in volumes],
            "readonly": [int(volume.readonly) for volume in volumes],
            "block_size": [volume.block_size for volume in volumes],
            "blocks": [volume.blocks for volume in volumes],
            "megabytes": [volume.megabytes for volume in volumes],
            "volser": [_volser(tree, volume.number) for volume in volumes],
            "lss": [info.lss for info in told],
            "storage": [info.storage for info in told],
            "uid": [info.uid for info in told],
            "channel_queue": [info.channel_queue for info in told],
            "cylinders": [info.cylinders for info in told],
        },
        [when] * len(volumes),
    )


def read_identity(tree: Tree, disks: Mapping[str, tuple[str, str]]) -> Frame:
    """Read what identifies a few volumes, given the name and number of the block device for each bus id.

    Disks that are no DASDs are left out and not asked.  What it costs does not depend on how many volumes
    there are.
    """
    disks = {busid: disk for busid, disk in disks.items() if disk[0].startswith("dasd")}
    if not disks:
        return nothing(DASD, "no DASD was asked about")
    told = [_information(tree, name) for name, _number in disks.values()]
    return Frame(
        DASD,
        list(disks),
        {
            "name": [name for name, _number in disks.values()],
            "volser": [_volser(tree, number) for _name, number in disks.values()],
            "lss": [info.lss for info in told],
            "storage": [info.storage for info in told],
            "uid": [info.uid for info in told],
            "cylinders": [info.cylinders for info in told],
        },
        [tree.when("proc")] * len(disks),
    )
