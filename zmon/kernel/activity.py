"""Sampling thousands of devices: only those are read that can have done I/O.

/proc/diskstats is one read for all disks.  A disk whose line is the same as in the sample before, with
nothing in flight, did nothing; so the ten files in `cmf/` of its device need not be opened.  I/O on PAV
aliases is counted in the lines of the volumes, so the aliases of an LCU rest when all its volumes do.

The driver's own I/O is in no line.  Therefore every device is read once a minute, and one that counts while
its disks rest is read in each sample until it rests, too.
"""

from __future__ import annotations

import os
from itertools import compress, count
from operator import ne
from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent
from zmon.base.clock import MINUTE
from zmon.kernel import cmf, diskstats, sys_block
from zmon.kernel.tree import LiveTree, when_read, why_hidden
from zmon.kinds import BLOCK, NO_DISK
from zmon.sample import Frame, empty_frame, pick

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.kernel.cmf import MeasuredDevice
    from zmon.kernel.sys_block import Disks
    from zmon.kernel.tree import Tree
    from zmon.sample import Kind

    Row = tuple[Value, ...]

ROUND: Final = MINUTE
"""ns within which every device is read."""

GRAIN: Final = 10_000
"""Resolution of the times of live readings in ns; a finer one would enlarge recordings."""

_NOT_YET: Final = absent("not read yet")

_DIRECTORY: Final = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
_COUNT: Final = cmf.COUNT.encode()
_MAX_BYTES: Final = 32
"""Maximum size of a counter in sysfs."""


class ChangingRows:
    """The rows of one kind, of which some change from sample to sample, and the columns made of them.

    A column in which nothing changed is the same list as in the frame before, so it need not be compared.
    """

    def __init__(self, names: Sequence[str], rows: Iterable[Row]) -> None:
        """Begin with rows that have these fields."""
        self.rows = list(rows)
        self._names = names
        self._changed = dict.fromkeys(range(len(self.rows)), ())
        self._columns: dict[str, list[Value]] = {}
        self._frame: Frame | None = None
        """The last frame."""

    def replace(self, rows: Mapping[int, Row]) -> None:
        """Put rows in the places of those that were; an equal one stays as it was."""
        for at, row in rows.items():
            if row != self.rows[at]:
                self.rows[at] = row
                self._changed[at] = ()

    def frame(
        self, kind: Kind, keys: list[str], times: list[int], labels: Mapping[str, list[Value]]
    ) -> Frame:
        """Return the rows, with columns of labels before theirs, as a frame that knows which have changed."""
        changed = sorted(self._changed)
        self._changed.clear()
        before, columns = self._frame, {**labels, **self._made(changed)}
        frame = self._frame = Frame(kind, keys, columns, times, rows=tuple(self.rows), row_fields=self._names)
        if before is not None and before.kind is kind and before.keys == keys:
            frame.note_moved(before, changed)
        return frame

    def _made(self, changed: list[int]) -> Mapping[str, list[Value]]:
        """Return the columns, in which some rows have changed; they must not be modified."""
        before, columns = self._columns, {}
        is_whole = 4 * len(changed) > len(self.rows) or not before
        parts = zip(*(self.rows if is_whole else pick(self.rows, changed)), strict=True)
        for name, part in zip(self._names, parts, strict=False):
            column = before.get(name)
            if is_whole:
                values = list(part)
                columns[name] = values if column is None or values != column else column
            elif column is not None and tuple(pick(column, changed)) != part:
                columns[name] = values = column.copy()
                for at, value in zip(changed, part, strict=True):
                    values[at] = value
        self._columns = before | columns
        return self._columns


class DiskCounts(ChangingRows):
    """The counts of whole disks from the last /proc/diskstats."""

    def __init__(self, disks: Disks) -> None:
        """Begin without lines: every disk counts as changed at first."""
        super().__init__(diskstats.FIELDS, [diskstats.NO_LINE] * len(disks.names))
        self._disks = disks
        self._silent = {disks.rows[name] for name in disks.silent}
        self._in_flight: set[int] = set()
        self._lines: list[bytes] = []
        self._heads: list[tuple[bytes, int | None]] = []
        """For each line its begin, and the row of its disk; None: a partition."""
        self._joined: dict[int, list[int]] = {}
        """For the row of each NVMe disk that the kernel joins paths to, the rows of these paths."""
        for name, head in sys_block.nvme_heads(disks.names).items():
            if name != head:
                self._joined.setdefault(disks.rows[head], []).append(disks.rows[name])
        self._counting: set[int] = set()
        """Those of them that the kernel counts I/O at."""

    def take(self, data: bytes) -> set[int]:
        """Take a new reading; return the rows of the disks that may have done I/O.

        Raises:
            LookupError: the lines are of other devices than before.
            ValueError: a line is not understood.
        """
        lines = data.splitlines()
        if not self._heads:
            heads = map(diskstats.head_of, lines)
            self._heads = [(head, self._disks.rows.get(name)) for head, name in heads]
            self._lines = [b""] * len(lines)
        if len(lines) != len(self._lines):
            raise LookupError("/proc/diskstats: a device came or went")
        moved: dict[int, Row] = {}
        for place in compress(count(), map(ne, lines, self._lines)):
            head, row = self._heads[place]
            if not lines[place].startswith(head):
                raise LookupError(f"/proc/diskstats: another device in the place of {head!r}")
            if row is not None:
                moved[row] = diskstats.parse_line(lines[place])
        self._lines = lines
        moved |= self._not_counted(moved)
        self.replace(moved)
        busy = {row for row, counts in moved.items() if counts[diskstats.IN_FLIGHT] > 0}  # type: ignore[operator]  # a number
        self._in_flight = self._in_flight.difference(moved) | busy
        return self._silent.union(moved, self._in_flight)

    def _not_counted(self, moved: Mapping[int, Row]) -> dict[int, Row]:
        """Return the counts of NVMe disks whose paths alone the kernel counts: the sums of these.

        Newer kernels count at the disk, too: there the paths are not added again.
        """
        sums: dict[int, Row] = {}
        for head, paths in self._joined.items():
            if any(moved.get(head, diskstats.NO_LINE[:0])[: diskstats.IN_FLIGHT]):
                self._counting.add(head)
            if head not in self._counting and not moved.keys().isdisjoint(paths):
                sums[head] = diskstats.added([moved.get(row, self.rows[row]) for row in paths])
        return sums


def collect_nearby(directory: str, names: Iterable[bytes]) -> list[bytes]:
    """Read what `cmf.collect` reads, with few and short system calls.

    Each name is looked up in the opened directory instead of along the whole path, the file that must not
    change meanwhile is read twice but opened once, and all are closed together.

    Raises:
        OSError: one of the files cannot be read.
    """
    opened, read, pread = os.open, os.read, os.pread  # looked up once: there are thousands of devices
    here = opened(directory, _DIRECTORY)
    files = [here]
    try:
        counting = opened(_COUNT, _FILE, dir_fd=here)
        files.append(counting)
        for _ in range(cmf.TRIES):
            contents = [pread(counting, _MAX_BYTES, 0)]
            for name in names:
                file = opened(name, _FILE, dir_fd=here)
                files.append(file)
                contents.append(read(file, _MAX_BYTES))
            contents.append(pread(counting, _MAX_BYTES, 0))
            if contents[-1] == contents[0]:
                break
    finally:
        _close(files)
    return contents


def _close(files: list[int]) -> None:
    """Close files, with one system call if no other thread can have a file between them."""
    first, last = min(files), max(files)
    if last - first == len(files) - 1:
        os.closerange(first, last + 1)
    else:
        for file in files:
            os.close(file)


class DiskReader:
    """Reads disks and devices again and again at low cost."""

    kind: Kind
    """`CMF` or `CMF_BASIC`, the format of this machine."""

    def __init__(self, tree: Tree, _choice: object = None) -> None:
        """Find the disks and devices of the tree."""
        self._tree = tree
        self._root = tree.root if isinstance(tree, LiveTree) else ""
        self._contents = self._nearby if self._root else self._far
        self._devices: list[MeasuredDevice] = []
        self._measured = ChangingRows(cmf.FIELDS, ())
        self.refresh()

    def refresh(self) -> None:
        """Find disks and devices again; to be called after hot-plug events.

        A disk that comes or goes is noticed without it, a new alias is not.
        """
        former = {device.busid: row for device, row in zip(self._devices, self._measured.rows, strict=True)}
        try:
            self._disks = sys_block.read_disks(self._tree)
            self._unlisted = NO_DISK.reason
        except OSError as error:
            self._disks = sys_block.Disks([], {})
            why = why_hidden(self._tree, sys_block.DIRECTORY) or error.strerror
            self._unlisted = f"/{sys_block.DIRECTORY} cannot be listed: {why}"
        try:
            self._devices = cmf.find_devices(self._tree)
        except OSError:
            self._devices = []
        self._learn_format(self._devices)
        self._counts = DiskCounts(self._disks)
        rows = [former.get(device.busid) or device.without(_NOT_YET) for device in self._devices]
        self._measured = ChangingRows(cmf.FIELDS, rows)
        self._restless: set[int] = set()
        self._turned: int | None = None
        self._paths_due = 0
        self._next = 0
        self._find_witnesses()

    def _learn_format(self, devices: Iterable[MeasuredDevice]) -> None:
        self.kind = cmf.format_of(self._tree, devices)
        self._names = [name.encode() for name in cmf.files(self.kind)]

    def _find_witnesses(self) -> None:
        """Determine which disks show the activity of which devices."""
        row_of = {device.busid: row for row, device in enumerate(self._devices)}
        busids = self._disks.labels.get("busid", [])
        self._device_of = [row_of.get(busid) if isinstance(busid, str) else None for busid in busids]
        bases = {row for row in self._device_of if row is not None}
        self._lcu_of = {row: lcu for row in bases if (lcu := self._devices[row].lcu)}
        self._aliases: dict[str, list[int]] = {lcu: [] for lcu in self._lcu_of.values()}
        self._unwitnessed: list[int] = []
        for row, device in enumerate(self._devices):
            if row not in bases:
                self._aliases.get(device.lcu or "", self._unwitnessed).append(row)

    def read(self) -> tuple[Frame, Frame]:
        """Read what may have changed; return a frame of `BLOCK` and one of `CMF` or `CMF_BASIC`.

        A device that rested keeps its values, with the time of this reading.
        """
        now = self._tree.when(diskstats.PATH)
        if (
            now >= self._paths_due
        ):  # multipath joins a disk some time after it came, and reports no disk for it
            if self._paths_due and sys_block.maps_of(self._disks) != sys_block.read_maps(
                self._tree, self._disks.names
            ):
                self.refresh()
            self._paths_due = now + ROUND
        blocks, witnessed = self._read_disks(now)
        return blocks, self._measure(witnessed, self._turn(now), now)

    def _read_disks(self, now: int) -> tuple[Frame, set[int]]:
        """Read /proc/diskstats; return its frame, and the devices of the disks that may have done I/O."""
        everything = set(range(len(self._devices)))
        try:
            data = self._tree.read(diskstats.PATH)
            try:
                moved = self._counts.take(data)
            except LookupError:
                self.refresh()
                moved = self._counts.take(data)
        except OSError as error:
            why = why_hidden(self._tree, diskstats.PATH) or error.strerror
            return empty_frame(BLOCK, f"/proc/diskstats cannot be read: {why}"), everything
        except ValueError as error:
            return empty_frame(BLOCK, str(error)), everything
        disks, counts = self._disks, self._counts
        if not disks.names:
            return empty_frame(BLOCK, self._unlisted), self._witnessed(moved)
        times = [now] * len(disks.names)
        return counts.frame(BLOCK, disks.names, times, disks.labels), self._witnessed(moved)

    def _witnessed(self, moved: Iterable[int]) -> set[int]:
        bases = {row for disk in moved if (row := self._device_of[disk]) is not None}
        lcus = {self._lcu_of[row] for row in bases if row in self._lcu_of}
        return bases.union(self._unwitnessed, *(self._aliases[lcu] for lcu in lcus))

    def _turn(self, now: int) -> set[int]:
        """Return the devices that are due within `ROUND`; at first all."""
        every = len(self._devices)
        passed = ROUND if self._turned is None else now - self._turned
        self._turned = now
        first, many = self._next, min(every, -(-every * passed // ROUND))
        self._next = (first + many) % max(every, 1)
        return {row % every for row in range(first, first + many)}

    def _measure(self, witnessed: set[int], turn: set[int], now: int) -> Frame:
        """Read some devices; the others keep their rows."""
        devices, held, when, live = self._devices, self._measured.rows, self._tree.when, self._tree.live
        if not devices:
            return empty_frame(self.kind, cmf.NONE_MEASURED)
        times = [now] * len(devices)
        restless = set()
        rows: dict[int, Row] = {}
        for row in sorted(witnessed | turn | self._restless):
            if devices[row].off is not None:
                if row not in turn:
                    continue
                self._find_again(row)
            if live:
                time = when(diskstats.PATH) // GRAIN * GRAIN
            else:  # captured files have their own times
                here = devices[row].path
                time = when_read(self._tree, f"{here}/cmf/ssch_rsch_count", f"{here}/cmb_enable")
            before = held[row]
            counts = cmf.measured(devices[row], self._contents)
            if counts[cmf.SSCH] is cmf.GONE:
                self._find_again(row)
                counts = cmf.measured(devices[row], self._contents)
            if row not in witnessed and counts[cmf.SSCH] != before[cmf.SSCH]:
                restless.add(row)
            rows[row] = cmf.settled(counts, before)
            if (
                counts[cmf.SSCH] != before[cmf.SSCH]
                or counts[: cmf.ELAPSED] != before[: cmf.ELAPSED]
                or not live
            ):
                times[row] = time  # else it rested until now
        self._restless = restless
        self._measured.replace(rows)
        return self._measured.frame(self.kind, [device.busid for device in devices], times, {})

    def _find_again(self, row: int) -> None:
        """Find out whether a device is being measured now."""
        device = cmf.find_device(self._tree, self._devices[row].busid)
        if device is None:
            return
        if device.off is None:
            self._learn_format([device])
        self._devices[row] = device

    def _nearby(self, device: MeasuredDevice) -> list[bytes]:
        return collect_nearby(f"{self._root}{device.path}/cmf", self._names)

    def _far(self, device: MeasuredDevice) -> list[bytes]:
        return cmf.collect(lambda name: self._tree.read(f"{device.path}/cmf/{name}"), self.kind)
