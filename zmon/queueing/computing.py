"""Processors: what requests need of them, and how many programs wait for one.

Processor time is that of requests and, where the rate of requests varied from interval to interval, what does
not go with them: the line through processors in use by requests a second begins there.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.record import NamedTuple
from zmon.machine.observation import NOT_VARIED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.base.absent import Number
    from zmon.machine.observation import ObservedLoad

MOST_BACKGROUND: Final = 0.95
"""The part of the processor time that does not go with I/O at most."""
MAX_CUSTOMERS: Final = 20_000
"""Requests at once beyond which those that wait for processors do not count."""
LEAST_INTERVALS: Final = 8
"""Intervals through which a line is drawn at least."""
VARIES: Final = 0.2
"""The standard deviation of the rate of requests, as a part of its mean, from which on it varies: less
may be due to writes that come in bursts."""
SURE: Final = 0.1
"""The standard error of what does not go with requests, as a part of the processors in use, up to which it
is known."""


class ProcessorLoad(NamedTuple):
    """What is asked of processors; the time that the hypervisor withholds counts as asked."""

    number: float
    """0: not known."""
    background: float
    """How many do what does not go with requests."""
    requests: float
    """How many do what goes with requests."""
    withheld: float
    """The part of this time that the hypervisor withholds."""


def background(points: Sequence[tuple[float, float]]) -> Number:
    """Return how many processors do what does not go with requests; absent where that does not show.

    Args:
        points: of each interval the requests per second, and how many processors are busy; the present first.
    """
    many = len(points)
    if many < LEAST_INTERVALS:
        return NOT_VARIED
    rate, busy = (sum(values) / many for values in zip(*points, strict=True))
    square = sum((x - rate) ** 2 for x, _ in points)
    if square < many * (VARIES * rate) ** 2 or not square:
        return NOT_VARIED
    slope = sum((y - rate) * (x - busy) for y, x in points) / square
    begin = busy - slope * rate
    left = sum((y - begin - slope * x) ** 2 for x, y in points)
    error = sqrt(left / (many - 2) * (1.0 / many + rate * rate / square))
    if slope < 0 or error > SURE * points[0][1]:
        return NOT_VARIED
    return max(0.0, float(begin))


def processor_load(load: ObservedLoad) -> ProcessorLoad:
    """Return what is asked of processors in an interval."""
    number, busy, _stolen, apart = load.processors[:4]
    taken = load.processors.taken
    if isinstance(number, Absent) or isinstance(busy, Absent) or isinstance(taken, Absent):
        return ProcessorLoad(0.0, 0.0, 0.0, 0.0)
    if not busy:
        return ProcessorLoad(float(number), 0.0, 0.0, 0.0)
    whole = float(taken) * float(number)
    other = 0.0 if isinstance(apart, Absent) else min(MOST_BACKGROUND * whole, float(apart) * taken / busy)
    return ProcessorLoad(float(number), other, whole - other, 1.0 - float(busy) / float(taken))


def at_processors(use: float, processors: float, answers: float) -> float:
    """Return how many requests compute, or wait for a processor, where programs wait for answers in between.

    What is known is how busy processors are, and that a request computes, then waits for its answer for
    `answers` times as long.  Of so many customers a station of one server is 1 - B(customers, answers) busy,
    with Erlang's B (the machine repairman); several are such a station that is so many times as quick, and a
    time without waiting for the rest (Seidmann, Schweitzer and Shalev-Oren 1987).
    """
    between = answers * processors + processors - 1
    idle, customers, before = 1.0, 0, 1.0
    while idle > 1 - use and customers < MAX_CUSTOMERS:
        before, customers = idle, customers + 1
        idle = between * idle / (customers + between * idle)
    if customers == MAX_CUSTOMERS or not customers:
        return use * processors
    exact = customers - (1 - use - idle) / (before - idle)
    return max(use * processors, exact - use * answers * processors)
