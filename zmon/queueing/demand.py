"""What reading and writing a byte costs each resource: for whoever looks for a better placement.

All is linear: the use of a resource after a change is the sum over LCUs of load, in bytes per second, times
its seconds per byte, divided by its servers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.queueing.fit import service_bytes
from zmon.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.queueing.fit import FittedModel


class ResourceDemand(NamedTuple):
    """A resource that the load of some LCUs uses: an LCU, or channel paths that lead to several."""

    key: str
    """Key of the LCU, or the CHPIDs in words."""
    title: str
    servers: float
    seconds: Mapping[str, float]
    """Busy seconds of it per byte that is read or written on an LCU, by its key."""

    def use(self, load: Mapping[str, float]) -> float:
        """Return its utilisation under a load in bytes per second, by the keys of LCUs."""
        return sum(load.get(key, 0.0) * seconds for key, seconds in self.seconds.items()) / self.servers


def resource_demands(model: FittedModel) -> tuple[ResourceDemand, ...]:
    """Return the demands of a mean request on LCUs and channel paths, as far as they are known."""
    rate = sum(flow.rate for flow in model.flows)
    size = sum(flow.rate * flow.size for flow in model.flows) / rate if rate else 0.0
    conn = sum(flow.rate * flow.conn for flow in model.flows) / rate if rate else 0.0
    if size <= 0:
        return ()
    found = [
        ResourceDemand(key, lcu.title, 1.0, {key: model.service[key] * service_bytes(size) / size})
        for key, lcu in model.lcus.items()
        if model.service.get(key)
    ]
    for group, paths in model.paths.items():
        behind = [lcu for lcu, key in model.group_of.items() if key == group]
        if conn > 0 and behind:
            servers = paths.servers * (1.0 - paths.outside)
            found.append(ResourceDemand(group, f"paths {group}", servers, dict.fromkeys(behind, conn / size)))
    return tuple(found)
