"""io.stat of control groups: the bytes and I/Os of each unit on each block device, as rows of UNIT_IO.

A line per block device that a group has touched, with bytes and I/Os as they were submitted, before requests
are merged: `94:0 rbytes=1459200 wbytes=0 rios=192 wios=0 dbytes=0 dios=0`; one without any has nothing behind
its number, and policies append keys of their own.  The counts of a group include those of groups below it.
Buffered writes are counted for the group that owns the inode, the journal of a file system for none.

Only the lines that have changed are parsed, those of all units at once.

Source: the kernel's block/blk-cgroup.c.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from itertools import chain, compress, count
from operator import ne, not_
from typing import TYPE_CHECKING, Final

from zmon.kinds import UNIT_IO
from zmon.sample import Frame, pick

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zmon.base.absent import Value

MAX_LINES: Final = 65_536
"""Devices of one unit at most."""
IO_FIELDS: Final = ("rbytes", "wbytes", "dbytes", "rios", "wios", "dios")
_IO_LINE: Final = re.compile(
    rb"([0-9]{1,5}:[0-9]{1,8}) rbytes=([0-9]{1,20}) wbytes=([0-9]{1,20}) rios=([0-9]{1,20})"
    rb" wios=([0-9]{1,20}) dbytes=([0-9]{1,20}) dios=([0-9]{1,20})"
)
_USUAL: Final = b": rbytes= wbytes= rios= wios= dbytes= dios=\n"
"""A line of io.stat without its digits, where the device counts something and no policy appends keys."""
_DIGITS: Final = b"0123456789"
_LETTERS: Final = b"rbyteswiod="
_TO_JSON: Final = bytes.maketrans(b": \n", b",,,")
"""Makes numbers in a list of all that is no digit, behind the letters."""
_NUMBER: Final = re.compile(rb"[0-9]{1,5}:[0-9]{1,8}")
_NAMELESS: Final = b"(unknown)"
"""What the kernel writes for a device that is gone or hidden, such as a path of an NVMe disk."""
_COUNT: Final = re.compile(rb"[0-9]{1,20}")
_DEVICE: Final = "{}:{}".format
_JSON: Final = json.JSONDecoder()
_PLACES: Final = (2, 3, 6, 4, 5, 7)
"""The places of `IO_FIELDS` among the eight numbers of a line."""
MAX_COUNT: Final = 10**20
"""Counts have fewer than 21 digits."""

DeviceCounts = tuple[int, ...]
"""The counts of one device, in the order of `IO_FIELDS`."""


def parse_io_line(line: bytes) -> tuple[str, DeviceCounts] | None:
    """Parse a line of io.stat; None if it counts nothing, or for a device without a name.

    Raises:
        ValueError: it does not begin with a device, or one of the six counts is no number.
    """
    match = _IO_LINE.match(line)
    if match is not None:
        number, *counts = match.groups()
        rbytes, wbytes, rios, wios, dbytes, dios = map(int, counts)
        return number.decode(), (rbytes, wbytes, dbytes, rios, wios, dios)
    head, *pairs = line.split() or [b""]
    if head == _NAMELESS:
        return None
    if not _NUMBER.fullmatch(head):
        raise ValueError(f"io.stat: expected major:minor and counts, found {line[:80]!r}")
    named = dict(pair.partition(b"=")[::2] for pair in pairs)
    values = [named.get(name.encode()) for name in IO_FIELDS]
    if not any(values):
        return None
    if not all(value is None or _COUNT.fullmatch(value) for value in values):
        raise ValueError(f"io.stat: expected rbytes=NUMBER wbytes=NUMBER ..., found {line[:80]!r}")
    return head.decode(), tuple(int(value or 0) for value in values)


def usual_numbers(content: bytes) -> list[int]:
    """Return all numbers of io.stat, eight for each device; none if a line has another form than usual.

    They may have more digits than a count has.
    """
    lines = content.count(b"\n")
    if content.translate(None, _DIGITS) == _USUAL * lines:
        with suppress(ValueError):  # a number is missing, or begins with zero
            numbers: list[int] = _JSON.decode(
                f"[{content.translate(_TO_JSON, _LETTERS)[:-1].decode('ascii')}]"
            )
            if len(numbers) == 8 * lines:
                return numbers
    return []


def parse_io_stat(content: bytes) -> tuple[list[str], list[Sequence[int]]]:
    """Parse io.stat: the devices that count something, each once, and a column for each of `IO_FIELDS`.

    Raises:
        ValueError: see `parse_io_line`.
    """
    numbers = usual_numbers(content)
    if numbers and max(numbers) < MAX_COUNT:
        devices = list(map(_DEVICE, numbers[::8], numbers[1::8]))
        if len(set(devices)) == len(devices):
            return devices, [numbers[at::8] for at in _PLACES]
    rows: dict[str, DeviceCounts] = {}
    for line in content.splitlines()[:MAX_LINES]:
        parsed = parse_io_line(line)
        if parsed is not None:
            rows.setdefault(*parsed)
    return list(rows), list(zip(*rows.values(), strict=True))


class UnitIoStat:
    """What io.stat of one unit said last, and where its devices stand in the table."""

    def __init__(self, path: str) -> None:
        """Nothing was read yet; `path` is that of the unit."""
        self.path = path
        self.content: bytes | None = None
        """What it said last; None: the unit does not have it."""
        self.lines: list[bytes] = []
        """Its lines in the last frame, ..."""
        self.devices: list[str] = []
        """... the devices that count something, each once, ..."""
        self.places: dict[int, int] | None = None
        """... the place of its device for each line that counts; None: each is in its own place; ..."""
        self.first = 0
        """... and the row of the first one."""
        self.is_placed = False
        """Whether all of that is known."""


class _OtherDevicesError(Exception):
    """A unit counts other devices than in the last frame, so that there are other rows."""


class UnitIoTable:
    """The rows of UNIT_IO: a device of a unit each, which stay where they are while no unit has another."""

    def __init__(self) -> None:
        """There are no units yet."""
        self._columns: dict[str, list[Value]] = {}
        """The columns of the last frame, ..."""
        self._before: Frame | None = None
        """... which is this, ..."""
        self._keys: list[str] = []
        """... and its keys."""
        self._heads: tuple[list[int], list[int]] = [], []
        """Major and minor number of the device of each row."""
        self._changed: list[UnitIoStat] = []
        """What has changed since the last frame."""
        self._are_placed = False
        """Whether there are the same rows as in the last frame, as far as is known."""

    def units_changed(self) -> None:
        """There are other units than in the last frame."""
        self._are_placed = False

    def take(self, stat: UnitIoStat, content: bytes | None) -> None:
        """Take what io.stat of a unit says now."""
        if content != stat.content:
            stat.content = content
            self._changed.append(stat)

    def frame(self, stats: Sequence[UnitIoStat], now: int) -> Frame | None:
        """Return what all units have counted, at `now` in ns; None if none has counted anything.

        Raises:
            ValueError: see `parse_io_line`.
        """
        moved: list[int] = []
        if self._are_placed:
            self._are_placed = False
            with suppress(_OtherDevicesError):
                moved = self._take_counts()
                self._are_placed = True
        if not self._are_placed:
            self._place(stats)
        self._changed = []
        if not self._keys:
            return None
        frame = Frame(UNIT_IO, self._keys, dict(self._columns), [now] * len(self._keys))
        if self._before is not None and self._before.keys is frame.keys:
            frame.note_moved(self._before, moved)
        self._before = frame
        return frame

    def _place(self, stats: Sequence[UnitIoStat]) -> None:
        """Give each device of each unit a row; parse io.stat of the units that have changed.

        Raises:
            ValueError: see `parse_io_line`.
        """
        for stat in self._changed:
            stat.is_placed = False
        columns: list[list[Sequence[Value]]] = [[] for _ in IO_FIELDS]
        firsts, first = [], 0
        for stat in stats:
            firsts.append(first)
            if stat.is_placed:
                end = stat.first + len(stat.devices)
                for name, column in zip(IO_FIELDS, columns, strict=True):
                    column.append(self._columns[name][stat.first : end])
            else:
                content = stat.content or b""
                stat.devices, counts = parse_io_stat(content)
                for column, part in zip(columns, counts, strict=False):
                    column.append(part)
                stat.lines = content.splitlines()[:MAX_LINES]
                stat.places = _places(stat.lines, stat.devices)
            first += len(stat.devices)
        self._keys = [f"{number} {stat.path}" for stat in stats for number in stat.devices]
        self._columns = {
            "unit": [stat.path for stat in stats for _ in stat.devices],
            "device": [number for stat in stats for number in stat.devices],
        }
        for name, parts in zip(IO_FIELDS, columns, strict=True):
            self._columns[name] = list(chain.from_iterable(parts))
        numbers = [str(number).partition(":") for number in self._columns["device"]]
        self._heads = [int(pair[0]) for pair in numbers], [int(pair[2]) for pair in numbers]
        for stat, first in zip(stats, firsts, strict=True):
            stat.first, stat.is_placed = first, True
        self._are_placed = True

    def _take_counts(self) -> list[int]:
        """Put what units have counted since the last frame into columns; return the rows that have changed.

        A column in which nothing changed is the same list as in the frame before.

        Raises:
            ValueError: see `parse_io_line`.
            _OtherDevicesError: there are other rows; no column was changed.
        """
        rows, counts = self._changed_counts()
        _check_digits(counts)
        for name, now in zip(IO_FIELDS, counts, strict=True):
            before = self._columns[name]
            if len(rows) == len(before):
                self._columns[name] = before if now == before else [*now]
            elif now != pick(before, rows):
                self._columns[name] = column = before.copy()
                for row, value in zip(rows, now, strict=True):
                    column[row] = value
        return rows

    def _changed_counts(self) -> tuple[list[int], list[list[int]]]:
        """Return the rows whose lines have changed, and for each of `IO_FIELDS` what these count now."""
        rows: list[int] = []
        texts: list[bytes] = []
        for stat in self._changed:
            content = stat.content or b""
            lines = content.splitlines()[:MAX_LINES]
            if len(lines) != len(stat.lines):
                raise _OtherDevicesError
            differ = list(map(ne, lines, stat.lines))
            stat.lines = lines
            if stat.places is None:
                if all(differ) and len(lines) < MAX_LINES:
                    rows += range(stat.first, stat.first + len(lines))
                    texts.append(content.removesuffix(b"\n"))
                else:
                    rows += compress(count(stat.first), differ)
                    texts += compress(lines, differ)
                continue
            for at in compress(count(), differ):
                if at in stat.places:
                    rows.append(stat.first + stat.places[at])
                    texts.append(lines[at])
                else:
                    parsed = parse_io_line(lines[at])
                    if parsed is not None and parsed[0] not in stat.devices:
                        raise _OtherDevicesError
        return self._counts(rows, b"\n".join([*texts, b""]))

    def _counts(self, rows: list[int], content: bytes) -> tuple[list[int], list[list[int]]]:
        """Parse lines of rows; return those that count something else than before, and what they count."""
        numbers = usual_numbers(content)
        if numbers:
            heads = self._heads
            if len(rows) < len(self._keys):
                heads = pick(heads[0], rows), pick(heads[1], rows)
            if (numbers[::8], numbers[1::8]) != heads:
                raise _OtherDevicesError
            return rows, [numbers[at::8] for at in _PLACES]
        texts = content.splitlines()
        usual = [text.translate(None, _DIGITS) == _USUAL[:-1] for text in texts]
        counted: dict[int, Sequence[int]] = {}
        if any(usual) and not all(usual):
            some, counts = self._counts(
                list(compress(rows, usual)), b"\n".join([*compress(texts, usual), b""])
            )
            counted.update(zip(some, zip(*counts, strict=True), strict=True))
            others = list(compress(zip(rows, texts, strict=True), map(not_, usual)))
        else:
            others = list(zip(rows, texts, strict=True))
        for row, text in others:
            parsed = parse_io_line(text)
            if parsed is None or parsed[0] != self._columns["device"][row]:
                raise _OtherDevicesError
            if any(self._columns[name][row] != now for name, now in zip(IO_FIELDS, parsed[1], strict=True)):
                counted[row] = parsed[1]
        moved = sorted(counted)
        return moved, [[counted[row][at] for row in moved] for at in range(len(IO_FIELDS))]


def _check_digits(counts: Iterable[Sequence[int]]) -> None:
    """Refuse numbers that no count can be, with ValueError."""
    # none is below zero, and a sum takes a third of the time of a maximum
    if any(sum(column) >= MAX_COUNT and max(column) >= MAX_COUNT for column in counts):
        raise ValueError("io.stat: a count has more than 20 digits")


def _places(lines: list[bytes], devices: list[str]) -> dict[int, int] | None:
    """Return for each line that counts the place of its device; None if each is in its own place."""
    if len(lines) == len(devices):
        return None
    places = {device: place for place, device in enumerate(devices)}
    placed: dict[int, int] = {}
    for at, line in enumerate(lines):
        parsed = parse_io_line(line)
        if parsed is not None and parsed[0] in places:
            placed[at] = places.pop(parsed[0])  # of several lines the first
    return placed
