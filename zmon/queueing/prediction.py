"""Throughput and response after a change: the one answer to "what if".

The model is fitted to an interval (`fit`), changed (`changed`) and solved.  What it gives after the change in
comparison with what it gives before is applied to what was measured, so that what it gets wrong in both
cancels.  The range comes from errors in the laboratory: see `benchmarks/whatif.py` and docs/whatif.md.
"""

from __future__ import annotations

from functools import lru_cache
from math import fsum, hypot, inf, isfinite, sqrt
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.limits import limit
from zmon.base.ranges import names
from zmon.base.record import NamedTuple
from zmon.machine.observation import mean_of
from zmon.queueing.change import AliasNumber, PathsInUse, changed
from zmon.queueing.fit import (
    COMPUTING,
    WITHHELD,
    class_rates,
    fit,
    lcus_with_waits_apart,
    network_of,
    observed_model,
    subchannels,
)
from zmon.queueing.network import mean_response, solve
from zmon.queueing.waiting import FULL_PROCESSORS, MUCH_STOLEN, processors_full

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zmon.base.absent import Number
    from zmon.machine.observation import ObservedLoad
    from zmon.queueing.change import Change
    from zmon.queueing.fit import FittedModel, FlowShare
    from zmon.queueing.network import Flow, FlowResult, Network, Solution, Station

THROUGHPUT_ERROR: Final = 0.15
RESPONSE_ERROR: Final = 0.25
"""The errors that 24 of 29 predictions for scenarios of the laboratory keep: see docs/whatif.md."""
ERROR: Final = 0.2
"""The error of throughput in ranges, ..."""
BLIND_ERROR: Final = 0.33
"""... and where it is not known what disks, a storage server behind FCP or LCUs with many requests do.  These
errors are measured: see docs/whatif.md.  Those of a response are larger as `RESPONSE_ERROR` is."""
APART: Final = 1.6
"""How many times as much one assumption gives as another one, from which on the confidence is low."""
FULL_ENOUGH: Final = 0.8
"""Utilisation from which on a resource limits."""
FULL_PATHS: Final = limit("path-full") / 100
"""Utilisation of paths from which on it is not known which part of Pend is the wait for them."""
HIDDEN: Final = 0.1
"""The part of the time on a subchannel that Pend has where it matters."""
FALLS: Final = 0.95
"""Of the present utilisation of a resource, below which a change makes its queue shorter."""
LEAST_IN_FLIGHT: Final = 4.0
"""Requests in flight below which their number tells nothing of programs."""
STEADY: Final = (1.0, 0.03)
"""By how many requests, and which part of them, so many more or fewer may be in flight than on average, where
programs wait for nothing else: between two requests they compute."""
LEFT_OF_GAIN: Final = 0.3
"""The power of a gain or a loss that is left where programs wait for something else: measured likewise."""
CROWD: Final = 20
"""Requests at once from which on an LCU may be slower for them: seen in the laboratory, docs/whatif.md."""
MORE: Final = 2.0
"""How many times as many programs may wait for full processors as their utilisation tells, and requests be
in an LCU that gets more aliases."""
MOST_LONGER: Final = 1000.0
"""How many times the response and the requests in flight may become; beyond it the model does not fit."""
ALIKE: Final = 1e-6
"""The part by which utilisations differ that are the same: sums have rounding errors."""
CHANCE: Final = 0.004
"""By which part two intervals of the same load differ by chance; less than two digits of a ratio show."""
SHOWN: Final = 0.001
"""The part of all I/O below which an LCU is not shown."""
FAR: Final = 2.0
"""Times the requests of an LCU beyond which it may be so slow with more of them at once that nothing is
gained: see docs/whatif.md."""
SMALL_POOLS: Final = (0, 1, 2, 4)
"""Numbers of aliases for which the approximation may give more throughput than for more of them."""
STANDARD_ERRORS: Final = 2.0
"""Within so many the mean of an interval is in 19 of 20."""
LITTLE: Final = 1.05
"""Times the throughput below which a change gains little."""
WITHIN_ERROR: Final = "within the model's error"
"""What is said of a gain instead of a number that is smaller than the error of the model."""
CPU: Final = "processors"
"""The kind of the station that all requests of programs use."""
PROCESSORS: Final = (CPU, "cpu")
LOW: Final = "low"
CONFIDENCES: Final = ("high", "fair", LOW)
"""By how many things are not known."""
NO_BOUND: Final = absent("how much the next limit allows is not measured")
NO_LIMIT: Final = absent("no utilisation of LCUs, paths or processors is known")


class UnitOutcome(NamedTuple):
    """An LCU, or all of them."""

    key: str
    title: str
    rate: tuple[float, float]
    """Requests per second before and after."""
    bytes: tuple[float, float]
    """Bytes per second before and after."""
    response: tuple[Number, Number]
    """Seconds before and after; absent without I/O."""


class Assumption(NamedTuple):
    """Something that is not known, and what is taken instead."""

    unknown: str
    instead: str = ""
    error: float = ERROR
    """That of the throughput with it."""

    @property
    def words(self) -> str:
        """Both: `no channel measurement: ...`."""
        return f"{self.unknown}: {self.instead}" if self.instead else self.unknown


MAY_THINK: Final = Assumption(
    "how long programs wait for something besides I/O is not known",
    "they are taken to ask for more as soon as they have an answer",
)


class Prediction(NamedTuple):
    """The answer."""

    whole: UnitOutcome
    units: tuple[UnitOutcome, ...]
    """The LCUs that have I/O before or after."""
    throughput: tuple[float, float]
    """The range of the requests per second after the change."""
    response: tuple[float, float]
    """The range of the response time after the change."""
    limit: str
    """What limits next: the resource with the highest utilisation."""
    use: Number
    """Its utilisation after the change."""
    limit_before: str
    use_before: Number
    bound: Number
    """The most throughput as a multiple of the present one, with what limits next used all the time: where
    that is measured, and more by the error of the throughput."""
    lcus: int
    """How many LCUs have I/O before or after, without volumes of which the LCU is not known."""
    paths: int
    """How many channel paths count."""
    confidence: str
    """`high`, `fair` or `low`."""
    assumed: tuple[Assumption, ...]
    """What was not measured or cannot be seen, and what is taken instead."""
    error: float = ERROR
    """That of the throughput."""
    limiting: tuple[str, str] = ("", "")
    """What limits next, by the kind and key of its station: `lcu`, `paths`, `volume`, `processors`."""
    limiting_before: tuple[str, str] = ("", "")
    """What is busiest now, likewise."""
    given: frozenset[str] = frozenset()
    """The LCUs whose capacity the site gives: how busy these are is no estimate."""

    @property
    def times(self) -> float:
        """The throughput after as a multiple of that before."""
        return self.whole.rate[1] / self.whole.rate[0]

    @property
    def is_within_error(self) -> bool:
        """Whether it is not more of a gain, or of a loss, than what the model errs by."""
        return 1 / (1 + self.error) < self.times < 1 + self.error

    @property
    def missing(self) -> tuple[str, ...]:
        """What was not measured or cannot be seen, and what is taken instead, in words."""
        return tuple(assumption.words for assumption in self.assumed)

    @property
    def next_limit(self) -> str:
        """What limits next, in words: `LCU 7600, ~98 % busy`; empty if no utilisation is known."""
        return self._limit_words(self.limit, self.use, self.limiting)

    @property
    def busiest_now(self) -> str:
        """What is busiest before the change, likewise."""
        return self._limit_words(self.limit_before, self.use_before, self.limiting_before)

    def _limit_words(self, title: str, use: Number, place: tuple[str, str]) -> str:
        if isinstance(use, Absent):
            return ""
        kind, key = place
        # it follows from waits, nobody measures it
        about = "~" * (kind == "arms" or (kind == "lcu" and key not in self.given))
        return f"{title}, {about}{100 * use:.0f} % busy"

    @property
    def is_unsure_loss(self) -> bool:
        """Whether it expects less throughput, and the model is not sure: then nothing is said."""
        return self.confidence == LOW and self.times < 1


class FittedInterval(NamedTuple):
    """An interval with the model that is fitted to it, for any number of predictions."""

    load: ObservedLoad
    model: FittedModel
    network: Network
    solution: Solution


def fitted_interval(load: ObservedLoad, shares: Sequence[FlowShare] = ()) -> FittedInterval:
    """Fit a model to an interval.

    Raises:
        ValueError: there is no I/O of which the times were measured.
    """
    return _fitted_interval(_Once(load), tuple(shares))


class _Once:
    """A load as a key: the same object is the same load."""

    def __init__(self, load: ObservedLoad) -> None:
        self.load = load

    def __hash__(self) -> int:
        return hash((self.load.seconds, self.load.volumes))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Once) and self.load == other.load


@lru_cache(maxsize=2)  # MOVES, SPREAD and their pages ask the same
def _fitted_interval(once: _Once, shares: tuple[FlowShare, ...]) -> FittedInterval:
    return FittedInterval(once.load, *fit(once.load, shares))


def predict(  # noqa: C901, PLR0915 - each rule widens or ends the range
    base: FittedInterval, changes: Sequence[Change]
) -> Prediction:
    """Return throughput and response after changes.

    Raises:
        ChangeError: a change cannot be made.
        ValueError: the response after it cannot be, so the model does not fit this interval.
    """
    model = changed(base.model, changes)
    now = _corrected(base, base.network, base.solution)
    network, solutions, then = _outcome(base, model, now)
    choices = ((network, then), *_with_fewer_aliases(base, now, changes))
    network, then = max(choices, key=lambda pair: pair[1].rate)
    units = tuple(_units(base, model, then))
    whole = _sum_of(units)
    units = tuple(unit for unit in units if max(unit.rate) > SHOWN * whole.rate[0])
    rate, response = whole.rate[0], float(whole.response[0])  # type: ignore[arg-type]  # it has I/O
    times = whole.rate[1] / rate
    longer = float(whole.response[1]) / response if response else inf  # type: ignore[arg-type]
    if not isfinite(longer) or min(longer, times * longer) > MOST_LONGER:
        raise ValueError("the model does not fit this interval: it gives a response time that cannot be")
    limit, use, limiting = _fullest(network, then.use)
    limit_before, use_before, limiting_before = _fullest(base.network, now.use)
    used = _uses(base.network, now.use), _uses(network, then.use)
    doubts = tuple(_doubts(base, model, used, changes))
    may_think = not (_is_steady(base.load) or 1 / (1 + ERROR) < times < 1 + ERROR)
    assumed = (*_missing(base), *(doubt.assumed for doubt in doubts), *([MAY_THINK] if may_think else []))
    others = [*solutions, *(solve(network_of(other)) for doubt in doubts for other in doubt.models)]
    middle = sqrt(solutions[0].rate * solutions[-1].rate)
    more, less = (pick(other.rate for other in others) / middle for pick in (max, min))
    middle = sqrt(solutions[0].response * solutions[-1].response)
    answers = [other.response / middle for other in others]
    blind = more > APART * less or any(doubt.is_blind for doubt in doubts)
    serv, disc = (mean_of(base.load.used, name) for name in ("serv", "disc"))
    if _lacks_cache(base.load) and disc > HIDDEN * serv:
        blind = True
    many = 2 if blind else len(assumed)
    confidence = CONFIDENCES[min(2, many)]
    of_model = max((assumption.error for assumption in assumed), default=ERROR)
    slower = 1 + of_model * RESPONSE_ERROR / THROUGHPUT_ERROR
    by_chance = STANDARD_ERRORS * sqrt((1 / rate + 1 / whole.rate[1]) / base.load.seconds)
    error = 1 + hypot(of_model, by_chance)
    least, most = whole.rate[1] * less / error, whole.rate[1] * more * error
    longest = response * longer * max(answers) * slower
    shortest = response * longer * min(answers) / slower
    crowded = {lcu for doubt in doubts for lcu in doubt.crowded}
    if any(unit.rate[1] > FAR * unit.rate[0] for unit in units if unit.key in crowded):
        least = min(least, rate / error if _adds_to_pools(base.model, model) else rate)
    if any(doubt.may_gain_nothing for doubt in doubts):
        least = min(least, rate)
    if may_think:
        left = rate * times**LEFT_OF_GAIN
        least, most = min(least, left / error), max(most, left * error)
        longest = max(longest, MORE * response * longer)
        shortest = min(shortest, response * longer if isinstance(serv, Absent) else serv)
    adds, takes = _only_adds(base.model, model), _only_adds(model, base.model)
    if adds and not takes and not crowded:
        least = max(least, rate * (1 - CHANCE))  # what is below is the error of the model alone
    if takes and not adds and not _relieved(base, model, used[0]):
        most = min(most, rate * (1 + CHANCE))
    times_then = then.rate / sum(class_rates(base.model).values())
    bounds = {place: bound for place, bound, _ in _bounds(base.load, network, then.use, times_then)}
    most = min(most, *(rate * bound for bound in bounds.values()), whole.rate[1] * more * error)
    if confidence == LOW:  # whether requests in flight wait in storage or for processors is not known either
        longest = max(longest, rate * response / least)
    if least < rate and _adds_to_pools(base.model, model) and crowded:
        longest = max(longest, MORE * rate * response / least)  # those that waited elsewhere are in it, too
    if any(doubt.is_swap for doubt in doubts) and not isinstance(serv, Absent):
        shortest = min(shortest, serv)
    return Prediction(
        whole,
        units,
        (least, most),
        (shortest, longest),
        limit,
        use,
        limit_before,
        use_before,
        bounds.get(limiting, NO_BOUND),
        len({unit.key for unit in units} & {lcu.key for lcu in base.load.lcus}),
        _paths_used(model),
        confidence,
        assumed,
        of_model,
        limiting,
        limiting_before,
        frozenset(lcu.key for lcu in base.load.lcus if not isinstance(lcu.capacity, Absent)),
    )


class _Outcome(NamedTuple):
    """A solution, corrected by what the model gets wrong in the interval that it is fitted to."""

    flows: tuple[FlowResult, ...]
    use: tuple[float, ...]
    """Of each station."""

    @property
    def rate(self) -> float:
        """All requests per second."""
        return sum(flow.rate for flow in self.flows)


def _outcome(
    base: FittedInterval, model: FittedModel, now: _Outcome
) -> tuple[Network, Sequence[Solution], _Outcome]:
    """Return the network of a model, its solution, and what this means for what was measured.

    Where a full LCU gets fewer requests at once, they may wait in it now, or make it slow: there are two
    solutions, and the outcome is in the middle of them.
    """
    models = [model]
    fewer = _relieved(base, model, _uses(base.network, now.use))
    if fewer:
        models.append(model._replace(service={**model.service, **dict.fromkeys(fewer, 0.0)}))
    networks = [network_of(model) for model in models]
    solutions = [solve(network) for network in networks]
    used, held = _uses(base.network, now.use), _held(base.network, now)
    outcomes = [
        _possible(network, _within_volumes(network, _corrected(base, network, solution), held), used)
        for network, solution in zip(networks, solutions, strict=True)
    ]
    return networks[0], solutions, _bounded(base, model, now, _between(outcomes[0], outcomes[-1]))


def _between(outcome: _Outcome, other: _Outcome) -> _Outcome:
    """Return the outcome in the middle of two, by ratios; resources are used as in the first."""
    flows = tuple(
        flow._replace(rate=sqrt(flow.rate * opposite.rate), response=sqrt(flow.response * opposite.response))
        for flow, opposite in zip(outcome.flows, other.flows, strict=True)
    )
    times = sum(flow.rate for flow in flows) / outcome.rate
    return _Outcome(flows, tuple(use * times for use in outcome.use))


def _relieved(base: FittedInterval, model: FittedModel, used: Mapping[tuple[str, str], float]) -> list[str]:
    """Return the LCUs that are full and get fewer requests at once, with the same volumes: fewer aliases."""
    had, has = subchannels(base.model), subchannels(model)
    before, after = ({(flow.lcu, flow.volume) for flow in state.flows} for state in (base.model, model))
    moved = {lcu for lcu, _ in before ^ after}
    return [
        lcu
        for lcu in had
        if lcu not in moved and has[lcu] < had[lcu] and used.get(("lcu", lcu), 0.0) > FULL_ENOUGH
    ]


def _bounded(base: FittedInterval, model: FittedModel, now: _Outcome, then: _Outcome) -> _Outcome:
    """Return an outcome in which more of a resource gives no less than now, and less of one no more."""
    less, more = then.rate < now.rate, then.rate > now.rate
    if (less and _only_adds(base.model, model)) or (more and _only_adds(model, base.model)):
        times = now.rate / then.rate
        return _Outcome(now.flows, tuple(use * times for use in then.use))
    return then


def _with_fewer_aliases(
    base: FittedInterval, now: _Outcome, changes: Sequence[Change]
) -> Iterator[tuple[Network, _Outcome]]:
    """Yield what fewer aliases than a change names give: a pool gives no less than a smaller one, or none.

    By how much less the approximation of a small pool may give is its error.
    """
    for many in SMALL_POOLS:
        fewer = [
            change._replace(number=min(change.number, many)) if isinstance(change, AliasNumber) else change
            for change in changes
        ]
        if fewer == list(changes):
            return
        model = changed(base.model, fewer)
        if many or not _only_adds(base.model, model):
            network, _, outcome = _outcome(base, model, now)
            yield network, outcome


def _only_adds(base: FittedModel, model: FittedModel) -> bool:
    """Return whether a change leaves all requests where they are, and takes no resource away.

    It gives no less throughput then; by how much less the approximation may give in such a case is its error.
    """
    same = [flow._replace(servers=0.0) for flow in base.flows] == [
        flow._replace(servers=0.0) for flow in model.flows
    ]
    return (
        same
        and model.processors >= base.processors
        and all(model.lcus[key].aliases >= lcu.aliases for key, lcu in base.lcus.items())
        and all(model.paths[key].servers >= path.servers for key, path in base.paths.items())
        and all(new.servers >= old.servers for new, old in zip(model.flows, base.flows, strict=True))
    )


def _adds_to_pools(base: FittedModel, model: FittedModel) -> bool:
    """Return whether a change adds aliases to a pool."""
    return any(model.lcus[key].aliases > lcu.aliases for key, lcu in base.lcus.items())


def _changed_volumes(base: FittedModel, model: FittedModel) -> set[str]:
    """Return the keys of the volumes that do more or fewer requests at once after a change."""
    had = {flow.volume: flow.servers for flow in base.flows}
    return {flow.volume for flow in model.flows if had.get(flow.volume, flow.servers) != flow.servers}


def _corrected(base: FittedInterval, network: Network, solution: Solution) -> _Outcome:
    """Return a solution, corrected by what is measured over what the model gives for the same interval.

    The rates are those of classes; the times those of a class on an LCU, or where it was not there before,
    of the class.  So the utilisation of processors, paths and LCUs before a change is the measured one.
    Where less is measured than the model gives, requests wait less: their service was measured as well.
    """
    measured = class_rates(base.model)
    times = _times(base)
    modelled = {
        asked.title: rate for asked, rate in zip(base.network.classes, base.solution.rates, strict=True)
    }
    flying = {
        asked.title: base.model.response[asked.title] * measured[asked.title] / _in_flight(flows)
        for asked, flows in zip(base.network.classes, base.solution.flows, strict=True)
        if _in_flight(flows)
    }
    results: list[FlowResult] = []
    rates: list[float] = []
    for request_class, rate, flows in zip(network.classes, solution.rates, solution.flows, strict=True):
        more = (
            measured[request_class.title] / modelled[request_class.title]
            if modelled[request_class.title]
            else 1.0
        )
        mine = []
        for asks, flow in zip(request_class.flows, flows, strict=True):
            longer, waits = times.get((request_class.title, flow.unit), times[request_class.title, ""])
            response = longer * (asks.least + waits * (flow.response - asks.least))
            mine.append(flow._replace(rate=flow.rate * more, response=response))
        results += _as_many(
            mine, request_class.flows, _in_flight(flows) * flying.get(request_class.title, 1.0)
        )
        rates.append(rate * more)
    overall = sum(flow.rate for flow in results) / solution.rate
    use = (
        overall * used if station.kind == "volume" else asked
        for station, asked, used in zip(network.stations, _asked(network, rates), solution.use, strict=True)
    )
    return _Outcome(tuple(results), tuple(use))


def _asked(network: Network, rates: Iterable[float]) -> list[float]:
    """Return how busy requests of the classes at these rates keep each station that is no volume."""
    seconds_at = [0.0] * len(network.stations)
    for request_class, rate in zip(network.classes, rates, strict=True):
        for station, seconds in request_class.demands():
            seconds_at[station] += rate * seconds
    return [seconds / station.servers for seconds, station in zip(seconds_at, network.stations, strict=True)]


def _in_flight(flows: Iterable[FlowResult]) -> float:
    """Return how many requests some flows have in Linux and beyond."""
    return fsum(flow.rate * flow.response for flow in flows)


def _as_many(flows: Sequence[FlowResult], asks: Sequence[Flow], many: float) -> Sequence[FlowResult]:
    """Return the flows of a class with their waits scaled, so that so many requests are in flight.

    Where volumes of several LCUs are nearly full, a small change lets most requests wait in another LCU, and
    what is measured of one says nothing of the other; how many there are stays.
    """
    least = fsum(flow.rate * ask.least for flow, ask in zip(flows, asks, strict=True))
    waiting = _in_flight(flows) - least
    if waiting <= 0 or many <= least:
        return flows
    times = (many - least) / waiting
    return [
        flow._replace(response=ask.least + times * (flow.response - ask.least))
        for flow, ask in zip(flows, asks, strict=True)
    ]


def _times(base: FittedInterval) -> dict[tuple[str, str], tuple[float, float]]:
    """Return how many times the modelled response, and of this how many times the wait, each class has.

    By class and LCU; with no key, on all LCUs.
    """
    measured: dict[tuple[str, str], tuple[float, float]] = {}
    for flow in base.model.flows:
        for unit in (flow.lcu, ""):
            rate, work = measured.get((flow.members, unit), (0.0, 0.0))
            measured[flow.members, unit] = rate + flow.rate, work + flow.rate * flow.response
    times = {}
    for request_class, flows in zip(base.network.classes, base.solution.flows, strict=True):
        for unit in {"", *(flow.unit for flow in flows)}:
            mine = [
                pair for pair in zip(request_class.flows, flows, strict=True) if unit in {"", pair[1].unit}
            ]
            least = sum(asks.part * asks.least for asks, _ in mine) / sum(asks.part for asks, _ in mine)
            modelled = mean_response(flow for _, flow in mine)
            rate, work = measured[request_class.title, unit]
            scale = work / rate if rate and modelled else modelled
            if scale >= modelled > 0:
                times[request_class.title, unit] = scale / modelled, 1.0
            elif scale > least:
                times[request_class.title, unit] = 1.0, (scale - least) / (modelled - least)
            else:
                times[request_class.title, unit] = scale / least if least else 1.0, 0.0
    return times


def _held(network: Network, outcome: _Outcome) -> dict[str, float]:
    """Return which part of its subchannels each volume has in use for service alone, by its key."""
    asks = [flow for request_class in network.classes for flow in request_class.flows]
    held: dict[str, float] = {}
    for ask, flow in zip(asks, outcome.flows, strict=True):
        volume = network.stations[ask.volume]
        held[volume.key] = held.get(volume.key, 0.0) + flow.rate * ask.least / volume.servers
    return held


def _within_volumes(network: Network, then: _Outcome, before: Mapping[str, float]) -> _Outcome:
    """Return an outcome in which no volume serves for more than all of its time, or than `before`.

    Classes that ask more of one are answered so much later.
    """
    over = {key: held / max(1.0, before.get(key, 1.0)) for key, held in _held(network, then).items()}
    flows: list[FlowResult] = []
    for request_class in network.classes:
        times = max(1.0, *(over[network.stations[ask.volume].key] for ask in request_class.flows))
        flows += (
            flow._replace(rate=flow.rate / times, response=flow.response * times)
            for flow in then.flows[len(flows) : len(flows) + len(request_class.flows)]
        )
    return then._replace(flows=tuple(flows))


def _possible(network: Network, then: _Outcome, before: Mapping[tuple[str, str], float]) -> _Outcome:
    """Return an outcome in which no shared resource is used for more than all of its time, or than `before`.

    Where it would be, all requests are so much fewer; where they wait for it after they were started, which
    is for all but processors, they take so much longer.
    """
    over, kind = max(
        (
            (use / max(1.0, before.get((station.kind, station.key), 1.0)), station.kind)
            for use, station in zip(then.use, network.stations, strict=True)
            if station.kind != "volume"
        ),
        default=(1.0, ""),
    )
    if over <= 1:
        return then
    longer = 1.0 if kind == CPU else over
    return _Outcome(
        tuple(flow._replace(rate=flow.rate / over, response=flow.response * longer) for flow in then.flows),
        tuple(use / over for use in then.use),
    )


def _paths_used(model: FittedModel) -> int:
    """Return how many channel paths lead to LCUs with I/O, and are used."""
    groups = {model.group_of[flow.lcu] for flow in model.flows if flow.lcu in model.group_of}
    return round(sum(model.paths[group].servers for group in groups))


def gains_little(prediction: Prediction) -> bool:
    """Return whether a change is not worth its work: neither more throughput nor shorter responses."""
    now, then = prediction.whole.response
    return prediction.times < LITTLE and not (then * LITTLE <= now)


def loss_words(prediction: Prediction) -> str:
    """Return a sentence, without its stop, why a gain that has a number may be a loss; empty if it is none.

    The range is that of the model: what it does not know may be more than what it computes to be gained.
    """
    has_loss = round(prediction.throughput[0] / prediction.whole.rate[0], 2) < 1  # as it is written
    if prediction.times < 1 or prediction.is_within_error or not has_loss:
        return ""
    unknown = "; ".join(assumption.unknown for assumption in prediction.assumed)
    return f"The model may be wrong by more than the gain, because: {unknown}"


class _Doubt(NamedTuple):
    """Something that an interval does not show and a change needs."""

    assumed: Assumption
    models: tuple[FittedModel, ...] = ()
    """After the change, with what it may be instead."""
    crowded: Sequence[str] = ()
    """LCUs that may become slow."""
    is_blind: bool = False
    """Whether it alone makes the confidence low."""
    may_gain_nothing: bool = False
    """Whether what is added may be of no use."""
    is_swap: bool = False
    """Whether requests may find nothing to wait for afterwards, as so many more may not come."""


def _uses(network: Network, used: Sequence[float]) -> dict[tuple[str, str], float]:
    """Return the utilisation of each station by its kind and key."""
    return {(station.kind, station.key): use for use, station in zip(used, network.stations, strict=True)}


def _doubts(
    base: FittedInterval,
    model: FittedModel,
    used: tuple[Mapping[tuple[str, str], float], Mapping[tuple[str, str], float]],
    changes: Sequence[Change],
) -> Iterator[_Doubt]:
    """Yield what the interval does not show; `used` are the utilisations before and after the changes."""
    now, then = used
    if any(flow.ahead for flow in base.model.flows):
        yield _Doubt(
            Assumption(
                "writes come in bursts and wait longer than reads", "programs are taken not to wait for them"
            )
        )
    before: dict[str, float] = {}
    """Of each storage server the most subchannels of an LCU; those of one are taken to be alike."""
    for lcu, many in subchannels(base.model).items():
        box = model.lcus[lcu].box or lcu
        before[box] = max(many, before.get(box, 0.0))
    has = subchannels(model)
    crowded = [lcu for lcu, many in has.items() if many > before.get(model.lcus[lcu].box or lcu, many)]
    if crowded or (_adds_to_full(base, model) and base.load.processors.taken > COMPUTING):
        slow = [lcu for lcu in crowded if has[lcu] > CROWD]
        yield _Doubt(
            Assumption(
                "an LCU gets more requests at once than now",
                "its service time is taken to stay the same",
                BLIND_ERROR if slow else ERROR,
            ),
            crowded=slow,
        )
    if base.model.arms and [flow.volume for flow in base.model.flows] != [
        flow.volume for flow in model.flows
    ]:
        yield _Doubt(
            Assumption(
                "requests wait for the disks behind an LCU",
                "volumes of one LCU are taken to share them, and new volumes to bring as many",
                BLIND_ERROR,
            ),
            is_blind=True,
        )
    if _relieved(base, model, now):
        yield _Doubt(
            Assumption(
                "an LCU gets fewer requests at once than now",
                "whether they wait in it or make it slow is not known, and the middle is taken",
            )
        )
    if any(not paths.pooled for paths in base.model.paths.values()):
        yield _Doubt(
            Assumption(
                "the time in a storage server behind FCP is not measured apart from the wait for a path",
                error=BLIND_ERROR,
            )
        )
    if any(isinstance(change, PathsInUse) for change in changes):
        # those that come into use may be met evenly
        evenly = {key: path._replace(pooled=True) for key, path in model.paths.items()}
        yield _Doubt(
            Assumption("how requests are spread over the paths is not known", "it is taken to be at random"),
            (model._replace(paths=evenly),),
        )
    swap = [base.model.titles.get(key, key) for key in _changed_volumes(base.model, model) & base.load.swap]
    if swap:
        are = "is a swap volume" if len(swap) == 1 else "are swap volumes"
        yield _Doubt(
            Assumption(
                f"{' and '.join(sorted(swap))} {are}", "programs are taken to swap as fast as it answers"
            ),
            is_swap=True,
            may_gain_nothing=_only_adds(base.model, model),
        )
    pending = _hidden(base, model, now, then)
    if pending:
        yield _Doubt(
            Assumption("the channel paths are full", "how much of Pend is the wait for them is not known"),
            (model._replace(latency={**model.latency, **pending}),),
            is_blind=True,
        )
    yield from _processor_doubts(base, model, (now.get(PROCESSORS, 0.0), then.get(PROCESSORS, 0.0)))


def _hidden(
    base: FittedInterval,
    model: FittedModel,
    now: Mapping[tuple[str, str], float],
    then: Mapping[tuple[str, str], float],
) -> dict[str, float]:
    """Return Pend of the LCUs behind paths that are full before a change which adds some or relieves them.

    It may be the wait for a path, which ends then, or the time until the LCU accepts a request.
    """
    hidden = {}
    for lcu, group in base.model.group_of.items():
        ones = base.load.volumes_of(lcu)
        pend, serv = mean_of(ones, "pend"), mean_of(ones, "serv")
        use, later = (uses.get(("paths", group), 0.0) for uses in (now, then))
        added = model.paths[group].servers > base.model.paths[group].servers
        if use < FULL_PATHS or not base.model.paths[group].pooled or (later > FALLS * use and not added):
            continue
        if isinstance(pend, Absent) or isinstance(serv, Absent):
            continue
        if pend - base.model.latency[lcu] > HIDDEN * serv:
            hidden[lcu] = float(pend)
    return hidden


def _processor_doubts(base: FittedInterval, model: FittedModel, use: tuple[float, float]) -> Iterator[_Doubt]:
    """Yield what is not known of processors; `use` is their utilisation before and after a change."""
    processors = base.load.processors
    fewer = model.processors != base.model.processors
    if _is_full(base) and (_adds_to_full(base, model) or use[1] < FALLS * use[0]):
        # any number may wait, up to as many as keep those that are added as busy
        times = max(MORE, model.processors / base.model.processors)
        many = {owner: times * number for owner, number in model.population.items()}
        full = processors_full(processors) or processors.stolen >= MUCH_STOLEN
        busy = "the full processors" if full else f"processors that are {100 * processors.taken:.0f} % busy"
        yield _Doubt(
            Assumption(f"how many programs wait for {busy} is not known", "it is computed from their load"),
            (model._replace(population=many),),
            may_gain_nothing=_adds_to_full(base, model) and not processors.waits,
        )
    if isinstance(processors.background, Absent) and model.computing and (fewer or max(use) > FULL_ENOUGH):
        yield _Doubt(
            Assumption(
                "how much processor time does not go with I/O is not known, as the rate of requests did not"
                " vary",
                "all of it is taken to go with requests",
            )
        )
    if model.withheld > WITHHELD:
        yield _Doubt(
            Assumption(
                f"the hypervisor withholds {100 * processors.stolen:.0f} % of the processors' time",
                "this is taken to stay so, and more virtual processors to get no more",
            )
        )


def _is_full(base: FittedInterval) -> bool:
    """Return whether processors are full."""
    taken = base.load.processors.taken
    return not isinstance(taken, Absent) and taken > FULL_PROCESSORS


def _adds_to_full(base: FittedInterval, model: FittedModel) -> bool:
    """Return whether processors are full, and a change adds some."""
    return _is_full(base) and model.processors > base.model.processors


def _limiting(network: Network, used: Sequence[float]) -> tuple[float, Station] | None:
    """Return the station that limits, and its utilisation; a volume only where nothing shared is full."""
    pairs = list(zip(used, network.stations, strict=True))
    shared = [(use, station) for use, station in pairs if station.kind != "volume" and use > 0]
    volumes = [(use, station) for use, station in pairs if station.kind == "volume" and use > FULL_ENOUGH]
    full = [pair for pair in shared if pair[0] > FULL_ENOUGH] or volumes or shared
    if not full:
        return None
    most = max(use for use, _ in full) * (1 - ALIKE)  # of volumes that are used alike always the same
    return min((pair for pair in full if pair[0] >= most), key=lambda candidate: candidate[1].key)


def _fullest(network: Network, used: Sequence[float]) -> tuple[str, Number, tuple[str, str]]:
    """Return the name of what limits, its utilisation with what others use of it, and its kind and key."""
    limiting = _limiting(network, used)
    if limiting is None:
        return "", NO_LIMIT, ("", "")
    use, station = limiting
    used_of_it = (use * station.servers + station.outside) / (station.servers + station.outside)
    return station.title, min(used_of_it, 1.0), (station.kind, station.key)


def _bounds(
    load: ObservedLoad, network: Network, used: Sequence[float], times: float
) -> Iterator[tuple[tuple[str, str], float, str]]:
    """Yield the most throughput that each resource allows whose load is measured.

    Each has the kind and key of its station before it, and its title behind it; `used` is how busy the
    stations are at so many times the present throughput.
    """
    given = {lcu.key for lcu in load.lcus if not isinstance(lcu.capacity, Absent)}
    for use, station in zip(used, network.stations, strict=True):
        is_measured = (
            station.kind == CPU
            or (station.kind == "paths" and load.paths_measured)
            or (station.kind == "lcu" and station.key in given)
        )
        if is_measured and use > 0:
            place = station.kind, station.key
            yield place, times / min(use, 1.0) * (1 + THROUGHPUT_ERROR), station.title


class ThroughputBound(NamedTuple):
    """The most throughput that a resource allows, as a multiple of the present one."""

    times: float
    title: str
    """Of the resource."""


def bound_of_placements(load: ObservedLoad) -> ThroughputBound | None:
    """Return the lowest bound by what all placements need alike: processors, and paths that all LCUs share.

    It is the one that a prediction has, without solving a network.  None: no load of these is measured.

    Raises:
        ValueError: there is no I/O of which the times were measured.
    """
    model = observed_model(load)
    network, rates = network_of(model), class_rates(model)
    used = _asked(network, [rates[request_class.title] for request_class in network.classes])
    alike = {CPU, *(["paths"] if len(model.paths) == 1 else [])}
    return min(
        (
            ThroughputBound(times, title)
            for (kind, _), times, title in _bounds(load, network, used, 1.0)
            if kind in alike
        ),
        default=None,
    )


def _is_steady(load: ObservedLoad) -> bool:
    """Return whether always about as many requests are in flight: programs wait for nothing else but I/O."""
    mean = fsum(
        volume.rate * volume.response for volume in load.used if not isinstance(volume.response, Absent)
    )
    most = STEADY[0] + STEADY[1] * mean
    ends = [float(many) for many in load.in_flight if not isinstance(many, Absent)]
    return mean >= LEAST_IN_FLIGHT and bool(ends) and all(abs(many - mean) <= most for many in ends)


def _units(base: FittedInterval, model: FittedModel, then: _Outcome) -> Iterator[UnitOutcome]:
    """Yield the outcome of each LCU."""
    for key, lcu in model.lcus.items():
        mine = [flow for flow in base.model.flows if flow.lcu == key]
        after = [flow for flow in then.flows if flow.unit == key]
        rate, then_rate = sum(flow.rate for flow in mine), sum(flow.rate for flow in after)
        if not max(rate, then_rate):
            continue
        answer: Number = absent("no I/O before the change")
        if rate:
            answer = sum(flow.rate * flow.response for flow in mine) / rate
        response: Number = mean_response(after) if then_rate else absent("no I/O after the change")
        yield UnitOutcome(
            key,
            lcu.title,
            (rate, then_rate),
            (sum(flow.rate * flow.size for flow in mine), sum(flow.rate * flow.size for flow in after)),
            (answer, response),
        )


def _sum_of(units: Sequence[UnitOutcome]) -> UnitOutcome:
    """Return the outcome of all LCUs, of which the rows are the parts."""
    rates = [sum(unit.rate[at] for unit in units) for at in (0, 1)]
    moved = [sum(unit.bytes[at] for unit in units) for at in (0, 1)]
    work: list[Number] = [
        sum(unit.rate[at] * unit.response[at] for unit in units if unit.rate[at]) for at in (0, 1)
    ]
    return UnitOutcome(
        "",
        "All LCUs",
        (rates[0], rates[1]),
        (moved[0], moved[1]),
        (work[0] / rates[0], work[1] / rates[1]),
    )


def _lacks_cache(load: ObservedLoad) -> bool:
    """Return whether requests have some Disc, and no cache statistics tell what of it is for misses."""
    has_disc = any(volume.disc > 0 for volume in load.volumes)
    return has_disc and all(isinstance(lcu.misses, Absent) for lcu in load.lcus)


def _missing(base: FittedInterval) -> list[Assumption]:
    """Return what was not measured and what is taken instead."""
    load, model = base.load, base.model
    missing = []
    if any(volume.estimated for volume in load.volumes if volume.rate):
        apart = lcus_with_waits_apart(load)
        full = [lcu.title for lcu in load.lcus if lcu.key in apart]
        longer = f", and what is longer in {names(full)} than elsewhere as the wait for it" if full else ""
        busy = f"the busy time of a disk per request is taken as its service time{longer}"
        missing.append(Assumption("no channel measurement", busy, BLIND_ERROR))
    if _lacks_cache(load):
        disc = "Disc of requests below 64 KiB is taken to be cache misses, unless writes have it as well"
        missing.append(Assumption("no cache statistics", disc))
    if not model.processors:
        missing.append(Assumption("the load of the processors was not read", "they are left out"))
    if not load.knows_paths:
        missing.append(Assumption("the load of the channel paths is not known"))
    return missing
