"""Requests that are at an LCU, of which it is not known whether they wait, and what would tell.

Nothing is short only where such requests are few: a request or more inside an LCU for a millisecond, or for
twice as long as in others, is a queue, cache misses, or a long way; which, is not for zmon to guess.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.limits import limit
from zmon.base.milliseconds import ms
from zmon.base.ranges import many, names
from zmon.base.record import NamedTuple
from zmon.machine.observation import (
    FULL_ALIASES,
    LATENCY,
    LONG,
    MIN_LONGER,
    MIN_LOST,
    SLOW_PATH,
    SMALL,
    UNUSED_ALIASES,
    mean_of,
    reads_beyond_writes,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from zmon.base.absent import Number
    from zmon.machine.observation import ObservedLcu, ObservedLoad, Volumes

MISSES_NAMED: Final = limit("reads-alone")
LONGER: Final = 2.0
"""Times as long as at the other LCUs, from which on it may, too."""
NO_OTHER: Final = absent("no other LCU has enough requests")
CAUSES: Final = {
    "inside": "{full}, or they miss {its} cache; --cache tells",
    "untimed": "they wait there or in Linux, or the disks are slow; channel measurement (CMF) tells",
    "reads": "reads miss {its} cache, as writes are quick; --cache tells whether the disks are busy",
    "pending": "a path, the control unit or another system holds them up; a calm time tells: COMPARE",
}
"""What is left as the cause, and what would decide, by the kind of what is undecided."""


class UndecidedRequests(NamedTuple):
    """Requests at an LCU that may wait there."""

    kind: str
    """`inside` of it without cache statistics, `reads` if only these wait, `untimed` by channel measurement,
    `pending` on the way to it, or `bursts`: they wait in Linux while aliases are free on average."""
    key: str
    title: str
    requests: float
    """How many are there on average."""
    seconds: float
    """How long each is."""
    others: Number = NO_OTHER
    """Seconds at the other LCUs."""
    use: float = 0.0
    """Of bursts the part of the aliases in use."""


def undecided(load: ObservedLoad, decided: Collection[str]) -> tuple[UndecidedRequests, ...]:
    """Return what may wait at LCUs, bursts last; of those for which it is decided that some do, bursts."""
    every = [
        place
        for lcu in load.lcus
        if load.enough(load.used_of(lcu.key).rate)
        for place in _at(load, lcu, load.used_of(lcu.key))
        if lcu.key not in decided or place.kind == "bursts"
    ]
    return tuple(sorted(every, key=lambda place: (place.kind == "bursts", -place.requests)))


def is_uncached(load: ObservedLoad, lcu: ObservedLcu) -> bool:
    """Return whether Disc of an LCU is long, and only cache statistics say if it is cache misses."""
    volumes = load.used_of(lcu.key)
    disc, conn = mean_of(volumes, "disc"), mean_of(volumes, "conn")
    if not isinstance(lcu.misses, Absent) or isinstance(disc, Absent) or not load.enough(volumes.rate):
        return False
    return volumes.rate * disc >= MIN_LOST and not disc < MIN_LONGER * conn


def may_be_misses(load: ObservedLoad, lcu: ObservedLcu) -> bool:
    """Return whether that Disc is of small requests, which may miss the cache: large ones are read ahead.

    Where reads alone wait, they do.
    """
    is_small = mean_of(load.used_of(lcu.key), "size") < SMALL
    return bool(is_uncached(load, lcu) and is_small) and not reads_beyond_writes(load, lcu) >= LONG


def _at(load: ObservedLoad, lcu: ObservedLcu, volumes: Volumes) -> Iterator[UndecidedRequests]:
    """Yield what may wait at one LCU: at most one kind of it inside, and what waits before it."""
    if not all(volumes.column("is_dasd")):
        return  # what such disks do with a request is not seen from here
    is_untimed = any(volumes.column("estimated"))
    beyond = reads_beyond_writes(load, lcu)
    if beyond >= LONG:
        if 1e3 * beyond < MISSES_NAMED or volumes.rate * mean_of(volumes, "reads") * beyond < MIN_LOST:
            yield from _long(load, lcu, "reads", "response" if is_untimed else "disc", 0.0)
    elif is_untimed:
        size = mean_of(volumes, "size")
        if not isinstance(size, Absent):
            yield from _long(load, lcu, "untimed", "response", size / SLOW_PATH)
    elif may_be_misses(load, lcu):
        yield from _long(load, lcu, "inside", "disc", 0.0)
    if is_untimed:
        return
    pend = mean_of(volumes, "pend")
    if not isinstance(pend, Absent) and pend >= LONG and volumes.rate * (pend - LATENCY) >= MIN_LOST:
        yield UndecidedRequests("pending", lcu.key, lcu.title, volumes.rate * float(pend), float(pend))
    yield from _bursts(load, lcu)


def _long(
    load: ObservedLoad, lcu: ObservedLcu, kind: str, name: str, needed: float
) -> Iterator[UndecidedRequests]:
    """Yield the requests of an LCU if they are there for long; seconds `needed` of each are no wait."""
    volumes = load.used_of(lcu.key)
    seconds = mean_of(volumes, name)
    if isinstance(seconds, Absent) or volumes.rate * (seconds - needed) < MIN_LOST:
        return
    others = _at_others(load, lcu, name)
    is_longer = seconds >= LONGER * others and volumes.rate * (seconds - others) >= MIN_LOST
    if is_longer or seconds - needed >= LONG:
        yield UndecidedRequests(
            kind, lcu.key, lcu.title, volumes.rate * float(seconds), float(seconds), others
        )


def _at_others(load: ObservedLoad, lcu: ObservedLcu, name: str) -> Number:
    """Return the mean time of a request at the other LCUs that have enough of them."""
    rates, times = [], []
    for other in load.lcus:
        volumes = load.used_of(other.key)
        seconds = mean_of(volumes, name)
        if other.key != lcu.key and load.enough(volumes.rate) and not isinstance(seconds, Absent):
            rates.append(volumes.rate)
            times.append(volumes.rate * seconds)
    return fsum(times) / fsum(rates) if rates else NO_OTHER


def _bursts(load: ObservedLoad, lcu: ObservedLcu) -> Iterator[UndecidedRequests]:
    """Yield the requests that wait in Linux for an LCU, where they wait for long and aliases are free."""
    if isinstance(lcu.pool_use, Absent):
        return
    volumes = load.busy_of(lcu.key)
    queued, serv = mean_of(volumes, "queued"), mean_of(volumes, "serv")
    if isinstance(queued, Absent) or isinstance(serv, Absent):
        return
    lost = volumes.rate * queued
    if UNUSED_ALIASES <= lcu.pool_use < FULL_ALIASES and lost >= MIN_LOST and queued >= MIN_LONGER * serv:
        yield UndecidedRequests("bursts", lcu.key, lcu.title, lost, float(queued), use=float(lcu.pool_use))


def words_of(places: Iterable[UndecidedRequests]) -> str:
    """Say what may wait and where, which causes are left, and what would decide; empty if nothing may.

    `15.7 requests are inside LCU 8000, 16.0 ms each (other LCUs: 0.2 ms): it is full, or they miss ...`
    Of several kinds it is that of which most requests may wait.
    """
    every = [*places]
    if not every:
        return ""
    alike = [place for place in every if place.kind == every[0].kind]
    lost = many(fsum(place.requests for place in alike), "request")
    titles = names(sorted(place.title for place in alike))
    first = alike[0]
    rate = fsum(place.requests / place.seconds for place in alike)
    wait_of = f"{ms(fsum(place.requests for place in alike) / rate)} each"
    if first.kind == "bursts":
        use = max(place.use for place in alike)
        return (
            f"{lost} wait in Linux for {titles}, {wait_of}: they come in bursts, as at most {100 * use:.0f} %"
            " of the aliases are in use on average"
        )
    where = {"inside": "are inside", "pending": "pend on the way to"}.get(first.kind, "are at")
    if len(alike) == 1 and not isinstance(first.others, Absent):
        wait_of += f" (other LCUs: {ms(first.others)})"
    full, its = ("it is full", "its") if len(alike) == 1 else ("these are full", "their")
    return f"{lost} {where} {titles}, {wait_of}: {CAUSES[first.kind].format(full=full, its=its)}"
