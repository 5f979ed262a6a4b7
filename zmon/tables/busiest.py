"""Which tablespaces are busiest on each logical control unit (LCU): for whom it works.

An estimate: of what a disk did, each file has the part that its bytes are of the disk's.  Where nothing was
read or written, those that have most bytes there are named.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent, absent
from zmon.placement.items import MEGABYTE, disks_traffic, pieces, tablespace_of
from zmon.tables.topology import machine_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zmon.absent import Number, Value
    from zmon.tables.view import View
    from zmon.topology.machine import Machine

NONE: Final = absent("no file of a known tablespace lies on it")

MOST: Final = 5
"""So many are named."""

WORTH: Final = 0.005
"""Of less than this part of an LCU nobody needs to hear."""

Space = tuple[str, str]
"""Database and tablespace."""


class Stake(NamedTuple):
    """What a tablespace has on one disk."""

    busid: str
    number: str
    space: Space
    part: float
    """Of the disk."""
    bytes: int


@lru_cache(maxsize=2)
def stakes(machine: Machine) -> tuple[Stake, ...]:
    """Return what tablespaces have on the disks of the channel subsystem."""
    found: dict[tuple[str, str, Space], tuple[float, int]] = {}
    for piece in pieces(machine):
        share = piece.share
        if share is None or not isinstance(share.volume.busid, str) or isinstance(share.bytes, Absent):
            continue
        at = share.volume.busid, piece.number, (piece.file.database, tablespace_of(piece.file))
        part, count = found.get(at, (0.0, 0))
        found[at] = part + (0.0 if isinstance(piece.part, Absent) else piece.part), count + int(share.bytes)
    return tuple(Stake(*at, *much) for at, much in found.items())


def busiest(view: View, lcu_of: Mapping[str, str], megabytes: Mapping[str, Number]) -> dict[str, Value]:
    """Return for each LCU the tablespaces on it; `megabytes` are those a second of all its disks."""
    rates = disks_traffic(view.interval)
    loads: dict[str, dict[Space, float]] = {key: {} for key in megabytes}
    sizes: dict[str, dict[Space, float]] = {key: {} for key in megabytes}
    for stake in stakes(machine_of(view)):
        key = lcu_of.get(stake.busid, "")
        if key not in loads:
            continue
        rate = rates.get(stake.number, NONE)
        if not isinstance(rate, Absent):
            loads[key][stake.space] = loads[key].get(stake.space, 0.0) + rate * stake.part
        sizes[key][stake.space] = sizes[key].get(stake.space, 0) + stake.bytes
    return {key: _words(loads[key], sizes[key], megabytes[key]) for key in megabytes}


def _words(loads: Mapping[Space, float], sizes: Mapping[Space, float], megabytes: Number) -> Value:
    if not sizes:
        return NONE
    if not isinstance(megabytes, Absent) and megabytes > 0 and any(loads.values()):
        return ", ".join(_named(loads, megabytes * MEGABYTE, "~"))
    return f"by bytes: {', '.join(_named(sizes, sum(sizes.values()), ''))}"


def _named(much: Mapping[Space, float], whole: float, sign: str) -> Iterable[str]:
    """Yield the tablespaces that have most, each with its part of the whole; a database is named once."""
    before = ""
    for (database, name), value in sorted(much.items(), key=lambda one: (-one[1], one[0]))[:MOST]:
        part = value / whole if whole else 0.0
        if part < WORTH and before:
            return
        yield f"{f'{database}.' if database and database != before else ''}{name} {100 * part:.0f}%{sign}"
        before = database or " "
