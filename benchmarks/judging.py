"""What rules and diagnosis cost: over a recording, live on top of a screen, and minute by minute over a day.

    python -m benchmarks.judging [SECONDS]

* A recording of the laboratory's fleet of 4,096 devices, a sample a second, is judged by all rules, and the
  verdict is asked once a minute. The recording is some minutes long, not a day: the rest would be more of the
  same. The rival reads, and does nothing else: the roll-ups, the times of all samples, and each column of a
  segment that judging has read. Both begin with a file that is opened anew. What is done once, for the first
  interval, counts as it does in a day, and the last minute, which is not over, does not count.
* Live, an interval is judged by the rules and then shown on DEVICE, from the same differences. The rival
  shows it on DEVICE alone.
* The healthy day of the laboratory, which has one incident, is diagnosed once a minute.

Compared is processor time of this process.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import defaultdict
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.figures import IS_QUICK, note
from zmon.diagnosis.diagnosis import POSSIBLE
from zmon.diagnosis.judged import verdict_of
from zmon.interval import Interval
from zmon.lab.scenario import load_scenario
from zmon.machine.view import View
from zmon.rule.grammar import load_rules
from zmon.rule.watch import Watch
from zmon.session.exception_log import QuietTimes
from zmon.session.machines import simulated
from zmon.session.recording import open_recording
from zmon.store.segment import Segment
from zmon.tables.filled import fill
from zmon.trends.rollup import recording_with_trends

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.session.timeline import Position, Timeline

    Columns = Mapping[int, Sequence[tuple[str, str]]]
    """By sample, the kinds and columns that were read."""

RULES: Final = load_rules()
SECONDS: Final = 300
DAY: Final = 86_400
MINUTE: Final = 60
ROUNDS: Final = 3
LIVE: Final = 12
"""Intervals that are shown."""
RECORDED_TARGET: Final = 3.0
LIVE_TARGET: Final = 0.10


def recorded(path: str, seconds: int) -> None:
    """Record the fleet, a sample a second."""
    plan = load_scenario("fleet-4096")
    plan = plan._replace(step=1.0, phases=(plan.phases[0]._replace(seconds=float(seconds)),))
    writer = recording_with_trends(path, durable=False)
    for sample in simulated([plan]).samples():
        writer.append(sample)
    writer.close()


def pairs(timeline: Timeline) -> Iterator[tuple[Position, Position]]:
    """Yield the samples of a timeline, each with the one behind it."""
    before = timeline.next()
    while before is not None and (after := timeline.next(before)) is not None:
        yield before, after
        before = after


class Cost:
    """Processor seconds of the first interval, and of one of the others, but for those of the last minute."""

    def __init__(self, seconds: Sequence[float]) -> None:
        """Take the seconds of each interval."""
        others = seconds[1:-MINUTE]
        self.first, self.others = seconds[0], sum(others) / len(others)

    @property
    def of_day(self) -> float:
        """What a day of a sample a second would cost."""
        return self.first + (DAY - 1) * self.others


def judge(path: str) -> Cost:
    """Judge a recording by the rules, and ask for the verdict once a minute."""
    watch = Watch(RULES)
    spent: list[float] = []
    quiet = QuietTimes(watch.rules)
    timeline = open_recording(path)
    begun = time.process_time()
    for number, (before, after) in enumerate(pairs(timeline)):
        interval = Interval(before.sample, after.sample)
        watch.follow(interval, quiet.rules_at(before, after, interval))
        if number % MINUTE == 0:
            verdict_of(View(interval))
        spent.append(time.process_time() - begun)
        begun = time.process_time()
    timeline.close()
    return Cost(spent)


def read_by(path: str) -> Columns:
    """Return what judging a recording reads of its segments."""
    found = defaultdict[int, list[tuple[str, str]]](list)
    own = Segment.column

    def column(self: Segment, name: str, reading: int) -> list[Value]:
        found[self.samples[reading]].append((self.layout.kind.name, name))
        return own(self, name, reading)

    Segment.column = column  # type: ignore[method-assign]  # to see what is read
    try:
        judge(path)
    finally:
        Segment.column = own  # type: ignore[method-assign]
    return found


def read(path: str, columns: Columns) -> Cost:
    """Read the roll-ups, all times, and some columns of some samples."""
    timeline = open_recording(path)
    spent: list[float] = []
    begun = time.process_time()
    quiet = QuietTimes(Watch(RULES).rules)
    kept: list[object] = []
    for before, after in pairs(timeline):
        recording = after.section.recording
        assert recording is not None  # noqa: S101 - it was opened from a file
        if not spent:
            quiet.rules_at(before, after, Interval(before.sample, after.sample))
        for position in (before, after) if not spent else (after,):
            frames = [recording.frame(kind, position.number) for kind, _ in columns.get(position.number, ())]
            for frame, (_, name) in zip(frames, columns.get(position.number, ()), strict=True):
                if frame is not None:
                    kept.append(frame.column(name) if name else frame.times)
        del kept[:-1000]
        spent.append(time.process_time() - begun)
        begun = time.process_time()
    timeline.close()
    return Cost(spent)


def over_a_recording(seconds: int) -> bool:
    """Compare judging a recording with reading what that needs."""
    with tempfile.TemporaryDirectory() as directory:
        path = str(Path(directory) / "fleet.zmon")
        recorded(path, seconds)
        columns = read_by(path)
        ours = min((judge(path) for _ in range(ROUNDS)), key=lambda cost: cost.of_day)
        rival = min((read(path, columns) for _ in range(ROUNDS)), key=lambda cost: cost.of_day)
    ratio = ours.of_day / rival.of_day
    print(f"fleet-4096, {seconds} s recorded, a sample a second; a day is reckoned from it")
    for name, cost in (("rules, and a verdict a minute", ours), ("reading what that needs", rival)):
        print(f"{name:30} a day {cost.of_day:.0f} s, {1e3 * cost.others:.2f} ms an interval")
    print(f"ratio {ratio:.2f}  promised {RECORDED_TARGET:g}")
    return ratio <= RECORDED_TARGET


def live() -> bool:
    """Compare judging and showing intervals with showing them."""
    samples = list(islice(simulated([load_scenario("fleet-4096")]).samples(), LIVE + 1))
    watch = Watch(RULES)
    spent: dict[str, list[float]] = {"DEVICE": [], "rules, then DEVICE": [], "then the verdict": []}

    def timed(name: str, begun: float) -> None:
        spent[name].append(1e3 * (time.process_time() - begun))

    for before, after in pairwise(samples):
        begun = time.process_time()
        interval = Interval(before, after)
        fill("device", View(interval))
        del interval  # rules keep one until the next, so that each round frees one here, too
        timed("DEVICE", begun)
        begun = time.process_time()
        interval = Interval(before, after)
        watch.follow(interval)
        fill("device", View(interval))
        timed("rules, then DEVICE", begun)
        begun = time.process_time()
        verdict_of(View(interval))
        timed("then the verdict", begun)
    shown, both, verdict = (min(times) for times in spent.values())
    for name, times in spent.items():
        print(f"{name:30} {min(times):6.1f} ms")
    ratio = both / shown - 1
    note("judging.rules", both / shown)
    print(f"rules on top of DEVICE {ratio:.2f}  promised {LIVE_TARGET:g}")
    print(
        f"the verdict, to DEVICE {verdict / shown:.2f}  told: it is drawn for a fortieth of the time at most"
    )
    return ratio <= LIVE_TARGET


def of_a_day() -> bool:
    """Diagnose the healthy day once a minute; it has one incident."""
    spent, incidents, was = 0.0, 0, False
    count, until = 0, 0
    for before, after in pairwise(simulated([load_scenario("healthy-day")]).samples()):
        if after.at.utc < until:
            continue
        until = after.at.utc + MINUTE * 1_000_000_000
        begun = time.process_time()
        found = verdict_of(View(Interval(before, after)))
        spent += time.process_time() - begun
        is_wrong = any(one.confidence != POSSIBLE for one in found.diagnoses)
        incidents += is_wrong and not was
        was = is_wrong
        count += 1
    print(
        f"healthy-day: {count} verdicts, {1e3 * spent / count:.1f} ms each; incidents {incidents}, wanted 1"
    )
    return incidents == 1


def main() -> int:
    """Measure all; the exit status says whether the promises hold."""
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    if IS_QUICK:
        return int(not live())
    kept = [over_a_recording(seconds), live(), of_a_day()]
    return int(not all(kept))


if __name__ == "__main__":
    sys.exit(main())
