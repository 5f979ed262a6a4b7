"""How a figure is taken from a simulation: `MB/s of LCU 6 in four`, `IO/s / IO/s at pav-3`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.sizes import MB, SECTOR
from zmon.lab.engine import BUCKETS, LAST
from zmon.lab.engine_state import NEVER

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zmon.lab.model import Scenario
    from zmon.lab.simulation import IntervalCounts, Simulation, VolumeCounts

QUANTITIES: Final = {
    "MB/s": "what is read and written; of a path group, an LCU, a volume, or all",
    "IO/s": "how many requests; of the same",
    "response": "ms that Linux waits for a request on average; of the same",
    "in flight": "requests in Linux and beyond on average; of the same",
    "busy": "percent of the time; of a path group, an LCU, a volume, or `cpu`",
    "array IO/s": "how many requests the arrays do; of an LCU",
    "per second": "how many of what is counted by name",
    "time": "ms of it on average",
    "cpu": "ms of processor time for each of what is counted by name",
    "total peak": "ms, upper end of the bucket that holds most requests, from Linux to the answer",
    "service peak": "the same from start to interrupt",
    "service": "ms from start to interrupt on average",
    "total median": "ms from Linux to the answer, of half of the requests at most",
    "before": "how many requests a request finds on its volume on average",
    "total within": "percent of the requests whose time from Linux to the answer is in a range: 0.512-1.024",
    "service within": "the same from start to interrupt",
    "steal": "percent of the time of its processors that z/VM did not give this Linux",
    "swapped": "pages that are swapped in and out in a second",
    "waits": "percent of the time in which a task waits for I/O",
}
WITHIN: Final = ("total within", "service within")
"""Those with a range of ms behind them."""
OF_GUEST: Final = ("steal", "swapped", "waits")
"""Those of Linux itself."""
_MEASURE: Final = re.compile(
    rf"({'|'.join(map(re.escape, QUANTITIES))})(?: ([\d.]+)-([\d.]+))?"
    r"(?: of (.+?))?(?: in (.+?))?(?: at ([\w.-]+))?"
)
BY_NAME: Final = ("per second", "time", "cpu")
"""Those of what is counted by name."""
HISTOGRAMS: Final = {
    "total peak": 1, "total median": 1, "total within": 1, "service peak": 2, "service within": 2,
    "before": 4,
}  # fmt: skip
"""Which of the histograms of a disk."""
_ENDS: Final = (0.0, *((4 << bucket) / 1e3 for bucket in range(LAST)))
"""Where the buckets of a histogram of times begin and end, in ms; the last has no end."""


class Measure(NamedTuple):
    """One quantity."""

    quantity: str
    of: str
    phase: str
    """Empty for all phases."""
    scenario: str
    """Empty for the one whose figure it is."""
    low: float = 0.0
    high: float = 0.0
    """The range of those in `WITHIN`."""


class MeasureError(ValueError):
    """What is to be measured is not there."""


def parse_measure(text: str) -> tuple[Measure, ...]:
    """Return what is to be measured: one quantity, or two whose ratio is wanted.

    Raises:
        ValueError: it is not understood.
    """
    match = [_MEASURE.fullmatch(part.strip()) for part in text.split(" / ")]
    if not 1 <= len(match) <= 2 or None in match:
        raise ValueError(
            f"is QUANTITY [of NAME] [in PHASE] [at SCENARIO], or two with ' / ' between them: {text!r:.80}; "
            f"quantities are {', '.join(QUANTITIES)}"
        )
    return tuple(_measure(match) for match in match if match)


def _measure(match: re.Match[str]) -> Measure:
    quantity, low, high, of, phase, scenario = (group or "" for group in match.groups())
    if (quantity in WITHIN) != bool(low):
        raise ValueError(f"{quantity!r}: a range goes with {' and '.join(WITHIN)}, and they need one")
    if not low:
        return Measure(quantity, of, phase, scenario)
    ends = {f"{end:g}": end for end in _ENDS}
    bounds = ends.get(low, NEVER), ends.get(high, NEVER)
    if not bounds[0] < bounds[1] < NEVER:
        raise ValueError(f"{low}-{high} is no range of buckets, whose ends are {', '.join([*ends][:12])} ...")
    return Measure(quantity, of, phase, scenario, *bounds)


def measured(simulation: Simulation, measure: Measure) -> float:
    """Return a quantity of a simulation, from those intervals that were simulated and not drawn.

    Raises:
        MeasureError: there is nothing of this name, or it was not used at all.
    """
    plan, of = simulation.plan, measure.of
    phases = [
        number for number, phase in enumerate(plan.phases) if not measure.phase or phase.name == measure.phase
    ]
    if not phases:
        raise MeasureError(f"{plan.name} has no phase {measure.phase!r}")
    intervals = [interval for number in phases for interval in simulation.simulated(number)]
    seconds = len(intervals) * plan.step
    if measure.quantity in BY_NAME:
        return _by_name(intervals, measure, seconds)
    if measure.quantity == "busy":
        return 100 * _busy(plan, intervals, of) / (seconds * 1e9)
    if measure.quantity in OF_GUEST:
        return _of_guest(plan, intervals, measure.quantity, seconds)
    if measure.quantity == "array IO/s":
        return sum(interval.fetched[lcu] for interval in intervals for lcu in _lcus(plan, of)) / seconds
    if measure.quantity == "service":
        started = [volume for interval in intervals for volume in interval.started]
        spent = sum(volume.pending + volume.disconnect + volume.connect for volume in started)
        return _per(spent, sum(volume.starts for volume in started), "") / 1e6
    return _by_disk(_answered(intervals, _volumes(plan, of)), measure, seconds)


def _by_disk(answered: list[VolumeCounts], measure: Measure, seconds: float) -> float:
    if measure.quantity in HISTOGRAMS:
        return _by_histogram(_histogram(answered, HISTOGRAMS[measure.quantity]), measure)
    if measure.quantity == "in flight":
        return sum(disk.block.weighted_ns for disk in answered) / seconds / 1e9
    requests = sum(disk.block.reads + disk.block.writes for disk in answered)
    if measure.quantity == "IO/s":
        return requests / seconds
    if measure.quantity == "MB/s":
        sectors = sum(disk.block.sectors_read + disk.block.sectors_written for disk in answered)
        return sectors * SECTOR / seconds / MB
    return (
        _per(sum(disk.block.read_ns + disk.block.write_ns for disk in answered), requests, measure.of) / 1e6
    )


def _answered(intervals: Iterable[IntervalCounts], volumes: Iterable[int]) -> list[VolumeCounts]:
    wanted = set(volumes)
    return [disk for interval in intervals for disk in interval.answered if disk.disk in wanted]


def _per(amount: float, number: float, of: str) -> float:
    if not number:
        raise MeasureError(f"nothing was done on {of or 'it'}, so there is no average")
    return amount / number


def _by_name(intervals: list[IntervalCounts], measure: Measure, seconds: float) -> float:
    rows = [row for interval in intervals for row in interval.counted if row[0] == measure.of]
    number = sum(row[1] for row in rows)
    if not number:
        raise MeasureError(f"nothing was counted as {measure.of!r}")
    if measure.quantity == "per second":
        return number / seconds
    if measure.quantity == "time":
        return sum(row[2] for row in rows) / number / 1e6
    return sum(interval.computing_ns for interval in intervals) / number / 1e6


def _of_guest(plan: Scenario, intervals: list[IntervalCounts], quantity: str, seconds: float) -> float:
    guests = [interval.guest for interval in intervals]
    if quantity == "steal":
        return sum(guest.steal_ns for guest in guests) / seconds / plan.box.cpus / 1e7
    if quantity == "waits":
        return sum(guest.io_ns for guest in guests) / seconds / 1e7
    return sum(guest.swapped_in + guest.swapped_out for guest in guests) / seconds


def _busy(plan: Scenario, intervals: list[IntervalCounts], of: str) -> float:
    """Return the ns that a part is busy; the mean of parts that are alike."""
    if of == "cpu":
        return sum(interval.computing_ns for interval in intervals) / plan.box.cpus
    for place, group in enumerate(plan.box.paths):
        if group.name == of:
            carried = [
                group_counts
                for interval in intervals
                for group_counts in interval.carried
                if group_counts.group == place
            ]
            return sum(group_counts.busy_ns for group_counts in carried) / len(group.chpids)
    for place, lcu in enumerate(plan.box.lcus):
        if lcu.name == of:
            return sum(interval.worked_ns[place] for interval in intervals)
    disks = _volumes(plan, of)
    return sum(disk.block.busy_ns for disk in _answered(intervals, disks)) / len(disks)


def _histogram(answered: Iterable[VolumeCounts], histogram: int) -> list[int]:
    buckets = [0] * BUCKETS
    for disk in answered:
        for bucket, number in disk.histograms[histogram]:
            buckets[bucket] += number
    if not any(buckets):
        raise MeasureError("nothing was read or written")
    return buckets


def _by_histogram(buckets: list[int], measure: Measure) -> float:
    whole = sum(buckets)
    if measure.quantity == "before":
        return sum(bucket * number for bucket, number in enumerate(buckets)) / whole
    if measure.quantity in WITHIN:
        return 100 * sum(buckets[_ENDS.index(measure.low) : _ENDS.index(measure.high)]) / whole
    if measure.quantity != "total median":
        return float(4 << buckets.index(max(buckets))) / 1e3
    below = 0
    for bucket, number in enumerate(buckets[:LAST]):
        if 2 * (below + number) >= whole:  # evenly spread within the bucket
            begin, end = _ENDS[bucket : bucket + 2]
            return begin + (end - begin) * (whole / 2 - below) / number
        below += number
    return NEVER


def _lcus(plan: Scenario, of: str) -> list[int]:
    lcus = [place for place, lcu in enumerate(plan.box.lcus) if lcu.name == of]
    lcus += [place for place, lcu in enumerate(plan.box.lcus) if plan.box.paths[lcu.paths].name == of]
    if not lcus:
        raise MeasureError(f"{plan.name} has no LCU {of!r}")
    return lcus


def _volumes(plan: Scenario, of: str) -> list[int]:
    volumes = plan.box.volumes
    if not of:
        return list(range(len(volumes)))
    own = [place for place, volume in enumerate(volumes) if f"{volume.devno:04X}" == of.upper()]
    if own:
        return own
    lcus = _lcus(plan, of)
    return [place for place, volume in enumerate(volumes) if volume.lcu in lcus]
