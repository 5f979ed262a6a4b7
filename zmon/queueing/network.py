"""A closed queueing network with several classes, solved by approximate mean value analysis.

A class is a group of files or volumes: a number of requests that are always somewhere, in a volume, at a
processor or waiting.  Each request of a class takes one of its flows.  A flow goes to one volume: it takes a
subchannel of it, and with that the control unit and a channel path.

Method: the fixed point of Schweitzer ("Approximate analysis of multiclass closed networks of queues", 1979),
in which a request finds what is queued on average without the part of itself.  What it finds is counted as
work, not as requests, so that sizes may differ.  Stations with several servers: Suri, Sahu and Vernon,
"Approximate mean value analysis for closed queuing networks with multiple-server stations" (2007): the wait
for one server times the utilisation to the power of 4.464 (m ** 0.676 - 1), divided by m.
"""

from __future__ import annotations

from itertools import chain, repeat
from math import expm1
from operator import mul, sub, truediv
from typing import TYPE_CHECKING, Final

from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

CONSTANT: Final = 0.5
EXPONENTIAL: Final = 1.0
"""The part of its service that a request still needs on average when another comes."""
MAX_ROUNDS: Final = 2000
"""Rounds of the fixed point; it is reached in 50, and in some hundred where a class waits for another."""
ONLY_FULL: Final = 8
"""The power of the utilisation with which a station counts as full."""
SAME: Final = 3e-5
"""Relative change of all throughputs below which the fixed point is reached."""
DAMPING: Final = 0.3
SLOWEST: Final = 0.02
"""The part of a change that rounds make at first, and at least."""
LOOK_EVERY: Final = 25
"""Rounds after which the last two steps are compared."""
SLOWER: Final = 0.6
"""How many times as long steps are after steps that did not go on in the same direction ..."""
STEADY: Final = 0.9
"""... which is so from this cosine of the angle between two steps on."""
SHORTENING: Final = (0.5, 0.9999)
"""Between these quotients of two steps that go on in the same direction, where they lead to is computed."""


NEARER: Final = 0.9
"""Of the last change, what is left after all steps were made at once where that has led nearer to the end."""


class Station(NamedTuple):
    """Something that requests wait for."""

    kind: str
    """`lcu`, `paths`, `volume`, `aliases` or `processors`."""
    key: str
    title: str
    servers: float
    residual: float = CONSTANT
    burst: float = 1.0
    """How many times what random arrivals would wait is waited: measured."""
    evenly: float = 0.0
    """How evenly a class uses its volumes: 0 at random, 1 in turn, as a scan of stripes does, so that a
    request finds fewer of its own class."""
    inside: float = float("inf")
    """How many requests can be there at once, as each takes a subchannel."""
    pooled: bool = True
    """Whether a request takes the first server that is free; else servers take turns."""
    outside: float = 0.0
    """How many more servers it has, which work for others than these classes."""


class Flow(NamedTuple):
    """The requests of a class to one volume."""

    part: float
    """Of the class's requests."""
    holds: tuple[tuple[int, float], ...]
    """The stations that it needs one after the other while it has a subchannel, with the seconds of each."""
    volume: int
    """The station of the volume's subchannels."""
    delay: float
    """Seconds on the subchannel that are always the same, without those at stations: until it is accepted."""
    miss: float
    """Mean seconds that disks of the arrays take; exponential."""
    least: float
    """Seconds of it all without any wait."""
    size: float
    """Bytes of a request."""
    unit: str
    """The key of its LCU, for the report."""
    batch: tuple[int, float] | None = None
    """Where requests that come many at once queue behind each other, and behind how many each waits there."""


class RequestClass(NamedTuple):
    """Requests that are always somewhere."""

    title: str
    population: float
    flows: tuple[Flow, ...]
    before: tuple[tuple[int, float], ...] = ()
    """Stations that a request visits before it goes to a volume, with the seconds: processors."""
    rate: float | None = None
    """Requests per second of a class that is open: as many come, however quick the answers."""
    factor: float = 1.0
    """How many times what the network gives its requests wait for storage."""
    follows: tuple[int, float] | None = None
    """The class that makes these requests without waiting for them, one before this, and how many it makes
    for each of its own."""

    def demands(self) -> Iterator[tuple[int, float]]:
        """Yield the stations that a mean request needs, except volumes, with the seconds of each."""
        yield from self.before
        for flow in self.flows:
            yield from ((station, flow.part * seconds) for station, seconds in flow.holds)


class Network(NamedTuple):
    """Stations and classes."""

    stations: tuple[Station, ...]
    classes: tuple[RequestClass, ...]


class FlowResult(NamedTuple):
    """What becomes of a flow."""

    rate: float
    response: float
    """In Linux and beyond: waiting for a subchannel, and the time on it."""
    size: float
    unit: str


class Place(NamedTuple):
    """Where the iteration is: the work of each class, and what it was computed with."""

    work: Sequence[Mapping[int, float]]
    use: Sequence[float]
    batches: Sequence[tuple[float, float]]
    rates: Sequence[float]
    cycles: Sequence[float]
    """Of each class the seconds from one request of a customer to the next."""


class Solution(NamedTuple):
    """What becomes of a network."""

    use: tuple[float, ...]
    """The utilisation of each station."""
    rates: tuple[float, ...]
    """Requests per second of each class."""
    flows: tuple[tuple[FlowResult, ...], ...]
    """Of each class."""
    end: Place
    """Where the iteration ended: another network with the same stations and classes may begin there."""

    @property
    def rate(self) -> float:
        """All requests per second."""
        return sum(self.rates)

    @property
    def bytes(self) -> float:
        """All bytes per second."""
        return sum(flow.rate * flow.size for flows in self.flows for flow in flows)

    @property
    def response(self) -> float:
        """The mean response time of all requests; 0 without any."""
        return mean_response(flow for flows in self.flows for flow in flows)


def mean_response(flows: Iterable[FlowResult]) -> float:
    """Return the mean response time of flows, each with its rate as its weight; 0 without a rate."""
    pairs = list(flows)
    rate = sum(flow.rate for flow in pairs)
    return sum(flow.rate * flow.response for flow in pairs) / rate if rate else 0.0


def crowding(servers: float, use: float) -> float:
    """Return which part of the work that is found has to be waited for, for each server of a station."""
    if servers <= 1.0:
        return 1.0 / max(servers, 1e-9)
    return float(min(1.0, use) ** (4.464 * (servers**0.676 - 1.0))) / servers


def evened(part: float, use: float) -> float:
    """Return what is left of a wait when a part of it is not met, unless the station is full.

    Requests that come in turn, and few that come at all, meet less than those at random; but where a station
    is full, all that others leave is waited for.
    """
    return 1.0 - part * max(0.0, 1.0 - float(use**ONLY_FULL))


def own_part(population: float, fraction: float, evenly: float) -> float:
    """Return which part of its class's work at a volume a request does not find: its own.

    Of requests at random it is that of one among all of the class, of those in turn that of one among those
    at the volume.
    """
    at_random = 1.0 / max(1.0, population)
    in_turn = 1.0 / max(1.0, population * fraction)
    return at_random + evenly * (in_turn - at_random)


def blocked(use: float, ahead: float, between: float) -> float:
    """Return what a request waits behind others that come many at once and use a part of a station.

    As random arrivals it would wait the part times the mean wait within a batch, `ahead`; but who waits for
    an answer before he asks again, on average after `between` seconds, meets a batch once at most.
    """
    if ahead <= 0 or between <= 0:
        return use * ahead
    lasts = 2 * ahead / between
    return use * min(ahead, between * (1 + expm1(-lasts) / lasts))


def residual(varying: float, held: float) -> float:
    """Return the part of its time that a request still needs on a subchannel when another comes.

    Of its time a part varies as exponential times do, the rest is constant.
    """
    return (1.0 + (varying / held) ** 2) / 2 if held > 0 else CONSTANT


def solve(network: Network, near: Solution | None = None) -> Solution:
    """Return throughputs and times of the whole network.

    `near`: the solution of a network that differs in numbers alone, which is sooner corrected than found.
    """
    iteration = _Iteration(network)
    if near is not None:
        iteration.begin(near.end)
    return iteration.run()


class _ClassTable(NamedTuple):
    """What the rounds need of a class and never changes."""

    served: Mapping[int, tuple[float, float]]
    """Of each station but volumes: the seconds that a mean request is served, and the mean of the squares."""
    ways: Sequence[Sequence[int]]
    """The stations that flows visit while they have a subchannel, each sequence once."""
    rows: Sequence[tuple[float, int, int, float, float]]
    """Of each flow its part, the number of its way, the station of its volume, `least` and `miss`."""
    parts: Sequence[float]
    """Of each flow its part."""
    batches: Sequence[tuple[int, int, float, float | None]]
    """Of flows that come many at once the number, the station, behind how many each waits, and the seconds of
    each; None for those on the volume."""


def _class_table(request_class: RequestClass) -> _ClassTable:
    served: dict[int, tuple[float, float]] = {}
    ways: dict[tuple[int, ...], int] = {}
    rows, batches = [], []
    every = chain(
        ((station, 1.0, seconds) for station, seconds in request_class.before),
        ((station, flow.part, seconds) for flow in request_class.flows for station, seconds in flow.holds),
    )
    for station, part, seconds in every:
        first, square = served.get(station, (0.0, 0.0))
        served[station] = first + part * seconds, square + part * seconds * seconds
    for number, flow in enumerate(request_class.flows):
        way = ways.setdefault(tuple(station for station, _ in flow.holds), len(ways))
        rows.append((flow.part, way, flow.volume, flow.least, flow.miss))
        if flow.batch is not None:
            station, ahead = flow.batch
            batches.append(
                (number, station, ahead, None if station == flow.volume else dict(flow.holds)[station])
            )
    return _ClassTable(served, list(ways), rows, [flow.part for flow in request_class.flows], batches)


class _Visit:
    """What one request a second of a class does at the stations."""

    def __init__(self) -> None:
        self.asked: dict[int, float] = {}
        """Seconds of service."""
        self.work: dict[int, float] = {}
        """Work that it is there on average."""
        self.batches: dict[int, tuple[float, float]] = {}
        """The part of a station that batches use, and this times what each waits in its batch."""


def _largest_change(before: Sequence[float], now: Sequence[float]) -> float:
    """Return the largest relative change from one list of numbers to another; 0 of none."""
    changes = map(abs, map(sub, now, before))
    return max(map(truediv, changes, map(max, now, repeat(1e-9))), default=0.0)


def _steps(before: Place, then: Place, now: Place) -> tuple[float, float]:
    """Return the quotient of two steps, the last over the first, and the cosine of the angle between them."""
    most = max((value for work in now.work for value in work.values()), default=0.0) or 1.0
    first, last = [
        [
            *(
                (value - old.get(at, 0.0)) / most
                for old, new in zip(state.work, two.work, strict=True)
                for at, value in new.items()
            ),
            *map(sub, two.use, state.use),
        ]
        for state, two in ((before, then), (then, now))
    ]
    square, other = sum(x * x for x in first), sum(y * y for y in last)
    if not square or not other:
        return 0.0, 1.0
    product = sum(x * y for x, y in zip(first, last, strict=True))
    return product / square, product / (square * other) ** 0.5


class _Iteration:
    """The fixed point while it is computed."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.stations = network.stations
        many = len(self.stations)
        self.rates: list[float] = []
        self.rates += (self._first(request_class) for request_class in network.classes)
        self.cycles = [0.0] * len(self.rates)
        """Of each class the seconds from one request of a customer to the next."""
        self.tables = [_class_table(request_class) for request_class in network.classes]
        self.batched = any(table.batches for table in self.tables)
        """Whether requests of any class come many at once."""
        self.parts = [self._parts(request_class) for request_class in network.classes]
        self.own = [self._own(*pair) for pair in zip(network.classes, self.parts, strict=True)]
        """Of each class which part of its work at each station a request does not find."""
        self.work: Sequence[Mapping[int, float]] = [{} for _ in network.classes]
        """Of each class the work that it has at each station."""
        self.total = [0.0] * many
        self.use: Sequence[float] = [0.0] * many
        self.weight = [self._weight(station, 0.0) for station in self.stations]
        """Of each station, what a unit of work that is found makes wait."""
        self.varying = [
            at for at, station in enumerate(self.stations) if self._weight(station, 1.0) != self.weight[at]
        ]
        """The stations where that depends on their use."""
        self.batches: Sequence[tuple[float, float]] = [(0.0, 0.0)] * many
        """Of each station the part of it that batches use, and this times what each waits in its batch."""

    def _first(self, request_class: RequestClass) -> float:
        """Return a throughput to begin with: without waits, and at most half of what any station does."""
        if request_class.rate is not None:
            return request_class.rate
        if request_class.follows is not None:
            leader, times = request_class.follows
            return self.rates[leader] * times
        asked = dict(request_class.before)
        time = sum(asked.values())
        for flow in request_class.flows:
            time += flow.part * flow.least
            for station, seconds in flow.holds:
                asked[station] = asked.get(station, 0.0) + flow.part * seconds
        limits = [0.5 * self.stations[at].servers / seconds for at, seconds in asked.items() if seconds > 0]
        return min([request_class.population / max(time, 1e-9), *limits])

    def _parts(self, request_class: RequestClass) -> dict[int, float]:
        """Return which part of the requests of a class visits each station."""
        parts: dict[int, float] = {station: 1.0 for station, _ in request_class.before}
        for flow in request_class.flows:
            for station in (flow.volume, *(at for at, _ in flow.holds)):
                parts[station] = parts.get(station, 0.0) + flow.part
        return parts

    def _own(self, request_class: RequestClass, parts: dict[int, float]) -> dict[int, float]:
        evenly = {
            station: self.stations[flow.volume].evenly
            for flow in request_class.flows
            for station in (flow.volume, *(at for at, _ in flow.holds))
        }
        return {
            at: own_part(request_class.population, part, evenly.get(at, 0.0)) for at, part in parts.items()
        }

    def begin(self, place: Place) -> None:
        """Begin at a place, instead of with nothing at any station."""
        self.work, self.use, self.batches, rates, cycles = place
        self.rates, self.cycles = list(rates), list(cycles)
        self.total = self._total(self.work)

    def _total(self, work: Sequence[Mapping[int, float]]) -> list[float]:
        """Return the work of all classes at each station."""
        return [sum(row.get(at, 0.0) for row in work) for at in range(len(self.stations))]

    def run(self) -> Solution:
        """Go on until nothing changes.

        Where each step goes in the same direction and is a little shorter, all that would follow are made at
        once, as L. A. Lyusternik proposed in 1947; where steps go to and fro, or that has led no nearer to
        the end, they are made shorter.
        """
        flows: list[list[float]] = []
        damping = DAMPING
        places: list[Place] = []
        nearest = float("inf")
        """The last change before all steps that follow were made at once."""
        for number in range(1, MAX_ROUNDS + 1):
            if number > LOOK_EVERY and number % LOOK_EVERY in {0, LOOK_EVERY - 1}:
                places.append(self._place())
            flows, change = self._round(damping)
            if change < SAME:
                break
            if len(places) == 2:
                (before, then), now, places = places, self._place(), []
                quotient, cosine = _steps(before, then, now)
                goes_on = cosine >= STEADY and SHORTENING[0] < quotient < SHORTENING[1]
                if goes_on and change < NEARER * nearest:
                    nearest = change
                    self._go(then, now, quotient / (1 - quotient))
                elif goes_on or cosine < STEADY:
                    damping = max(SLOWEST, SLOWER * damping)
        results = tuple(
            tuple(
                FlowResult(rate * flow.part, response, flow.size, flow.unit)
                for flow, response in zip(request_class.flows, responses, strict=True)
            )
            for request_class, rate, responses in zip(self.network.classes, self.rates, flows, strict=True)
        )
        return Solution(tuple(self.use), tuple(self.rates), results, self._place())

    def _place(self) -> Place:
        """Return where the iteration is; what is in it is never changed."""
        return Place(self.work, self.use, self.batches, tuple(self.rates), tuple(self.cycles))

    def _go(self, then: Place, now: Place, times: float) -> None:
        """Go on from a place in the direction of the last step, so many times as far."""

        def beyond(new: float, old: float) -> float:
            return max(0.0, new + times * (new - old))

        self.work = [
            {station: beyond(value, old.get(station, 0.0)) for station, value in new.items()}
            for new, old in zip(now.work, then.work, strict=True)
        ]
        self.total = self._total(self.work)
        self.use = list(map(beyond, now.use, then.use))
        self.batches = [
            (beyond(new[0], old[0]), beyond(new[1], old[1]))
            for new, old in zip(now.batches, then.batches, strict=True)
        ]

    def _round(self, damping: float) -> tuple[list[list[float]], float]:
        """Compute all waits from the work that is found, and this from them; return the largest change."""
        for at in self.varying:
            self.weight[at] = self._weight(self.stations[at], self.use[at])
        asked = [0.0] * len(self.stations)
        batches = [(0.0, 0.0)] * len(self.stations)
        responses, work = [], []
        change = 0.0
        for at, request_class in enumerate(self.network.classes):
            visit = _Visit()
            visits, cycle = self._visits(at, visit)
            responses.append(visits)
            wanted = self._rate(request_class, cycle)
            if request_class.follows is None:
                self.cycles[at] = cycle
            change = max(change, abs(wanted - self.rates[at]) / max(wanted, 1e-12))
            self.rates[at] = wanted
            for station, seconds in visit.asked.items():
                asked[station] += wanted * seconds
            for station, (part, waits) in visit.batches.items():
                sums = batches[station]
                batches[station] = sums[0] + wanted * part, sums[1] + wanted * waits
            before = self.work[at]
            work.append({
                station: before.get(station, 0.0) + damping * (wanted * value - before.get(station, 0.0))
                for station, value in visit.work.items()
            })  # fmt: skip
        total = [0.0] * len(self.stations)
        for row in work:
            for station, value in row.items():
                total[station] += value
        use = [
            then + damping * (seconds / station.servers - then)
            for seconds, station, then in zip(asked, self.stations, self.use, strict=True)
        ]
        change = max(change, _largest_change(self.total, total), _largest_change(self.use, use))
        self.work, self.total, self.use = work, total, use
        self.batches = [
            (then[0] + damping * (now[0] - then[0]), then[1] + damping * (now[1] - then[1]))
            for now, then in zip(batches, self.batches, strict=True)
        ]
        return responses, change

    @staticmethod
    def _weight(station: Station, use: float) -> float:
        """Return what a unit of work that is found at a station makes wait."""
        shared = crowding(station.servers, use) if station.pooled else 1.0 / station.servers
        return station.burst * shared * (1.0 if station.kind == "volume" else evened(station.evenly, use))

    def _rate(self, request_class: RequestClass, cycle: float) -> float:
        """Return the requests per second of a class."""
        if request_class.follows is not None:
            leader, times = request_class.follows
            return self.rates[leader] * times
        if request_class.rate is not None:
            return request_class.rate
        return request_class.population / cycle if cycle > 0 else 0.0

    def _visits(self, at: int, visited: _Visit) -> tuple[list[float], float]:
        """Return the response time of each flow of a class, and the time from a request to the next.

        What one request a second would ask of the stations, and be there, is added to `visited`.
        """
        request_class, own, stations, table = (
            self.network.classes[at],
            self.work[at],
            self.stations,
            self.tables[at],
        )
        part, mine, asked, batches = self.own[at], visited.work, visited.asked, visited.batches
        weight, total, batched = self.weight, self.total, self.batched
        waits: dict[int, float] = {}
        """What each request of the class waits at each station, however long it is served there."""
        for station, (seconds, squares) in table.served.items():
            others = total[station] - part[station] * own.get(station, 0.0)
            most = total[station] * evened(1.0 / stations[station].inside, self.use[station])
            blocked_for = self._blocked(at, station) if batched else 0.0
            waited = waits[station] = weight[station] * max(0.0, min(others, most)) + blocked_for
            mine[station] = waited * seconds + stations[station].residual * squares
            asked[station] = seconds
        cycle = sum(waits[station] + seconds for station, seconds in request_class.before)
        before = [request_class.factor * sum(waits[station] for station in way) for way in table.ways]
        responses = []
        for partial, way, volume, least, miss in table.rows:
            waited = before[way]
            held = least + waited
            others = total[volume] - part[volume] * own.get(volume, 0.0)
            queued = weight[volume] * others if others > 0.0 else 0.0
            if batched:
                queued += self._blocked(at, volume)
            mine[volume] = mine.get(volume, 0.0) + partial * held * (
                queued + held * residual(waited + miss, held)
            )
            asked[volume] = asked.get(volume, 0.0) + partial * held
            responses.append(request_class.factor * queued + held)
        for number, station, ahead, served in table.batches:
            flow = request_class.flows[number]
            response = flow.least + before[table.rows[number][1]] if served is None else served
            use = flow.part * response / stations[station].servers
            sums = batches.get(station, (0.0, 0.0))
            batches[station] = sums[0] + use, sums[1] + use * ahead * response
            responses[number] += ahead * response
        cycle += sum(map(mul, table.parts, responses))
        return responses, cycle

    def _blocked(self, at: int, station: int) -> float:
        """Return what a request of a class waits at a station behind others that come many at once."""
        use, waits = self.batches[station]
        if not use:
            return 0.0
        return blocked(use, waits / use, self.cycles[at] / max(1e-9, self.parts[at].get(station, 0.0)))
