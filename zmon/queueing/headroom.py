"""How busy each shared resource is, and with that how much more load there may be: without solving a network.

Channel paths and processors are as measured; of FICON paths, of which a request takes any that is free, their
mean counts.  How busy an LCU is follows from Disc, as in `fit`; pools of
aliases and single volumes from the requests that they have.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import compress, groupby
from operator import itemgetter, mul
from statistics import fmean
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.ranges import ranges
from zmon.base.same import Same
from zmon.machine.observation import disc_of_misses, mean_of, path_groups, waits_for_disks
from zmon.queueing.fit import (
    FittedFlow,
    observed_model,
    service_bytes,
    shows_lcus,
    taken_paths,
    tell_use,
)
from zmon.queueing.resource import Resource, the_processors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.machine.observation import ObservedLcu, ObservedLoad

CARRIED: Final = tuple(map(FittedFlow._fields.index, ("lcu", "rate", "size")))
"""What is needed of flows."""
NOT_KNOWN: Final = absent("the load of this path is not known")
LEAST: Final = 0.001
"""Utilisation below which a resource is not used."""


def resource_uses(load: ObservedLoad) -> tuple[Resource, ...]:
    """Return the resources whose utilisation is known, the busiest first; computed once for a load."""
    return _resource_uses(Same(load))


@lru_cache(maxsize=4)  # the interval at hand: the verdict asks, and OVERVIEW
def _resource_uses(load: Same[ObservedLoad]) -> tuple[Resource, ...]:
    return tuple(sorted(_uses(load.it), key=lambda resource: (-resource.use, resource.kind, resource.key)))


def _uses(load: ObservedLoad) -> Iterator[Resource]:
    number, busy = load.processors.number, load.processors.taken
    if not isinstance(number, Absent) and not isinstance(busy, Absent):
        own = min(load.processors.noticed, float(busy))
        niced = min(load.processors.giving_way, float(busy) - own)
        use = float(busy) - own - niced
        yield the_processors(number)._replace(use=use, own=own, niced=niced)
    for key, chpids in path_groups(load.lcus).items():
        yield from _paths(load, key, chpids)
    for lcu in load.lcus:
        if not isinstance(lcu.pool_use, Absent):
            yield Resource("aliases", lcu.key, lcu.title, use=lcu.pool_use)
        elif not lcu.aliases:
            yield from _volumes(load, lcu.key)
    yield from _lcus(load)


def _paths(load: ObservedLoad, key: str, chpids: Sequence[str]) -> Iterator[Resource]:
    """Yield a group of paths: those of FICON are full together, each FCP adapter alone, as they take turns.

    Where LCUs of the group do not share all of its paths, they cannot take any: then the busiest counts.
    A lost path is none: it carries nothing, and has room for nothing.
    """
    chpids = [chpid for chpid in chpids if chpid not in load.lost]
    uses = [use for chpid in chpids if not isinstance(use := load.paths.get(chpid, NOT_KNOWN), Absent)]
    most = max(map(float, uses), default=0.0)
    if most <= LEAST:
        return
    behind = {
        frozenset(lcu.chpids) - load.lost for lcu in load.lcus if not set(chpids).isdisjoint(lcu.chpids)
    }
    use = most
    if len(behind) == 1 and load.fcp.isdisjoint(chpids):
        use = fmean(taken_paths([*map(float, uses)]))
    is_mean = f"{use:.2f}" != f"{most:.2f}"
    yield Resource("paths", key, f"paths {ranges(chpids)}", use=use, is_mean=is_mean)


def _volumes(load: ObservedLoad, lcu: str) -> Iterator[Resource]:
    """Yield the busiest volume of an LCU without a pool of aliases."""
    volumes = load.busy_of(lcu)
    columns = map(volumes.column, ("rate", "serv", "servers", "estimated", "key", "title"))
    full_volumes = [
        (rate * serv / servers, key, title, servers)
        for rate, serv, servers, estimated, key, title in zip(*columns, strict=True)
        if not estimated and not isinstance(serv, Absent)
    ]
    if full_volumes:
        use, key, title, servers = max(full_volumes, key=itemgetter(0))
        yield Resource("volume", key, title, use=use, servers=servers)


def _lcus(load: ObservedLoad) -> Iterator[Resource]:
    if not shows_lcus(load):
        return
    try:
        model = observed_model(load)
    except ValueError:
        return
    carried: dict[str, float] = {}
    for lcu, flows in groupby(map(itemgetter(*CARRIED), model.flows), itemgetter(0)):
        _, rates, sizes = zip(*flows, strict=True)
        carried[lcu] = carried.get(lcu, 0.0) + sum(map(mul, rates, map(service_bytes, sizes)))
    blind = set(compress(load.used.column("lcu"), load.used.column("estimated")))
    for key, rate in carried.items():
        lcu = model.lcus[key]
        by_waits = isinstance(lcu.capacity, Absent)
        if key in blind or (by_waits and not _tells(load, lcu)):
            continue
        use = model.service[key] * rate
        if use > LEAST:
            yield Resource("lcu", key, lcu.title, use=min(1.0, use), estimated=by_waits)


def _tells(load: ObservedLoad, lcu: ObservedLcu) -> bool:
    """Return whether enough requests wait in an LCU to tell how busy it is, and not for its disks.

    Without cache statistics all of Disc may be service, so there it takes as many as a diagnosis does.
    """
    volumes = load.used_of(lcu.key)
    if waits_for_disks(load, lcu):
        return False
    waiting = volumes.rate * (mean_of(volumes, "disc") - disc_of_misses(lcu, volumes))
    return tell_use(lcu, waiting)
