"""Throughput and response after a change: the one answer to "what if".

The model is fitted to an interval (`fit`), changed (`changed`) and solved.  What it gives after the change in
comparison with what it gives before is applied to what was measured, so that what it gets wrong in both
cancels.  The range comes from errors in the laboratory: see `benchmarks/whatif.py` and docs/whatif.md.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent
from zmon.queueing.change import PathsInUse, changed
from zmon.queueing.fit import class_rates, fit, network_of, subchannels
from zmon.queueing.network import mean_response, solve
from zmon.queueing.observation import mean_of
from zmon.queueing.waiting import FULL_PROCESSORS
from zmon.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.absent import Number
    from zmon.queueing.change import Change
    from zmon.queueing.fit import FittedModel, FlowShare
    from zmon.queueing.network import FlowResult, Network, Solution
    from zmon.queueing.observation import ObservedLoad

THROUGHPUT_ERROR: Final = 0.15
RESPONSE_ERROR: Final = 0.25
"""The errors that 17 of 19 predictions for scenarios of the laboratory keep: see docs/whatif.md."""
WORSE: Final = 1.6
"""How many times larger the range is for each thing that is not known."""
FULL_ENOUGH: Final = 0.8
"""Utilisation from which on a resource limits."""
SHOWN: Final = 0.001
"""The part of all I/O below which an LCU is not shown."""
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
    """The most throughput as a multiple of the present one: with what limits next used all the time, and
    more by the error of the throughput where something is not known."""
    paths: int
    """How many channel paths count."""
    confidence: str
    """`high`, `fair` or `low`."""
    missing: tuple[str, ...]
    """What was not measured or cannot be seen, and what is taken instead."""

    @property
    def times(self) -> float:
        """The throughput after as a multiple of that before."""
        return self.whole.rate[1] / self.whole.rate[0]


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
    model = fit(once.load, shares)
    network = network_of(model)
    return FittedInterval(once.load, model, network, solve(network))


def predict(base: FittedInterval, changes: Sequence[Change]) -> Prediction:
    """Return throughput and response after changes.

    Raises:
        ChangeError: a change cannot be made.
    """
    model = changed(base.model, changes)
    network = network_of(model)
    after = solve(network)
    best = _best(model, changes, after)
    rate = sum(class_rates(base.model).values())
    factor = after.rate / base.solution.rate
    response = _answer(base.model)
    longer = after.response / base.solution.response
    moved = sum(flow.rate * flow.size for flow in base.model.flows)
    whole = UnitOutcome(
        "",
        "All LCUs",
        (rate, rate * factor),
        (moved, moved * after.bytes / base.solution.bytes),
        (response, response * longer),
    )
    limit, use = _fullest(network, after)
    limit_before, use_before = _fullest(base.network, base.solution)
    missing = (*_missing(base), *_unknown(base, model, changes))
    wider = WORSE ** len(missing)
    error, slower = 1 + THROUGHPUT_ERROR * wider, 1 + RESPONSE_ERROR * wider
    bound = factor / use if isinstance(use, Absent) else factor / use * (error if missing else 1.0)
    most = float("inf") if isinstance(bound, Absent) else rate * bound
    return Prediction(
        whole,
        tuple(_units(base, model, after, whole)),
        (
            whole.rate[1] / error,
            min(most, whole.rate[1] * best.rate / after.rate * error),
        ),
        (
            response * min(longer, best.response / base.solution.response) / slower,
            response * longer * slower,
        ),
        limit,
        use,
        limit_before,
        use_before,
        bound,
        round(sum(one.servers for one in model.paths.values())),
        ("high", "fair", "low")[min(2, len(missing))],
        missing,
    )


def _best(model: FittedModel, changes: Sequence[Change], after: Solution) -> Solution:
    """Return what becomes of a model if paths of FCP adapters that come into use are met evenly."""
    if not any(isinstance(change, PathsInUse) for change in changes):
        return after
    evenly = {key: one._replace(pooled=True) for key, one in model.paths.items()}
    return solve(network_of(model._replace(paths=evenly)))


def _unknown(base: FittedInterval, model: FittedModel, changes: Sequence[Change]) -> Iterator[str]:
    """Yield what the interval does not show and the change needs, and what is taken instead."""
    if any(flow.ahead for flow in base.model.flows):
        yield "writes come many at once and wait longer than reads: no program is taken to wait for them"
    before: dict[str, float] = {}
    """Of each storage server the most subchannels of an LCU; those of one are taken to be alike."""
    for lcu, many in subchannels(base.model).items():
        box = model.lcus[lcu].box or lcu
        before[box] = max(many, before.get(box, 0.0))
    then = subchannels(model).items()
    if any(many > before.get(model.lcus[lcu].box or lcu, many) for lcu, many in then):
        yield "an LCU gets more requests at once than now: it is taken to be as quick with them"
    if any(not paths.pooled for paths in base.model.paths.values()):
        yield "FCP adapters: what the storage server takes is not measured apart from the wait for a path"
    if any(isinstance(change, PathsInUse) for change in changes):
        yield "how many requests in turn a path gets is not known: disks are taken to meet there by chance"
    busy = base.load.processors.busy
    if not isinstance(busy, Absent) and busy > FULL_PROCESSORS and model.processors != base.model.processors:
        yield "how many programs wait for full processors is not known: it is taken from their utilisation"


def _answer(model: FittedModel) -> float:
    """Return the response time of a mean request as measured."""
    rates = class_rates(model)
    return sum(rates[owner] * time for owner, time in model.response.items()) / sum(rates.values())


def _fullest(network: Network, solution: Solution) -> tuple[str, Number]:
    """Return the station that limits, and its utilisation; a volume only where nothing shared is full."""
    pairs = list(zip(solution.use, network.stations, strict=True))
    shared = [(use, one) for use, one in pairs if one.kind != "volume" and use > 0]
    volumes = [(use, one) for use, one in pairs if one.kind == "volume" and use > FULL_ENOUGH]
    known = [each for each in shared if each[0] > FULL_ENOUGH] or volumes or shared
    if not known:
        return "", NO_LIMIT
    use, station = max(known, key=lambda each: each[0])
    return station.title, min(use, 1.0)


def _units(
    base: FittedInterval, model: FittedModel, after: Solution, whole: UnitOutcome
) -> list[UnitOutcome]:
    """Return the outcome of each LCU, so that their sums are those of all."""
    found = []
    before, then = (_by_unit(solution) for solution in (base.solution, after))
    measured: dict[str, tuple[float, float]] = {}
    for flow in base.model.flows:
        rate, moved = measured.get(flow.lcu, (0.0, 0.0))
        measured[flow.lcu] = rate + flow.rate, moved + flow.rate * flow.size
    scale = whole.rate[1] / after.rate
    for key, lcu in model.lcus.items():
        rate, moved = measured.get(key, (0.0, 0.0))
        now = then.get(key, [])
        then_rate = scale * sum(flow.rate for flow in now)
        if max(rate, then_rate) <= SHOWN * whole.rate[0]:
            continue
        answer = _response_of(base.load, key)
        old, new = mean_response(before.get(key, [])), mean_response(now)
        correction = (
            max(0.5, min(2.0, float(answer) / old)) if old and not isinstance(answer, Absent) else 1.0
        )
        found.append(
            UnitOutcome(
                key,
                lcu.title,
                (rate, then_rate),
                (moved, scale * sum(flow.rate * flow.size for flow in now)),
                (answer, new * correction if now else absent("no I/O after the change")),
            )
        )
    return _adding_up(found, whole)


def _adding_up(units: list[UnitOutcome], whole: UnitOutcome) -> list[UnitOutcome]:
    """Scale the responses after the change so that their mean is that of all LCUs."""
    work: Number = sum(one.rate[1] * one.response[1] for one in units if one.rate[1])
    if isinstance(work, Absent) or work <= 0:
        return units
    factor = whole.response[1] * sum(one.rate[1] for one in units) / work
    return [one._replace(response=(one.response[0], one.response[1] * factor)) for one in units]


def _by_unit(solution: Solution) -> dict[str, list[FlowResult]]:
    found: dict[str, list[FlowResult]] = {}
    for flows in solution.flows:
        for flow in flows:
            found.setdefault(flow.unit, []).append(flow)
    return found


def _response_of(load: ObservedLoad, lcu: str) -> Number:
    return mean_of(load.volumes_of(lcu), "response")


def _missing(base: FittedInterval) -> list[str]:
    """Return what was not measured and what is taken instead, a sentence each."""
    load, model = base.load, base.model
    found = []
    if any(one.estimated for one in load.volumes if one.rate):
        found.append(
            "no channel measurement: the service time is the time that Linux has requests per request"
        )
    if all(isinstance(one.misses, Absent) for one in load.lcus):
        found.append("no cache statistics: what of Disc is cache misses is taken from the size of requests")
    if not model.processors:
        found.append("no utilisation of processors: they are not counted")
    if not any(isinstance(use, float) for use in load.paths.values()):
        found.append("no load of channel paths")
    return found
