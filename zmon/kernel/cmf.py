"""cmf/: what the channel subsystem measured for each ccw device.

The hardware adds up times in ticks of 128 microseconds.  sysfs shows only averages over all
operations since measurement was switched on; the totals are rebuilt from them here, so that an
interval can take differences.  The ioctl of a DASD's node gives the totals themselves.

Switching `cmb_enable` on again resets everything to zero; the age in `elapsed` then falls.
Kernel: drivers/s390/cio/cmf.c, arch/s390/include/uapi/asm/cmb.h.

What is rebuilt from averages grows inexact beyond 128,000 operations.  BIODASDREADALLCMB on a base device
gives the totals themselves, but it waits for the operation in progress - for ever, if the device hangs - and
keeps the node of the disk open meanwhile.  So it is off by default, and a source with its own worker.
"""

from __future__ import annotations

import operator
import posixpath
import struct
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.clock import SECOND
from zmon.base.record import NamedTuple
from zmon.kernel import dasd_ioctl
from zmon.kernel.diskstats import PATH
from zmon.kernel.sys_block import read_disks
from zmon.kernel.tree import CCW_DEVICES, read_word, text
from zmon.kinds import CMF, CMF_BASIC, CMF_OFF, EXACT, NO_CMF_TIMES, TICK, U16, U32
from zmon.sample import Frame, empty_frame
from zmon.values.uid import find_uid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from zmon.base.absent import Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Kind


COUNT: Final = "sample_count"
"""The file that says over how many operations the averages go."""

_BASIC: Final = (
    "ssch_rsch_count",
    "avg_sample_interval",
    "avg_device_connect_time",
    "avg_function_pending_time",
    "avg_device_disconnect_time",
    "avg_control_unit_queuing_time",
    "avg_device_active_only_time",
)
_ONLY_EXTENDED: Final = ("avg_device_busy_time", "avg_initial_command_response_time")
_EXTENDED: Final = (*_BASIC, *_ONLY_EXTENDED)

FIELDS: Final = tuple(field.name for field in CMF.fields)
"""The values of a `Row` in their order."""
SSCH: Final = FIELDS.index("ssch")
SAMPLES: Final = FIELDS.index("samples")
ELAPSED: Final = FIELDS.index("elapsed")

Row = tuple["Value", ...]
"""One device's measurement in the order of `FIELDS`."""

TRIES: Final = 3
"""How often a device is read again that finishes operations while it is being read."""

NONE_MEASURED: Final = absent("no ccw device that could be measured")
OFFLINE: Final = absent("the device is offline and not measured")
GONE: Final = absent("cmf/ is not there: measurement was switched off, or the device went away")
_NOT_UNDERSTOOD: Final = absent("what the kernel answered was not understood")
_NO_START: Final = absent("nothing was started since measurement was switched on")
_NO_UID: Final = absent("the device has no uid: only an online ECKD DASD has one")
_LACKING: Final = (absent("needs the extended format of channel measurement"),) * len(_ONLY_EXTENDED)

_ERROR: Final = FIELDS.index("error")
_TIMES: Final = ELAPSED - SAMPLES - 1


def files(kind: Kind) -> tuple[str, ...]:
    """Return the files in `cmf/` beside `sample_count` that a measurement is made of."""
    return _EXTENDED if kind is CMF else _BASIC


def parse_cmf(contents: Sequence[bytes], uid: Value) -> Row:
    """Rebuild the totals from the files of one `cmf/` directory.

    `contents` are those of `sample_count`, of `files(kind)` in that order, and of `sample_count` again.
    Counts are raw; averages are ns per operation, rounded down, so that of `n` operations
    `ceil(average * n / 128000)` ticks are left: exactly while n is at most 128,000, and beyond
    that at most `error` ns too little.  If operations ended while the files were read,
    `error` grows by what they may have changed.  `avg_sample_interval` is the time since measurement
    was switched on per operation, -1 while there was none.

    Widths: counts wrap at 2**32, in the basic format (no `avg_device_busy_time`) at 2**16;
    times at 2**32 ticks.

    Raises:
        ValueError: a file is missing or is no number.
    """
    try:
        count, ssch, age, *averages, after = map(int, contents)
    except ValueError:
        raise ValueError(f"cmf: numbers expected, found {contents!r}") from None
    if len(averages) not in {_TIMES, _TIMES - len(_LACKING)}:
        raise ValueError(f"cmf: {len(_EXTENDED) + 2} or {len(_BASIC) + 2} files expected, found {contents!r}")
    if ssch < 0 or count < 0 or min(averages) < 0:
        raise ValueError(f"cmf: a count or time is negative: {contents!r}")
    extended = len(averages) == _TIMES
    totals: list[Value] = [-(-average * count // TICK) * TICK for average in averages]
    if not extended:
        totals += _LACKING
    if not count:
        return _without_times(ssch, totals, "sysfs", uid)
    doubt = (count - 1) // TICK * TICK if count > TICK else 0
    if after != count:
        missed = (after - count) % (U32 if extended else U16)
        doubt -= -max(averages) * missed // TICK * TICK
    return (ssch, count, *totals, whole_seconds(age * count), doubt, "sysfs", uid)


def whole_seconds(ns: int) -> int:
    """Return an age in ns down to a whole second: enough to notice a reset, and small in a recording."""
    return ns // SECOND * SECOND


def _without_times(ssch: int, totals: list[Value], via: str, uid: Value) -> Row:
    """Return the row of a device whose times were never taken: zero only if nothing was started."""
    if ssch:
        return (ssch, 0, *(NO_CMF_TIMES,) * (_TIMES + 2), via, uid)
    return (0, 0, *totals, _NO_START, 0, via, uid)


_CMBDATA: Final = struct.Struct(">11Q")


def parse_cmbdata(answer: bytes, uid: Value, kind: Kind) -> Row:
    """Parse the answer to BIODASDREADALLCMB: eleven big-endian doublewords.

    Size (72 whatever the format), ns since measurement was switched on, starts, operations with
    times, then seven totals in ns: connect, pending, disconnect, control unit queueing, device
    active only, device busy, initial command response.  The last two stay 0 in the basic format.

    Raises:
        ValueError: it is not 88 bytes long.
    """
    if len(answer) != _CMBDATA.size:
        raise ValueError(f"BIODASDREADALLCMB: {_CMBDATA.size} bytes expected, found {len(answer)}")
    _size, age, ssch, count, *times = _CMBDATA.unpack(answer)
    totals = times if kind is CMF else [*times[: -len(_LACKING)], *_LACKING]
    if not count:
        return _without_times(ssch, totals, "ioctl", uid)
    return (ssch, count, *totals, whole_seconds(age), 0, "ioctl", uid)


class MeasuredDevice(NamedTuple):
    """A ccw device that can be measured."""

    busid: str
    path: str
    """Its directory, from the root of the tree, all links resolved."""
    uid: Value
    off: Absent | None
    """Reason why it is not being measured; None: it is."""

    @property
    def lcu(self) -> str | None:
        """The key of its logical control unit; None if it has no uid."""
        uid = find_uid(self.uid)
        return uid and uid.lcu

    def without(self, reason: Absent) -> Row:
        """Return a row whose measurements are all absent for this reason."""
        return (*(reason,) * (len(FIELDS) - 1), self.uid)


def find_device(tree: Tree, busid: str) -> MeasuredDevice | None:
    """Return one ccw device; None if it does not exist or cannot be measured.

    Files: `/sys/bus/ccw/devices/<busid>` (a link), in it `cmb_enable` (0 or 1), `online`, `uid`.
    """
    try:
        path = posixpath.normpath(posixpath.join(CCW_DEVICES, tree.link(f"{CCW_DEVICES}/{busid}")))
        enabled = text(tree, f"{path}/cmb_enable").strip()
    except OSError:
        return None
    off = (
        None if enabled == "1" else OFFLINE if read_word(tree, f"{path}/online", CMF_OFF) == "0" else CMF_OFF
    )
    return MeasuredDevice(busid, path, read_word(tree, f"{path}/uid", _NO_UID), off)


def find_devices(tree: Tree) -> list[MeasuredDevice]:
    """Return every ccw device that can be measured, by bus id.

    Raises:
        OSError: /sys/bus/ccw/devices cannot be listed: this is not an IBM Z.
    """
    return [device for busid in tree.entries(CCW_DEVICES) if (device := find_device(tree, busid))]


def format_of(tree: Tree, devices: Iterable[MeasuredDevice]) -> Kind:
    """Return the format of the machine, `CMF` or `CMF_BASIC`; all devices have the same.

    The extended format it is if `cmf/avg_device_busy_time` exists.
    """
    for device in devices:
        if device.off is None:
            try:
                names = tree.entries(f"{device.path}/cmf")
            except OSError:
                continue  # it was switched off just now
            return CMF if set(_EXTENDED) <= set(names) else CMF_BASIC
    return CMF


def collect(read: Callable[[str], bytes], kind: Kind) -> list[bytes]:
    """Read the files that `parse_cmf` wants, again when an operation ended meanwhile."""
    names = files(kind)
    contents: list[bytes] = []
    for _ in range(TRIES):
        contents = [read(COUNT), *map(read, names), read(COUNT)]
        if contents[-1] == contents[0]:
            break
    return contents


def measured(device: MeasuredDevice, contents: Callable[[MeasuredDevice], Sequence[bytes]]) -> Row:
    """Return the row of a device from the contents of its files, or the reason why there are none."""
    if device.off is not None:
        return device.without(device.off)
    try:
        return parse_cmf(contents(device), device.uid)
    except FileNotFoundError:
        return device.without(GONE)
    except OSError as error:
        return device.without(absent(f"cmf cannot be read: {error.strerror}"))
    except ValueError:
        return device.without(_NOT_UNDERSTOOD)


def settled(row: Row, before: Row) -> Row:
    """Return the row with totals that fell only by rounding set to those of before.

    Rebuilt totals are off by up to `error`, the age by up to one ns per operation; without this a
    difference of two would now and then be taken for a wrap or a reset.
    """
    if not (row[_ERROR] or before[_ERROR]) and operator.ge(row[ELAPSED], before[ELAPSED]):
        return row  # exact
    doubt, earlier = row[_ERROR], before[_ERROR]
    count, age, aged = row[SAMPLES], row[ELAPSED], before[ELAPSED]
    if not (isinstance(doubt, int) and isinstance(earlier, int) and isinstance(count, int)):
        return row
    if isinstance(age, int) and isinstance(aged, int) and age < aged:
        if age + count < aged:
            return row  # everything was reset
        age = aged
    limit = doubt + earlier
    totals = list(row[SAMPLES + 1 : ELAPSED])
    for at, was in enumerate(before[SAMPLES + 1 : ELAPSED]):
        now = totals[at]
        if isinstance(now, int) and isinstance(was, int) and now < was <= now + limit:
            totals[at] = was
            doubt = max(doubt, was - now)
    return (*row[: SAMPLES + 1], *totals, age, doubt, *row[_ERROR + 1 :])


def read_exact(tree: Tree, device: MeasuredDevice, disk: str, kind: Kind) -> Row:
    """Read one device's totals through the node of its disk, where nothing is rounded.

    It waits for an operation under way, without limit if the device hangs: see `ioctl.ask`.
    """
    if device.off is not None:
        return device.without(device.off)
    try:
        return parse_cmbdata(dasd_ioctl.ask(tree, disk, dasd_ioctl.BIODASDREADALLCMB), device.uid, kind)
    except OSError as error:
        return device.without(dasd_ioctl.unanswered(dasd_ioctl.BIODASDREADALLCMB, error))
    except ValueError:
        return device.without(_NOT_UNDERSTOOD)


def read_totals(tree: Tree) -> Frame:
    """Read the totals of every base device that is being measured; one frame of `EXACT`.

    Raises:
        OSError: disks or devices cannot be listed.
    """
    disks = read_disks(tree)
    disk_of = dict(zip(disks.labels.get("busid", []), disks.names, strict=False))
    devices = [d for d in find_devices(tree) if d.off is None and d.busid in disk_of]
    if not devices:
        return empty_frame(EXACT, NONE_MEASURED)
    kind = format_of(tree, devices)
    rows, times = [], []
    for device in devices:
        rows.append(read_exact(tree, device, disk_of[device.busid], kind))
        times.append(tree.when(PATH))
    columns = dict(zip(FIELDS, map(list, zip(*rows, strict=True)), strict=True))
    return Frame(EXACT, [device.busid for device in devices], columns, times)


def overlaid(rebuilt: Frame, exact: Frame) -> Frame:
    """Return the rebuilt frame with exact rows where there are any."""
    if rebuilt.missing is not None or exact.missing is not None:
        return rebuilt
    given = [row for row, ssch in enumerate(exact.column(FIELDS[SSCH])) if not isinstance(ssch, Absent)]
    places = [(rebuilt.index[exact.keys[row]], row) for row in given if exact.keys[row] in rebuilt.index]
    columns = {name: list(rebuilt.column(name)) for name in FIELDS}
    times = list(rebuilt.times)
    for place, row in places:
        times[place] = exact.times[row]
        for name, values in columns.items():
            values[place] = exact.columns[name][row]
    return rebuilt.but(columns=columns, times=times)
