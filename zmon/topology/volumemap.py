"""The volume map of a site: a CSV file that says of devices on which LCU they are.

    volume, lcu, server, rank, extent_pool, channel_group, capacity_mb_s
    7600-767F, 6, server 0, R6, P0, side 0, 40
    7612, 5
    IBM.75000000092461.1500.18, LSS 08

A volume is the number of a real device, a range of them, a unique id, or the first three parts of one, which
stand for all of an LCU.  Columns from the third on may be missing.  Without a heading they stand in this
order; with one, in any.  Lines that begin with `#` say nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zmon.topology.uid import Uid

COLUMNS: Final = ("volume", "lcu", "server", "rank", "extent_pool", "channel_group", "capacity_mb_s")
NUMBERS: Final = re.compile(r"([0-9A-F]{4,5})(?: *- *([0-9A-F]{4,5}))?", re.ASCII | re.IGNORECASE)
"""The number of a device, or the first and the last of a range."""
_UID: Final = re.compile(r"[^\s.]{1,3}\.[^\s.]{1,14}\.[0-9a-f]{4}(?:\.(?:[0-9a-f]{2}))?", re.ASCII)


class SiteError(ValueError):
    """What a site has written cannot be used: which file, line and key, what is wrong, what to do."""


class Row(NamedTuple):
    """One line of the map; what it does not say is empty."""

    volume: str
    """As it is written."""
    lcu: str
    """The name of the LCU: `LCU 6`."""
    server: str = ""
    rank: str = ""
    extent_pool: str = ""
    channel_group: str = ""
    """What the LCU's channel paths are called together."""
    capacity: float | None = None
    """MB/s of the LCU."""
    place: str = ""
    """`volumes.csv:4`."""


class VolumeMap:
    """The rows of a map, found by what they are about."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        """Index the rows.

        Raises:
            SiteError: two rows are about the same volume, or two say different things of an LCU.
        """
        self.rows = tuple(rows)
        self._named: dict[str, Row] = {}
        self._ranges: list[tuple[int, int, Row]] = []
        self._lcus: dict[str, Row] = {}
        for row in self.rows:
            self._take(row)
        self._ranges.sort(key=lambda entry: entry[:2])
        for (_, last, one), (first, _, other) in zip(self._ranges, self._ranges[1:], strict=False):
            if first <= last:
                raise SiteError(
                    f"{other.place}: {other.volume} overlaps {one.volume} of {one.place}; "
                    "a device belongs to one range, a single number may be an exception"
                )

    def __bool__(self) -> bool:
        return bool(self.rows)

    def about(self, uid: Uid | None, rdev: str) -> list[Row]:
        """Return the rows about a volume, the most particular first: they may contradict each other."""
        if not self.rows:
            return []
        keys = () if uid is None else (uid.volume, uid.lcu)
        found = [self._named.get(key) for key in (*keys, f"{int(rdev, 16):04X}" if rdev else "")]
        rows = [row for row in found if row is not None]
        return [*rows, *self._holding(rdev)] if rdev and found[-1] is None else rows

    def lcu(self, name: str) -> Row | None:
        """Return a row that says on what server and channel paths an LCU is, and what it can do."""
        return self._lcus.get(name)

    def _take(self, row: Row) -> None:
        found = NUMBERS.fullmatch(row.volume)
        if found is None or found[2] is None:
            key = row.volume if found is None else f"{int(found[1], 16):04X}"
            earlier = self._named.setdefault(key, row)
            if earlier is not row:
                raise SiteError(
                    f"{row.place}: {row.volume} is in {earlier.place} already; keep one of the lines"
                )
        else:
            self._ranges.append((int(found[1], 16), int(found[2], 16), row))
        known = self._lcus.get(row.lcu)
        if known is None:
            self._lcus[row.lcu] = row
            return
        for name in ("server", "channel_group", "capacity"):
            one, other = getattr(known, name), getattr(row, name)
            if one and other and one != other:
                raise SiteError(
                    f"{row.place}: {name} of {row.lcu} is {other} here and {one} in {known.place}; "
                    "an LCU has one"
                )
        self._lcus[row.lcu] = known._replace(
            server=known.server or row.server,
            channel_group=known.channel_group or row.channel_group,
            capacity=known.capacity or row.capacity,
        )

    def _holding(self, rdev: str) -> Iterator[Row]:
        number = int(rdev, 16)
        at = bisect_right(self._ranges, number, key=lambda entry: entry[0]) - 1
        if at >= 0 and number <= self._ranges[at][1]:
            yield self._ranges[at][2]


NO_MAP: Final = VolumeMap()


@lru_cache(maxsize=1024)
def naming(name: str) -> str:
    """Return the name of an LCU for people: `LCU 6` for a bare number, else as the site calls it."""
    name = " ".join(name.split())
    return f"LCU {name.upper()}" if re.fullmatch(r"[0-9A-Fa-f]{1,2}", name, re.ASCII) else name


def parse_map(text: str, origin: str) -> VolumeMap:
    """Read a volume map.

    Raises:
        SiteError: a line cannot be used, or contradicts another.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    columns: tuple[str, ...] = COLUMNS
    rows: list[Row] = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        place = f"{origin}:{number}"
        cells = _cells(line, place)
        if columns is COLUMNS and not rows and [cell.lower() for cell in cells[1:2]] == ["lcu"]:
            columns = tuple(_heading(cells, place))
            continue
        if len(cells) > len(columns):
            raise SiteError(f"{place}: {len(cells)} columns, {len(columns)} are known: {', '.join(columns)}")
        rows.append(_row(dict(zip(columns, cells, strict=False)), place))
    return VolumeMap(rows)


def _cells(line: str, place: str) -> list[str]:
    import csv  # noqa: PLC0415 - most sites have no map

    try:
        cells = next(csv.reader([line], strict=True, skipinitialspace=True))
    except csv.Error as error:
        raise SiteError(f"{place}: {error}; it is a line of CSV") from error
    if not all(cell.isprintable() for cell in cells):
        raise SiteError(f"{place}: holds a control character: {line!r:.80}")
    return [cell.strip() for cell in cells]


def _heading(cells: list[str], place: str) -> Iterator[str]:
    for cell in cells:
        name = cell.lower().replace(" ", "_").replace("-", "_")
        if cell is cells[0]:
            yield COLUMNS[0]
        elif name in COLUMNS:
            yield name
        else:
            raise SiteError(f"{place}: column {cell!r} is not known; known are {', '.join(COLUMNS)}")


def _row(cells: dict[str, str], place: str) -> Row:
    volume, lcu = cells["volume"], cells.get("lcu", "")
    found = NUMBERS.fullmatch(volume)
    if found is None and _UID.fullmatch(volume) is None:
        raise SiteError(
            f"{place}: {volume!r} is no device number (7600), no range (7600-76FF) "
            "and no unique id (IBM.75000000092461.1500.18)"
        )
    if found is not None and found[2] is not None and int(found[1], 16) > int(found[2], 16):
        raise SiteError(f"{place}: {volume} ends before it begins")
    if not lcu:
        raise SiteError(f"{place}: says no LCU of {volume}; write it into the second column")
    return Row(
        volume,
        naming(lcu),
        cells.get("server", ""),
        cells.get("rank", ""),
        cells.get("extent_pool", ""),
        cells.get("channel_group", ""),
        _capacity(cells.get("capacity_mb_s", ""), place),
        place,
    )


def _capacity(cell: str, place: str) -> float | None:
    if not cell:
        return None
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", cell, re.ASCII) and float(cell) > 0:
        return float(cell)
    raise SiteError(f"{place}: capacity_mb_s is MB/s, a number above zero, not {cell!r}")
