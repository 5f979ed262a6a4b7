"""/proc/dasd/devices and the ioctls of a DASD's node: what the driver and the storage server know of volumes.

Three questions that only the node answers, put in one way: `ask`.  BIODASDINFO2 costs nothing.  BIODASDPSRD
has what the control unit's cache did for a volume: each answer costs a channel program on the device, and all
devices on one real volume get the same, so a volume is asked once, and not often.  What
BIODASDREADALLCMB answers, `zmon.kernel.cmf` understands.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import struct

from zmon.base.absent import absent
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple
from zmon.kernel.tree import CCW_DEVICES, ebcdic_name, read_word, text
from zmon.kinds import CACHE, DASD
from zmon.sample import empty_frame, frame_of
from zmon.values.uid import find_uid

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Absent, Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

    Row = dict[str, Value]


class Question(NamedTuple):
    """One ioctl that only reads: its name in the kernel, its number on s390, the answer's bytes."""

    name: str
    number: int
    size: int


BIODASDINFO2: Final = Question("BIODASDINFO2", 0x81A04403, 416)
"""What the driver knows of the device; costs nothing."""
BIODASDPSRD: Final = Question("BIODASDPSRD", 0x80C04404, 192)
"""Cache counts of the volume; runs a channel program on the device."""
BIODASDREADALLCMB: Final = Question("BIODASDREADALLCMB", 0xC0584421, 88)
"""Channel measurement in one coherent piece; waits for the end of an operation under way."""
NEEDS_GROUP: Final = "{} needs root or the group that owns the disk's node"
NO_ANSWER: Final = "{} was not captured, or the disk has no node"
NOT_OFFERED: Final = "{} is not offered for this kind of disk"
NEEDS_ONLINE: Final = "{} needs the device online and, to be measured, switched on"


def ask(tree: Tree, disk: str, question: Question) -> bytes:
    """Put a question to the node of a disk and return the answer.

    The node is opened for reading only and closed at once: an open node keeps the device from
    being set offline.  **The call may never return** if the device hangs; use a `deadline.Worker`
    where that matters (the call releases the GIL).  A captured
    tree answers from `ioctl/<disk>/<NAME>.bin`.

    Kernel: drivers/s390/block/dasd_ioctl.c.

    Raises:
        OSError: as the kernel said it; FileNotFoundError also when it was not captured.
        ValueError: the answer has another length than the question asks for.
    """
    if not tree.live:
        answer = tree.read(f"ioctl/{disk}/{question.name}.bin")
        if len(answer) != question.size:
            raise ValueError(f"{question.name}: {question.size} bytes expected, found {len(answer)}")
        return answer
    room = bytearray(question.size)  # ioctl releases the GIL only for a mutable buffer
    node = os.open(f"/dev/{disk}", os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        fcntl.ioctl(node, question.number, room, True)
    finally:
        os.close(node)
    return bytes(room)


def unanswered(question: Question, error: OSError) -> Absent:
    """Return the reason why a question was not answered."""
    match error.errno:
        case errno.EACCES | errno.EPERM:
            return absent(NEEDS_GROUP.format(question.name))
        case errno.ENOENT:
            return absent(NO_ANSWER.format(question.name))
        case errno.ENOTTY | errno.EOPNOTSUPP:
            return absent(NOT_OFFERED.format(question.name))
        case errno.ENODEV:
            return absent(NEEDS_ONLINE.format(question.name))
    return absent(f"{question.name} failed: {error.strerror}")


DASD_DEVICES: Final = "proc/dasd/devices"
NONE_ONLINE: Final = absent("no DASD is online")
NONE_ASKED: Final = absent("no DASD was asked about")

_DASD_LINE: Final = (
    r"(?a)(?P<busid>[0-9a-f]+\.[0-9a-f]\.[0-9a-f]{4})\((?P<discipline>[^)]*)\)"
    r" +at \( *(?P<major>\d+|\?+): *(?P<minor>\d+|\?+)\)"
    r" +is (?P<name>\S+) *"
    r"(?P<readonly>\(ro\))? *: ?(?P<state>.*)"
)
_SIZES: Final = r"(?a)active at blocksize: (\d+), (\d+) blocks, (\d+) MB"

NO_NODE: Final = absent("the device has no block device yet")
_NO_SIZE: Final = absent("the volume is not active, or not formatted")
_NO_DISCIPLINE: Final = absent("the device is not set up yet")
_NO_VOLSER: Final = absent("udev knows no volume serial (ID_SERIAL)")
NOT_ECKD: Final = absent("only an ECKD volume has this")
_INFO2_NOT_UNDERSTOOD: Final = absent("what BIODASDINFO2 answered was not understood")


def parse_dasd_devices(content: str) -> list[Row]:
    """Parse /proc/dasd/devices: one row per DASD with a block device; PAV aliases have none.

    A row has the fields of `DASD`, and `busid` and `number`, the major:minor of its block device.

    `0.0.7000(ECKD) at ( 94:    12) is dasdd       : active at blocksize: 4096, 200340 blocks, 782 MB`

    The discipline may be `none`, number and name question marks, `(ro)` may precede the colon;
    a volume that is active but not formatted says `active n/f`.  A MB is 2048 sectors of 512.

    Source: drivers/s390/block/dasd_proc.c.

    Raises:
        ValueError: a line is not understood.
    """
    return [_dasd_entry(line) for line in content.splitlines() if line.strip()]


def _dasd_entry(line: str) -> Row:
    match = re.fullmatch(_DASD_LINE, line.rstrip())
    if match is None:
        raise ValueError(f"/proc/dasd/devices: not understood: {line!r}")
    discipline = match["discipline"].strip()
    has_number = "?" not in match["major"] + match["minor"]
    state = match["state"].removesuffix("(probeonly)").strip()
    sizes = re.match(_SIZES, state)
    block_size, blocks, megabytes = map(int, sizes.groups()) if sizes else (_NO_SIZE,) * 3
    return {
        "busid": match["busid"],
        "discipline": _NO_DISCIPLINE if discipline in {"", "none"} else discipline,
        "number": f"{match['major']}:{match['minor']}" if has_number else NO_NODE,
        "name": NO_NODE if match["name"].startswith("?") else match["name"],
        "readonly": int(match["readonly"] is not None),
        "state": "active" if sizes else state,
        "block_size": block_size,
        "blocks": blocks,
        "megabytes": megabytes,
    }


INFORMATION: Final = ("channel_queue", "lss", "storage", "cylinders", "uid")
"""The fields that BIODASDINFO2 has beyond the other sources."""

_UID: Final = r"[A-Z0-9]{1,3}\.[A-Z0-9]{1,14}\.[0-9a-f]{4}\.[0-9a-f]{2}"

_HEAD: Final = struct.Struct(">28xI4s12xII")
_CHARACTERISTICS: Final = slice(56, 120)
_CONFIGURATION: Final = slice(120, 376)
_CYLINDERS: Final = struct.Struct(">12xH46xI")
_RECORD: Final = 32
_LARGE_VOLUME: Final = 0xFFFE


def parse_info2(answer: bytes) -> Row:
    """Parse the answer to BIODASDINFO2, 416 bytes, big-endian: the fields of `INFORMATION`.

    The queue has the requests that are queued on the base device at this moment; the others are only on ECKD.

    Source: arch/s390/include/uapi/asm/dasd.h.

    Raises:
        ValueError: it is not 416 bytes long.
    """
    if len(answer) != BIODASDINFO2.size:
        raise ValueError(f"BIODASDINFO2: {BIODASDINFO2.size} bytes expected, found {len(answer)}")
    queue, discipline, characteristics, configuration = _HEAD.unpack_from(answer)
    if discipline != b"ECKD":
        return {**dict.fromkeys(INFORMATION, NOT_ECKD), "channel_queue": queue}
    data = answer[_CONFIGURATION][:configuration]
    return {"channel_queue": queue, **describe_eckd(answer[_CHARACTERISTICS][:characteristics], data)}


def describe_eckd(characteristics: bytes, configuration: bytes) -> Row:
    """Return what the device characteristics and the configuration data of an ECKD volume say of it.

    Type, model and logical subsystem are bytes 4, 10 and 30 of the device's own node element descriptor,
    found among eight records of configuration data by its first two bytes.  Cylinders are a halfword at
    12 of the device characteristics, or the word at 60 when the halfword says 0xFFFE.  The uid, which the
    driver makes of the same data, is `IBM.75000000092461.1500.18`, without token.

    Source: drivers/s390/block/dasd_eckd.h (characteristics, descriptors) and dasd_eckd.c (which of the two
    counts holds).
    """
    lss: Value = absent("the configuration data names no device")
    storage = uid = lss
    records = [configuration[at : at + _RECORD] for at in range(0, len(configuration), _RECORD)]
    for device in records:
        if len(device) == _RECORD and device[0] >> 6 == 3 and device[1] == 1:
            lss = device[30]
            storage = _storage(device[4:13])
            uid = _uid_of(device, records)
            break
    cylinders: Value = absent("the driver did not read the device characteristics")
    if len(characteristics) >= _CYLINDERS.size:
        cylinders, long_count = _CYLINDERS.unpack_from(characteristics)
        if cylinders == _LARGE_VOLUME and long_count:
            cylinders = long_count
    return {"lss": lss, "storage": storage, "cylinders": cylinders, "uid": uid}


def _uid_of(device: bytes, records: list[bytes]) -> Value:
    """Return the unique id, from the device's own descriptor and the general qualifier.

    Manufacturer, plant and sequence number are bytes 13 to 29 of the descriptor, the unit address its last;
    the subsystem id is the halfword at 8 of the qualifier, whose first two bits are 10.

    Source: drivers/s390/block/dasd_eckd.c, create_uid.
    """
    maker, serial = ebcdic_name(device[13:16]), ebcdic_name(device[16:30])
    for qualifier in records:
        if len(qualifier) == _RECORD and qualifier[0] >> 6 == 2:
            ssid = int.from_bytes(qualifier[8:10])
            uid = f"{maker}.{serial}.{ssid:04x}.{device[31]:02x}"
            return uid if re.fullmatch(_UID, uid) else absent("the configuration data give no unique id")
    return absent("the configuration data name no subsystem")


def _storage(described: bytes) -> Value:
    kind, model = ebcdic_name(described[:6]).lstrip("0"), ebcdic_name(described[6:])
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


def _described(tree: Tree, name: Value, number: Value) -> Row:
    """Return what the node of a disk answers, and its volume serial."""
    volser = _volser(tree, number)
    if not isinstance(name, str):
        return {"volser": volser, **dict.fromkeys(INFORMATION, NO_NODE)}
    try:
        return {"volser": volser, **parse_info2(ask(tree, name, BIODASDINFO2))}
    except OSError as error:
        reason = unanswered(BIODASDINFO2, error)
    except ValueError:
        reason = _INFO2_NOT_UNDERSTOOD
    return {"volser": volser, **dict.fromkeys(INFORMATION, reason)}


def read_dasd_devices(tree: Tree) -> list[Row]:
    """Read /proc/dasd/devices.

    Raises:
        OSError: it cannot be read: the DASD driver is not loaded.
        ValueError: it is not understood.
    """
    return parse_dasd_devices(text(tree, DASD_DEVICES))


def read_dasd(tree: Tree) -> Frame:
    """Read what the driver knows of every volume: one frame of `DASD`.

    Opens the node of every volume for one moment: see `ask` for what that can mean.
    """
    try:
        volumes = read_dasd_devices(tree)
        when = tree.when(DASD_DEVICES)
    except OSError as error:
        return empty_frame(DASD, f"/{DASD_DEVICES} cannot be read: {error.strerror}")
    except ValueError as error:
        return empty_frame(DASD, str(error))
    if not volumes:
        return empty_frame(DASD, NONE_ONLINE)
    rows = {}
    for volume in volumes:
        busid, number = str(volume.pop("busid")), volume.pop("number")
        rows[busid] = {**volume, **_described(tree, volume["name"], number)}
    return frame_of(DASD, rows, when)


def read_identity(tree: Tree, disks: Mapping[str, tuple[str, str]]) -> Frame:
    """Read what identifies a few volumes, given the name and number of the block device for each bus id.

    Disks that are no DASDs are left out and not asked.  What it costs does not depend on how many volumes
    there are.
    """
    disks = {busid: disk for busid, disk in disks.items() if disk[0].startswith("dasd")}
    if not disks:
        return empty_frame(DASD, NONE_ASKED)
    rows = {
        busid: {"name": name, **_described(tree, name, number)} for busid, (name, number) in disks.items()
    }
    return frame_of(DASD, rows, tree.when("proc"))


_PSRD: Final = struct.Struct(">BBH21IBIBH96x")

_COUNTERS: Final = (
    "reads", "read_hits", "writes", "write_hits",
    "seq_reads", "seq_read_hits", "seq_writes", "seq_write_hits",
    "cfw_reads", "cfw_read_hits", "cfw_writes", "cfw_write_hits",
    "inhibited", "bypassed", "seq_staged", "staged", "destaged", "dfw_delayed",
    "dfw_normal", "dfw_sequential", "record_misses", "quick_promotes",
)  # fmt: skip
"""Twenty-one words in a row, and one that is apart."""

_STATES: Final = ("active", "unused", "pending off", "off")
_PAIR: Final = ("available", "pending", "failed", "failed")

NO_ECKD: Final = absent("no ECKD volume is online")
COUNTS_NOTHING: Final = absent("this control unit counts nothing")
_INVALID: Final = absent("the control unit says that its counts are not valid")
NO_DRIVER: Final = "this Linux has no DASD: its DASD driver is not loaded"
DEVICES_NOT_CAPTURED: Final = (
    "/proc/dasd/devices is not in the capture: it was not read, or there were no DASD"
)
_NO_UID: Final = absent("the device has no uid")
_PSRD_NOT_UNDERSTOOD: Final = absent("what BIODASDPSRD answered was not understood")


def parse_psrd(answer: bytes) -> Row:
    """Parse the answer to BIODASDPSRD: 192 bytes, big-endian, the last 96 unnamed.

    Counts are words that the control unit keeps for the volume, so for all systems that use it.  There
    is no mark of a reset: a fall is one.  A simulated control unit that answers nothing but
    zeros has counted nothing, and its status says nothing either.

    Status, in bits of the first byte: 0-1 caching, 2-3 fast write, 4 and 5 primary and secondary of
    a duplex pair, 6-7 how that pair is doing.

    Source: drivers/s390/block/dasd_int.h (dasd_rssd_perf_stats_t), dasd_eckd.c; the status bits as
    z/OS documents them in SMF record 74 subtype 5.

    Raises:
        ValueError: it is not 192 bytes long.
    """
    if len(answer) != _PSRD.size:
        raise ValueError(f"BIODASDPSRD: {_PSRD.size} bytes expected, found {len(answer)}")
    flags, unit, status, *counts, _status2, promotes, _reserved, ssid = _PSRD.unpack(answer)
    counts.append(promotes)
    row: Row = {
        "unit_address": f"{unit:02x}",
        "ssid": f"{ssid:04x}",
        "device_status": f"{status:04x}",
        "caching": _STATES[status >> 14],
        "fast_write": _STATES[status >> 12 & 3],
        "duplex": _duplex(status),
        **dict(zip(_COUNTERS, counts, strict=True)),
    }
    if flags & 0x80:
        row |= dict.fromkeys(_COUNTERS, _INVALID)
    elif not any(counts):
        row |= dict.fromkeys(_COUNTERS, COUNTS_NOTHING)
        if not status:
            row |= dict.fromkeys(("device_status", "caching", "fast_write", "duplex"), COUNTS_NOTHING)
    return row


def _duplex(status: int) -> str:
    side = {0: "", 1: "secondary", 2: "primary", 3: "both"}[status >> 10 & 3]
    return f"{side}, {_PAIR[status >> 8 & 3]}" if side else "simplex"


def _without_counts(reason: Absent) -> Row:
    return {field.name: reason for field in CACHE.fields if field.name != "uid"}


def _ask_cache(tree: Tree, disk: Value) -> Row:
    if not isinstance(disk, str):
        return _without_counts(NO_NODE)
    try:
        return parse_psrd(ask(tree, disk, BIODASDPSRD))
    except OSError as error:
        return _without_counts(unanswered(BIODASDPSRD, error))
    except ValueError:
        return _without_counts(_PSRD_NOT_UNDERSTOOD)


def read_cache(tree: Tree) -> Frame:
    """Ask every real ECKD volume for its cache counts: one frame of `CACHE`.

    Minidisks on one real volume share the first four parts of the uid, and one answer.  This runs a
    channel program per volume and may hang with a device: see `ask`.
    """
    try:
        volumes = read_dasd_devices(tree)
    except FileNotFoundError:
        return empty_frame(CACHE, NO_DRIVER if tree.live else DEVICES_NOT_CAPTURED)
    except OSError as error:
        return empty_frame(CACHE, f"/{DASD_DEVICES} cannot be read: {error.strerror}")
    except ValueError as error:
        return empty_frame(CACHE, str(error))
    volumes = [volume for volume in volumes if volume["discipline"] == "ECKD"]
    if not volumes:
        return empty_frame(CACHE, NO_ECKD)
    answers: dict[Value, tuple[int, Row]] = {}
    rows: dict[str, Row] = {}
    times: list[int] = []
    for volume in volumes:
        uid = read_word(tree, f"{CCW_DEVICES}/{volume['busid']}/uid", _NO_UID)
        identity = find_uid(uid)
        real = identity.volume if identity else volume["busid"]
        if real not in answers:
            answers[real] = (tree.when(DASD_DEVICES), _ask_cache(tree, volume["name"]))
        when, answer = answers[real]
        rows[str(volume["busid"])] = answer | {"uid": uid}
        times.append(when)
    return frame_of(CACHE, rows, times)
