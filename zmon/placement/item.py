"""What placement reckons with: files that can be moved as a whole, and the units that they lie on.

A unit is a logical control unit, or a disk where the spread over disks is asked for.  Items and units are
made of a sample by `zmon.placement.resolved`; nothing here knows where they come from.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import absent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.absent import Absent, Number

NOTHING: Final[Mapping[str, int]] = MappingProxyType({})
NO_TRAFFIC: Final = absent("no traffic was measured")
NOT_GIVEN: Final = absent("not given: the site file may say it")

LOGS: Final = frozenset({"log", "archive"})
"""The roles that are kept apart from data."""


class Item(NamedTuple):
    """One container of a tablespace, and where its bytes lie."""

    name: str
    """Its path."""
    tablespace: str
    database: str = ""
    role: str = "data"
    """`data`, `index`, `temp`, `undo`, `log`, `archive` or `unknown`."""
    bytes_on: Mapping[str, int] = NOTHING
    """Bytes on each unit, by its key; what has no known unit is not in it."""
    load_on: Mapping[str, float] | Absent = NO_TRAFFIC
    """Traffic on each unit in bytes a second, if it was measured or estimated."""
    volumes: Mapping[str, int] = NOTHING
    """Bytes on each volume, by the key of the real volume, which several minidisks may share."""
    pinned: str = ""
    """Why it has to stay where it is; empty when it may be moved."""
    mirror: str = ""
    """The name of the set of copies it is one of, such as a group of redo logs; empty when of none."""
    unplaced: int = 0
    """Bytes whose unit is not known."""
    logical_volume: str = ""
    """The logical volume that it is on, `vg/lv`; empty when on none or on several."""

    @property
    def space(self) -> tuple[str, str]:
        """The database and the tablespace: names of tablespaces repeat in other databases."""
        return self.database, self.tablespace

    @property
    def is_log(self) -> bool:
        """Whether it is a log, which is written before anything else goes on."""
        return self.role in LOGS

    @property
    def size(self) -> int:
        """Its bytes on known units."""
        return sum(self.bytes_on.values())


class Unit(NamedTuple):
    """A logical control unit (or a disk) that data may lie on."""

    key: str
    name: str = ""
    """As people call it: `LCU 6`, `LCU 7600`."""
    side: str = ""
    """The half of the storage server that it belongs to, as far as known: `even`, `odd`, a name."""
    capacity: Number = NOT_GIVEN
    """Bytes a second it can do."""
    free: Number = NOT_GIVEN
    """Bytes that can still be put there."""
    open: bool = True
    """Whether data may be moved there."""
    is_for_data: bool = True
    """Whether it has a disk that holds such data or is unused: the others serve something else."""
    channels: str = ""
    """The name of the channel paths that it shares with others; empty when nobody said it."""
    others: frozenset[str] = frozenset()
    """Other names that people may use for it, in small letters: `ssid 7600`, `lss 08`."""

    @property
    def title(self) -> str:
        """The name, or else the key."""
        return self.name or self.key


def weights(units: Sequence[Unit]) -> list[float]:
    """Return what each unit can bear, as multiples of their mean; all 1 unless every capacity is given."""
    given = [unit.capacity for unit in units if isinstance(unit.capacity, int | float) and unit.capacity > 0]
    if len(given) < len(units) or not given:
        return [1.0] * len(units)
    mean = sum(given) / len(given)
    return [capacity / mean for capacity in given]
