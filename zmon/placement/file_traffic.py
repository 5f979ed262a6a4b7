"""Whose traffic that of each disk is in a view's interval: see `zmon.placement.traffic`."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.record import NamedTuple
from zmon.machine.join import by_key
from zmon.machine.topology import has_files, machine_of
from zmon.machine.unit_loads import unit_loads
from zmon.placement.pieces import pieces, tablespace_of
from zmon.placement.traffic import BASES, IDLE, attribution, intervals_for, space_of, volumes_traffic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Number
    from zmon.interval import Interval
    from zmon.machine.view import History, View
    from zmon.placement.traffic import Attribution, Space
    from zmon.topology.leaf_disks import IoCounts
    from zmon.topology.machine import Machine


def attribution_of(view: View) -> Attribution:
    """Return whose traffic that of each disk is: fitted to the interval and to those before it."""
    return _attribution(machine_of(view), view.interval, view.history)


@lru_cache(maxsize=4)  # several tables of one interval ask, and two times may be compared
def _attribution(machine: Machine, interval: Interval, history: History) -> Attribution:
    def traffic(interval: Interval) -> Mapping[str, Number]:
        return volumes_traffic(machine, interval)

    rows = history.rows_before(interval, ("traffic", id(machine)), traffic, intervals_for(machine))
    before = (row.cells for row in rows)
    return attribution(machine, traffic(interval), before)  # type: ignore[arg-type]  # of numbers


class SpaceLoad(NamedTuple):
    """What a tablespace has on an LCU."""

    load: float
    """Its traffic there in bytes a second, as far as it is known."""
    bytes: int
    basis: str
    """What that traffic rests on: one of `zmon.placement.traffic.BASES`."""


def tablespaces_behind(view: View, lcu_of: Mapping[str, str]) -> dict[str, dict[Space, SpaceLoad]]:
    """Return the tablespaces on each LCU, by database and name; `lcu_of` has the LCU of each device."""
    traffic = attribution_of(view)
    tablespaces: dict[str, dict[Space, SpaceLoad]] = {}
    for piece in pieces(machine_of(view)):
        share = piece.share
        key = "" if share is None else lcu_of.get(share.volume.device, "")
        if share is None or not key or isinstance(share.bytes, Absent):
            continue
        load = traffic.of(piece.file.path, piece.number)
        space = piece.file.database, tablespace_of(piece.file)
        spaces = tablespaces.setdefault(key, {})
        before = spaces.get(space, NO_LOAD)
        basis = max(before.basis, traffic.spaces.get(space_of(piece), IDLE), key=BASES.index)
        load_seen = 0.0 if isinstance(load, Absent) else load
        spaces[space] = SpaceLoad(before.load + load_seen, before.bytes + int(share.bytes), basis)
    return tablespaces


NO_LOAD: Final = SpaceLoad(0.0, 0, IDLE)


def disk_spaces(view: View) -> dict[str, dict[Space, float]]:
    """Return the traffic of the tablespaces on each disk in bytes a second, an estimate.

    What lies on paths of a multipath device lies on that device, as what units do there is counted at it.
    """
    if view.inputs is None or not has_files(view):
        return {}
    traffic, leaves = attribution_of(view), unit_loads(view.interval).leaves
    spaces_of: dict[str, dict[Space, float]] = {}
    for piece in pieces(machine_of(view)):
        load = traffic.of(piece.file.path, piece.number)
        if not isinstance(load, Absent) and load > 0:
            disk = next(iter(leaves.leaves(piece.number)), piece.number)
            spaces = spaces_of.setdefault(disk, {})
            spaces[space_of(piece)] = spaces.get(space_of(piece), 0.0) + load
    return spaces_of


def spaces_of(spaces: Mapping[str, Mapping[Space, float]], on: Mapping[str, IoCounts]) -> dict[str, float]:
    """Return the tablespaces that are on some disks, with their parts of what is done there."""
    here = ((counts.bytes, spaces.get(number, {})) for number, counts in on.items())
    return by_key(
        (f"{database}.{name}" if database else name, much * load / sum(loads.values()))
        for much, loads in here
        for (database, name), load in loads.items()
    )
