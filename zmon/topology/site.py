"""The rules of a site about its storage: numbers of devices, labels of volumes, storage servers.

Nothing is assumed by default: without a rule, zmon derives no LCU from the number of a device.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

from zmon.base.absent import absent
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from zmon.base.absent import Number
    from zmon.values.uid import Uid


NUMBERS: Final = r"(?ai)([0-9A-F]{4,5})(?: *- *([0-9A-F]{4,5}))?"
"""The number of a device, or the first and the last of a range."""


class SiteError(ValueError):
    """A site file cannot be used; the message has file, line and key, the error and what to do."""


class MapRow(NamedTuple):
    """One line of the map; missing columns are empty."""

    volume: str
    """As it is written."""
    lcu: str
    """The name of the LCU: `LCU 6`."""
    server: str = ""
    rank: str = ""
    extent_pool: str = ""
    channel_group: str = ""
    """The name of the LCU's group of channel paths."""
    capacity: float | None = None
    """MB/s of the LCU."""
    place: str = ""
    """`volumes.csv:4`."""


class VolumeMap:
    """The rows of a map, indexed by volume and LCU."""

    def __init__(self, rows: Iterable[MapRow] = ()) -> None:
        """Index the rows.

        Raises:
            SiteError: two rows are about the same volume, or two say different things of an LCU.
        """
        self.rows = tuple(rows)
        self._named: dict[str, MapRow] = {}
        self._ranges: list[tuple[int, int, MapRow]] = []
        self._lcus: dict[str, MapRow] = {}
        for row in self.rows:
            self._take(row)
        self._ranges.sort(key=lambda entry: entry[:2])
        for (_, last, name), (first, _, other) in zip(self._ranges, self._ranges[1:], strict=False):
            if first <= last:
                raise SiteError(
                    f"{other.place}: {other.volume} overlaps {name.volume} of {name.place}; "
                    "a device belongs to one range, a single number may be an exception"
                )

    def __bool__(self) -> bool:
        return bool(self.rows)

    def about(self, uid: Uid | None, rdev: str) -> list[MapRow]:
        """Return the rows about a volume, the most specific first; they may contradict each other."""
        if not self.rows:
            return []
        keys = () if uid is None else (uid.volume, uid.lcu)
        matches = [self._named.get(key) for key in (*keys, f"{int(rdev, 16):04X}" if rdev else "")]
        rows = [row for row in matches if row is not None]
        return [*rows, *self._holding(rdev)] if rdev and matches[-1] is None else rows

    def lcu(self, name: str) -> MapRow | None:
        """Return a row with the server, the channel paths and the capacity of an LCU."""
        return self._lcus.get(name)

    def _take(self, row: MapRow) -> None:
        match = re.fullmatch(NUMBERS, row.volume)
        if match is None or match[2] is None:
            key = row.volume if match is None else f"{int(match[1], 16):04X}"
            earlier = self._named.setdefault(key, row)
            if earlier is not row:
                raise SiteError(
                    f"{row.place}: {row.volume} is in {earlier.place} already; keep one of the lines"
                )
        else:
            self._ranges.append((int(match[1], 16), int(match[2], 16), row))
        row_known = self._lcus.get(row.lcu)
        if row_known is None:
            self._lcus[row.lcu] = row
            return
        for name in ("server", "channel_group", "capacity"):
            value, other = getattr(row_known, name), getattr(row, name)
            if value and other and value != other:
                raise SiteError(
                    f"{row.place}: {name} of {row.lcu} is {other} here and {value} in {row_known.place}; "
                    "an LCU has one"
                )
        self._lcus[row.lcu] = row_known._replace(
            server=row_known.server or row.server,
            channel_group=row_known.channel_group or row.channel_group,
            capacity=row_known.capacity or row.capacity,
        )

    def _holding(self, rdev: str) -> Iterator[MapRow]:
        number = int(rdev, 16)
        at = bisect_right(self._ranges, number, key=lambda entry: entry[0]) - 1
        if at >= 0 and number <= self._ranges[at][1]:
            yield self._ranges[at][2]


NO_MAP: Final = VolumeMap()


@lru_cache(maxsize=1024)
def naming(name: str) -> str:
    """Return the name of an LCU for people: `LCU 6` for a bare number, else as the site calls it."""
    name = " ".join(name.split())
    return f"LCU {name.upper()}" if re.fullmatch(r"[0-9A-Fa-f]{1,4}", name, re.ASCII) else name


class NumberRule(NamedTuple):
    """A rule that derives the LCU from the number of a real device."""

    serial: str
    """The serial of its storage server, as in a unique id; `*` for all."""
    said: str
    """The rule as the site wrote it: `7nXX`, `mask 0F00`, `E000-E0FF`."""
    lcu_of: Callable[[str], str]
    """Maps a number, in capitals, to the name of the LCU; empty when the rule does not apply."""
    place: str
    """Its location: `/etc/zmon/site.toml:7`."""


class LabelRule(NamedTuple):
    """A rule that derives the number of a device from the label of its volume."""

    said: str
    """`AB####`: each `#` is a digit of the number."""
    form: re.Pattern[str]
    place: str

    def number(self, label: str) -> str:
        """Return the number that is in a label; empty when it has not this form."""
        match = self.form.fullmatch(label.upper())
        return "".join(match.groups()) if match else ""


class Channels(NamedTuple):
    """Channel paths that several LCUs share: those of one side of a storage server."""

    name: str
    lcus: tuple[str, ...]
    capacity: Number
    """MB/s of all of them together."""
    place: str


class Site(NamedTuple):
    """The content of all site files."""

    rules: tuple[NumberRule, ...] = ()
    labels: tuple[LabelRule, ...] = ()
    map: VolumeMap = NO_MAP
    vdev_is_rdev: str = ""
    """The location of the rule that a guest's device has the number of the real one; empty without it."""
    capacities: Mapping[str, float] = {}
    """MB/s by the name of an LCU; by `lcu` for all that have none of their own."""
    channels: tuple[Channels, ...] = ()
    pins: tuple[str, ...] = ()
    """Patterns of paths and tablespaces that stay where they are."""
    logs: tuple[str, ...] = ()
    """Patterns of paths that hold logs."""
    pane: bool = True
    """Whether what lies behind a row is shown below a list, where there is room."""
    bars: bool = True
    """Whether lists have bars and curves beside their figures, where there is room."""
    profile: str = ""
    """The kind of storage whose limits rules have, see `zmon.rule.grammar`."""
    origins: tuple[str, ...] = ()
    """The files that were read."""

    def lcu_by_number(self, rdev: str, serial: str = "") -> list[tuple[str, NumberRule]]:
        """Return the names that the rules give to the LCU of a real device.

        Rules for its storage server take precedence over those for all; several answers mean that rules
        contradict each other.
        """
        answers = [(rule.lcu_of(rdev), rule) for rule in self.rules if rule.serial in {"*", serial}]
        said = [(name, rule) for name, rule in answers if name]
        return [(name, rule) for name, rule in said if rule.serial != "*"] or said

    def number_by_label(self, label: str) -> list[tuple[str, LabelRule]]:
        """Return the numbers that the rules derive from a label."""
        answers = [(rule.number(label), rule) for rule in self.labels]
        return [(number, rule) for number, rule in answers if number]

    def capacity(self, names: Iterable[str]) -> Number:
        """Return the MB/s of an LCU by any of its names, the first that is known."""
        for name in names:
            row = self.map.lcu(name)
            capacity = self.capacities.get(name) or (row and row.capacity)
            if capacity:
                return capacity
        return self.capacities.get("lcu") or absent(
            "the site says no capacity of this LCU: [capacity] in site.toml"
        )

    def channels_of(self, names: Iterable[str]) -> Channels | None:
        """Return the channel paths that an LCU, known by any of these names, shares with others."""
        for name in names:
            row = self.map.lcu(name)
            group = row.channel_group if row else ""
            for channels in self.channels:
                if name in channels.lcus or channels.name == group:
                    return channels
        return None

    def pinned(self, names: Iterable[str]) -> bool:
        """Return whether a path or a tablespace is to stay where it is."""
        return bool(self.pins) and any(_matches(name, pin) for name in names for pin in self.pins)

    def is_log(self, path: str) -> bool:
        """Return whether a file is a log by a pattern of the site."""
        return any(_matches(path, pattern) for pattern in self.logs)


def _matches(text: str, pattern: str) -> bool:
    from fnmatch import fnmatchcase  # noqa: PLC0415 - most sites have no patterns

    return fnmatchcase(text, pattern)


NO_SITE: Final = Site()
"""A machine without site files."""
