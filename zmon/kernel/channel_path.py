"""sys/devices/css0/chp0.NN: the channel paths, what they are and what they carried.

The counters lie in a block that the firmware writes into memory by itself every few seconds
while `cm_enable` is 1.  Reading them copies memory, costs no I/O, and needs root.  Equal time
stamps mean that the firmware has not written since, not that nothing was done.

The sense of a block depends on the channel measurement group (CMG) of its path:

===  =================================  ============================================
CMG  channels                           counts
===  =================================  ============================================
1    older ones                         time the path was busy
2    FICON, OSA and their like          bus cycles, work units, data units; FICON ops
3    messages, as HiperSockets          messages, failures, data units
4,5  with a data processing unit (z17)  as 2, and time of the unit; 5 with FICON ops
===  =================================  ============================================

A field `x_cpc` counts the whole machine, `x` this partition.  Counters are 32 bits wide and
wrap; sums of active operations have 64.  They start anew when measurement is switched on.

Kernel: drivers/s390/cio/chp.c, chsc.c; layouts: zconf/chp/chpstat in s390-tools.
"""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.kernel.tree import CSS, attributes, read_attributes, read_value, refused, word_parser
from zmon.kinds import CHANNEL, NO_CSS
from zmon.sample import empty_frame, frame_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.base.absent import Number, Value
    from zmon.kernel.tree import Attributes, Tree
    from zmon.sample import Frame


MAX_TRIES: Final = 5
"""The firmware writes every few seconds, so a second try meets it hardly ever."""

_NAME: Final = re.compile(r"chp(0\.[0-9a-f]{2})")

_BUSY: Final = ("busy_cpc", "busy")
_WORK: Final = (
    "bus_cycles_cpc", "work_units_cpc", "work_units",
    "written_cpc", "written", "read_cpc", "read",
)  # fmt: skip
_MESSAGES: Final = (
    "msg_sent", "msg_sent_cpc", "send_failed", "no_buffer", "no_buffer_cpc",
    "data_sent", "data_sent_cpc",
)  # fmt: skip
_CUE: Final = {1: _BUSY, 2: _WORK, 3: _MESSAGES, 4: _WORK, 5: _WORK}
"""Per group what words 1, 2 ... of `measurement` count."""

_DPU: Final = ("dpu_channel_busy_cpc", "dpu_busy_cpc")
_FICON: Final = (
    "ficon_ops_cpc", "ficon_deferred_cpc", "ficon_active_cpc",
    "hpf_ops_cpc", "hpf_deferred_cpc", "hpf_active_cpc",
)  # fmt: skip
_EXT_CUE: Final = {
    2: (">IIQIIQ", _FICON),
    4: (">II", _DPU),
    5: (">IIIIQIIQ", _DPU + _FICON),
}
"""Per group the layout of `ext_measurement`; the other groups have none."""

_LIMITS: Final = ("max_bus_cycles", "max_work_units", "max_write_units", "max_read_units")
_SIZES: Final = ("data_unit_size", "data_unit_size_cpc", "msg_unit_size", "msg_unit_size_cpc")

COUNTERS: Final = ("timestamp", *_BUSY, *_WORK, *_MESSAGES)
"""The fields from `measurement`, of all groups."""
EXT_COUNTERS: Final = (*_DPU, *_FICON)
"""The fields from `ext_measurement`, of all groups."""
CHARACTERISTICS: Final = (*_LIMITS, *_SIZES, "dpu_cores")
"""The fields from `measurement_chars`, of all groups."""
NOT_VALID: Final = absent("the firmware marks it as not valid")


def _not_in(group: int) -> Absent:
    """Why a field is absent that this group does not have."""
    if group in _CUE:
        return absent(f"measurement group {group} does not have it")
    return absent(f"measurement group {group} is not known to zmon")


def parse_measurement(data: bytes, group: int) -> dict[str, Number]:
    """Decode a channel utilization entry: `measurement`, 32 bytes.

    Word 0 holds a mask of the valid words (bit 0x80 >> n for word n) and a time stamp of 24 bits
    in ticks of 128 us, which wraps after 2147 s.  Words 1 to 7 are the group's counters; a word
    that is not valid is absent, and so is every counter of another group.

    Raises:
        ValueError: there are fewer than 32 bytes.
    """
    if len(data) < 32:
        raise ValueError(f"measurement has {len(data)} bytes, not 32")
    head, *counts = struct.unpack_from(">8I", data)
    valid = head >> 24
    if group == 3 and valid == 0xFE:
        valid = 0xFF  # firmware forgets to mark the last word, which is valid
    row: dict[str, Number] = dict.fromkeys(COUNTERS, _not_in(group))
    row["timestamp"] = head & 0xFFFFFF
    for number, (name, value) in enumerate(zip(_CUE.get(group, ()), counts, strict=False), 1):
        row[name] = value if valid & 0x80 >> number else NOT_VALID
    return row


def parse_ext_measurement(data: bytes, group: int) -> dict[str, Number]:
    """Decode an extended channel utilization entry: `ext_measurement`, 64 bytes, since Linux 6.10.

    Groups 2 and 5 count FICON and High Performance FICON operations, deferred ones, and the sum of
    operations active at each start; groups 4 and 5 the time that the data processing unit was busy.
    All are of the whole machine.

    Raises:
        ValueError: there are fewer than 64 bytes.
    """
    if len(data) < 64:
        raise ValueError(f"ext_measurement has {len(data)} bytes, not 64")
    row: dict[str, Number] = dict.fromkeys(EXT_COUNTERS, _not_in(group))
    layout, names = _EXT_CUE.get(group, (">", ()))
    row.update(zip(names, struct.unpack_from(layout, data), strict=True))
    return row


def parse_measurement_chars(data: bytes, group: int) -> dict[str, Number]:
    """Decode what the counters' units are worth: `measurement_chars`, 20 bytes.

    Groups 2, 4 and 5 have limits per second, and the bytes in a data unit; a limit of 0 is none.
    Group 3 has the sizes of its units, where 0 means 1 or, machine-wide, the partition's.
    Linux before 6.10 gives zeros for groups 4 and 5.

    Raises:
        ValueError: there are fewer than 20 bytes.
    """
    if len(data) < 20:
        raise ValueError(f"measurement_chars has {len(data)} bytes, not 20")
    numbers: tuple[int, ...] = struct.unpack_from(">5I", data)
    row: dict[str, Number] = dict.fromkeys(CHARACTERISTICS, _not_in(group))
    if group == 3:
        unit = numbers[0] or 1
        message = numbers[2] or 1
        row.update(zip(_SIZES, (unit, numbers[1] or unit, message, numbers[3] or message), strict=True))
    elif group in (2, 4, 5):
        given = dict(zip((*_LIMITS, "data_unit_size"), numbers, strict=True))
        if group != 2:
            given["dpu_cores"] = numbers[4] >> 24
            given["data_unit_size"] = numbers[4] & 0xFFFFFF
        for name, value in given.items():
            row[name] = value or absent("the machine gives 0 for it, which is no limit")
    return row


def parse_measurement_chars_full(data: bytes, group: int) -> dict[str, Number]:
    """Decode `measurement_chars_full`, 32 bytes, since Linux 6.13: three words of head, then as above.

    Raises:
        ValueError: there are fewer than 32 bytes.
    """
    if len(data) < 32:
        raise ValueError(f"measurement_chars_full has {len(data)} bytes, not 32")
    return parse_measurement_chars(data[12:], group)


_HEX: Final = "[0-9a-f]{1,8}"
NOT_SHARED: Final = absent("the machine does not say whether it is shared")
NO_CHANNEL: Final = absent("the machine names no physical channel")
NO_SPEED: Final = absent("the machine does not say how fast it is")
UNKNOWN_GROUP: Final = absent("the path's measurement group is unknown")


def _from_hex(word: str) -> int:
    return int(word, 16)


parse_hex = word_parser(_HEX, _from_hex)
"""Parses a number of `esc`, `type` and other files, which is hex without prefix."""

OF_CHANNEL: Final[Attributes] = {
    # 1 when several partitions share the path
    "shared": (
        "shared",
        word_parser(_HEX, _from_hex, {"unknown": NOT_SHARED}),
    ),
    "chid": ("chid", word_parser(_HEX, lambda word: f"{_from_hex(word):04x}", {"": NO_CHANNEL})),
    # 1 when the physical channel has a place in the machine
    "chid_external": ("chid_external", word_parser(_HEX, _from_hex, {"": NO_CHANNEL})),
    "esc": ("esc", parse_hex),  # external subchannel code
    # since Linux 6.10; the suffix counts in thousands of bits per second
    "speed": (
        "speed_bps",
        word_parser("[0-9]{1,20}[KMGT]?", str, {"0": NO_SPEED}),
    ),
    "type": ("type", parse_hex),  # a code: see zmon.topology.volumes
    # Linux 6.12 prints it decimal, 6.1 in hex; the five known groups look the same in both
    "cmg": (
        "cmg",
        word_parser(
            _HEX,
            lambda word: int(word) if word.isdecimal() else _from_hex(word),
            {"unknown": UNKNOWN_GROUP},
        ),
    ),
}
"""What seldom changes, ..."""
CONFIGURE: Final = attributes(parse_hex, "configure")
"""... and what the kernel may have to ask the service processor for."""

parse_status = word_parser("online|offline", str)
"""Parses `status`, as Linux itself varied the path."""

NO_PATHS: Final = absent("this machine shows Linux no channel paths")
LPAR_ONLY: Final = absent("channel measurement is offered in an LPAR only: not by this hypervisor")
OFF: Final = absent("channel measurement is off: cm_enable is 0")
NOTHING_FOR_IT: Final = absent("channel measurement is on, but has nothing for this path")
NO_EXTENDED: Final = absent("this path has no extended data, or Linux is older than 6.10")
TORN: Final = absent("the firmware kept writing while it was read")
TOO_SHORT: Final = absent("the kernel gave fewer bytes than the layout has")


def read_channels(tree: Tree, recent: Frame | None = None) -> Frame:
    """Read every channel path, with its counters where the firmware measures.

    For `configure` (0 standby, 1 configured, 2 reserved, 3 not recognized) the kernel may have to ask the
    service processor and wait for the answer.  Of a path that has the `status` it had in a `recent` frame,
    attributes and characteristics are those of then.

    A path that disappears while it is read is left out.  `cm_enable` stays as it is.
    """
    try:
        paths = [match for name in tree.entries(CSS) if (match := _NAME.fullmatch(name))]
    except OSError as error:
        return empty_frame(CHANNEL, refused(error, NO_CSS.reason))
    unmeasured = _why_unmeasured(tree)
    rows: dict[str, dict[str, Value]] = {}
    times: list[int] = []
    for match in paths:
        path, key = f"{CSS}/{match[0]}", match[1]
        row: dict[str, Value] = {"status": read_value(tree, f"{path}/status", parse_status)}
        before = recent if recent is not None and recent.cell(key, "status") == row["status"] else None
        if before:
            row |= {field: before.cell(key, field) for field in (*OF_CHANNEL, *CONFIGURE)}
        else:
            row |= read_attributes(tree, path, OF_CHANNEL | CONFIGURE)
        row |= _measured(tree, path, key, row["cmg"], unmeasured, before)
        live = "status" if isinstance(row["timestamp"], Absent) else "measurement"
        try:
            when = tree.when(f"{path}/{live}")
            tree.entries(path)
        except OSError:
            continue  # it disappeared meanwhile, and so the row may be half of a path
        rows[key] = row
        times.append(when)
    if not rows:
        return empty_frame(CHANNEL, NO_PATHS)
    return frame_of(CHANNEL, rows, times)


def _why_unmeasured(tree: Tree) -> Absent:
    """Return why a path would have no `measurement`."""
    enabled = read_value(tree, f"{CSS}/cm_enable", parse_hex, LPAR_ONLY)
    if isinstance(enabled, Absent):
        return enabled
    return NOTHING_FOR_IT if enabled else OFF


def _measured(  # noqa: PLR0913, PLR0917 - the path, and what is known of it
    tree: Tree, path: str, key: str, group: Value, unmeasured: Absent, before: Frame | None
) -> dict[str, Value]:
    """Return the counters of a path and what their units are worth."""
    entry, extended = _consistent(tree, path, unmeasured)
    if isinstance(entry, bytes) and isinstance(group, int):
        if before is not None and isinstance(before.cell(key, "timestamp"), Absent):
            before = None  # it was not measured then
        return {
            **_decoded(parse_measurement, entry, group, COUNTERS),
            **_decoded(parse_ext_measurement, extended, group, EXT_COUNTERS),
            **(
                {name: before.cell(key, name) for name in CHARACTERISTICS}
                if before
                else _characteristics(tree, path, group)
            ),
        }
    why = next(it for it in (entry, group) if isinstance(it, Absent))
    return dict.fromkeys((*COUNTERS, *EXT_COUNTERS, *CHARACTERISTICS), why)


def _consistent(tree: Tree, path: str, unmeasured: Absent) -> tuple[bytes | Absent, bytes | Absent]:
    """Return `measurement` and `ext_measurement` as the firmware wrote them at one instant.

    The kernel copies without a lock.  Word 0, with its time stamp, changes with every writing.
    """
    entry = _block(tree, f"{path}/measurement", unmeasured)
    for _ in range(MAX_TRIES):
        if isinstance(entry, Absent):
            return entry, entry
        before = entry
        extended = _block(tree, f"{path}/ext_measurement", NO_EXTENDED)
        entry = _block(tree, f"{path}/measurement", unmeasured)
        if isinstance(entry, bytes) and entry[:4] == before[:4]:
            return entry, extended
    return TORN, TORN


def _characteristics(tree: Tree, path: str, group: int) -> dict[str, Number]:
    none = absent("the path has no measurement characteristics")
    full = _block(tree, f"{path}/measurement_chars_full", none)
    if isinstance(full, bytes):
        return _decoded(parse_measurement_chars_full, full, group, CHARACTERISTICS)
    short = _block(tree, f"{path}/measurement_chars", none)
    return _decoded(parse_measurement_chars, short, group, CHARACTERISTICS)


def _block(tree: Tree, path: str, otherwise: Absent) -> bytes | Absent:
    """Read a binary file; absent for `otherwise` when there is none or nothing in it."""
    try:
        return tree.read(path) or otherwise
    except OSError as error:
        return refused(error, otherwise.reason)


def _decoded(
    parse: Callable[[bytes, int], dict[str, Number]],
    block: bytes | Absent,
    group: int,
    names: tuple[str, ...],
) -> dict[str, Number]:
    """Decode a block; when there is none, its fields are absent for that reason."""
    if isinstance(block, Absent):
        return dict.fromkeys(names, block)
    try:
        return parse(block, group)
    except ValueError:
        return dict.fromkeys(names, TOO_SHORT)
