"""BIODASDPSRD: what the control unit's cache did for a volume.

Each answer costs a channel program on the device, and all devices on one real volume get the same:
so a volume is asked once, and not often.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from zmon.absent import absent
from zmon.kernel import dasd, ioctl
from zmon.kernel.cmf import DEVICES
from zmon.kernel.tree import text
from zmon.kinds import CACHE
from zmon.sample import Frame, nothing
from zmon.uid import find_uid

if TYPE_CHECKING:
    from zmon.absent import Absent, Value
    from zmon.kernel.tree import Tree

    Row = dict[str, Value]

_ANSWER: Final = struct.Struct(">BBH21IBIBH96x")

_COUNTERS: Final = (
    "reads", "read_hits", "writes", "write_hits",
    "seq_reads", "seq_read_hits", "seq_writes", "seq_write_hits",
    "cfw_reads", "cfw_read_hits", "cfw_writes", "cfw_write_hits",
    "inhibited", "bypassed", "seq_staged", "staged", "destaged", "dfw_delayed",
    "dfw_normal", "dfw_sequential", "record_misses", "quick_promotes",
)  # fmt: skip
"""Twenty-one words in a row, and one that stands apart."""

_STATES: Final = ("active", "unused", "pending off", "off")
_PAIR: Final = ("available", "pending", "failed", "failed")

_COUNTS_NOTHING: Final = absent("this control unit counts nothing")
_INVALID: Final = absent("the control unit says that its counts are not valid")
NO_DRIVER: Final = "this Linux has no DASD: its DASD driver is not loaded"
NOT_CAPTURED: Final = "/proc/dasd/devices is not in the capture: it was not read, or there were no DASD"
_NO_UID: Final = absent("the device has no uid")
_NOT_UNDERSTOOD: Final = absent("what BIODASDPSRD answered was not understood")


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
    if len(answer) != _ANSWER.size:
        raise ValueError(f"BIODASDPSRD: {_ANSWER.size} bytes expected, found {len(answer)}")
    flags, unit, status, *counts, _status2, promotes, _reserved, ssid = _ANSWER.unpack(answer)
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
        row |= dict.fromkeys(_COUNTERS, _COUNTS_NOTHING)
        if not status:
            row |= dict.fromkeys(("device_status", "caching", "fast_write", "duplex"), _COUNTS_NOTHING)
    return row


def _duplex(status: int) -> str:
    side = {0: "", 1: "secondary", 2: "primary", 3: "both"}[status >> 10 & 3]
    return f"{side}, {_PAIR[status >> 8 & 3]}" if side else "simplex"


def _absent(reason: Absent) -> Row:
    return {field.name: reason for field in CACHE.fields if field.name != "uid"}


def _ask(tree: Tree, disk: Value) -> Row:
    if not isinstance(disk, str):
        return _absent(absent("the device has no block device yet"))
    try:
        return parse_psrd(ioctl.ask(tree, disk, ioctl.BIODASDPSRD))
    except OSError as error:
        return _absent(ioctl.refused(ioctl.BIODASDPSRD, error))
    except ValueError:
        return _absent(_NOT_UNDERSTOOD)


def _uid(tree: Tree, busid: str) -> Value:
    try:
        return text(tree, f"{DEVICES}/{busid}/uid").strip() or _NO_UID
    except OSError:
        return _NO_UID


def read_cache(tree: Tree) -> Frame:
    """Ask every real ECKD volume for its cache counts: one frame of `CACHE`.

    Minidisks on one real volume share the first four parts of the uid, and one answer.  This runs a
    channel program per volume and may hang with a device: see `ioctl.ask`.
    """
    try:
        volumes = dasd.read_volumes(tree)
    except FileNotFoundError:
        return nothing(CACHE, NO_DRIVER if tree.live else NOT_CAPTURED)
    except OSError as error:
        return nothing(CACHE, f"/{dasd.PATH} cannot be read: {error.strerror}")
    except ValueError as error:
        return nothing(CACHE, str(error))
    volumes = [volume for volume in volumes if volume.discipline == "ECKD"]
    if not volumes:
        return nothing(CACHE, "no ECKD volume is online")
    answers: dict[Value, tuple[int, Row]] = {}
    rows: list[Row] = []
    times: list[int] = []
    for volume in volumes:
        uid = _uid(tree, volume.busid)
        identity = find_uid(uid)
        real = identity.volume if identity else volume.busid
        if real not in answers:
            answers[real] = (tree.when(dasd.PATH), _ask(tree, volume.name))
        when, answer = answers[real]
        rows.append(answer | {"uid": uid})
        times.append(when)
    names = [field.name for field in CACHE.fields]
    columns = {name: [row[name] for row in rows] for name in names}
    return Frame(CACHE, [volume.busid for volume in volumes], columns, times)
