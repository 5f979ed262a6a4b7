"""How the cost of things grows with what there is: five curves of four points each.

    python -m benchmarks.growth [--draw docs/pictures/growth.svg]

* a sample of 4,096 DASD, by how many of them are active;
* a picture of DEVICE after a sample, its table included, by devices;
* a seek to any second of a recording, by its hours;
* a verdict on 4,096 devices, by how many of them work and wait;
* the tables of a fleet over its last hour, by members.

Each point is the least processor time of several rounds.  Told is how many times as much a curve costs at its
end as at its beginning, beside how many times as much there is: a curve that is straight or flatter has at
most that.  `--draw` draws them, each as a part of its own end.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from unittest import mock

from benchmarks.load import hour, lengthen
from benchmarks.machine import Reel, samples
from benchmarks.recorders import KEPT, memory
from benchmarks.sampling import DEVICES, Clock, Machine, sampling
from benchmarks.seek import seek
from zmon.diagnosis.judged import verdict_of
from zmon.fleet.fleet_tables import fleet_of
from zmon.fleet.recorded_fleet import RecordedFleet
from zmon.interval import Interval
from zmon.kernel.activity import DiskReader
from zmon.kernel.tree import LiveTree
from zmon.lab.scenario import load_scenario
from zmon.machine.view import View
from zmon.screen.definition import load_screens
from zmon.session.machines import simulated
from zmon.session.session import Session
from zmon.trends.rollup import recording_with_trends
from zmon.ui.actions import GlassActions
from zmon.ui.glass import Glass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ROUNDS: Final = 7
SIZES: Final = (64, 256, 1024, 4096)
QUARTERS: Final = (12, 24, 48, 96)
QUARTER: Final = 900
"""Seconds."""
MEMBERS: Final = (4, 16, 64, 256)
SCENARIO: Final = "shark-before"
STRAIGHT: Final = 1.1
"""Times as much as there is more that a curve may cost more."""


class Curve(NamedTuple):
    """What something costs at four sizes."""

    name: str
    unit: str
    """What there is more of."""
    points: Sequence[tuple[int, float]]
    """Size, and processor time in ms."""

    @property
    def growth(self) -> tuple[float, float]:
        """How many times as much there is at the end, and how many times as much it costs."""
        (size, cost), (last_size, last_cost) = self.points[0], self.points[-1]
        return last_size / size, last_cost / cost


def least(work: Callable[[], object]) -> float:
    """Return the least processor time that some work takes, in ms."""
    spent = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        work()
        spent.append(time.process_time() - begin)
    return 1e3 * min(spent)


def of_samples() -> Iterator[tuple[int, float]]:
    """Take samples of a machine of which some devices work."""
    clock = Clock()
    with tempfile.TemporaryDirectory(dir=memory()) as root, mock.patch("time.monotonic_ns", clock):
        machine = Machine(root)
        activity = DiskReader(LiveTree(root))
        activity.read()
        for active in SIZES:
            yield active, min(sampling(machine, clock, activity, active) for _ in range(3)) / 1e3


def of_pictures() -> Iterator[tuple[int, float]]:
    """Show samples of machines with some devices on DEVICE."""
    for devices in SIZES:
        session = Session(Reel(samples(devices, ROUNDS + 3)), load_screens(), "DEVICE")
        session.next()
        session.next()
        glass = Glass(session, actions=GlassActions())
        glass.resize(132, 43)

        def show(glass: Glass = glass, session: Session = session) -> None:
            glass.sampled(session.timeline.take())
            glass.lines()

        yield devices, least(show)


def of_seeks(directory: str) -> Iterator[tuple[int, float]]:
    """Seek in recordings of some hours."""
    path = f"{directory}/day.zmon"
    hour(path, QUARTER)
    for quarters in QUARTERS:
        whole = f"{directory}/{quarters}.zmon"
        shutil.copyfile(path, whole)
        lengthen(whole, quarters, QUARTER)
        seconds = quarters * QUARTER
        yield seconds // 3600, least(lambda: seek(whole, seconds))  # noqa: B023 - it is called at once


def of_verdicts() -> Iterator[tuple[int, float]]:
    """Judge a machine of which some devices work, whose requests wait."""
    for active in SIZES:
        pairs = pairwise(samples(DEVICES, ROUNDS + 1, active / DEVICES))
        yield active, least(lambda: verdict_of(View(Interval(*next(pairs)))))  # noqa: B023 - likewise


def of_fleets(directory: str) -> Iterator[tuple[int, float]]:
    """Make the tables of fleets of some members."""
    path = f"{directory}/member.zmon"
    writer = recording_with_trends(path, durable=False)
    for sample in simulated([load_scenario(SCENARIO)]).samples():
        writer.append(sample)
    writer.close()
    for members in MEMBERS:
        folder = Path(directory, f"fleet-{members}")
        folder.mkdir()
        for number in range(members):
            shutil.copyfile(path, folder / f"lnx{number:03}.zmon")
        source = RecordedFleet(str(folder))
        begin, end = source.span()
        yield members, least(lambda: fleet_of(source.members(begin, end), begin, end))  # noqa: B023 - likewise
        source.close()


def measured() -> Iterator[Curve]:
    """Measure all."""
    yield Curve("a sample", "active devices", [*of_samples()])
    yield Curve("a picture of DEVICE", "devices", [*of_pictures()])
    yield Curve("a verdict", "devices that wait", [*of_verdicts()])
    KEPT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=KEPT) as directory:
        yield Curve("a seek", "hours of recording", [*of_seeks(directory)])
        yield Curve("a fleet's tables", "members", [*of_fleets(directory)])


WIDTH: Final = 190
HEIGHT: Final = 150
MARGIN: Final = 34


def drawn(curves: Sequence[Curve]) -> str:
    """Return the curves as SVG, each in a square of its own, from nothing to its last point."""
    parts = [panel(curve, place * (WIDTH + MARGIN) + MARGIN) for place, curve in enumerate(curves)]
    width, height = len(curves) * (WIDTH + MARGIN) + MARGIN, HEIGHT + 3 * MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif"'
        f' font-size="12">\n<rect width="{width}" height="{height}" fill="#fff"/>\n{"".join(parts)}</svg>\n'
    )


def panel(curve: Curve, left: int) -> str:
    """Return one curve, a dashed line to its end, and what it is of."""
    size, cost = curve.points[-1]
    top = max(value for _, value in curve.points)

    def at(point: tuple[float, float]) -> str:
        return f"{left + WIDTH * point[0] / size:.1f},{MARGIN + HEIGHT * (1 - point[1] / top):.1f}"

    dots = "".join(
        f'<circle cx="{x}" cy="{y}" r="3" fill="#14507a"/>\n'
        for x, y in (at(point).split(",") for point in curve.points)
    )
    points = " ".join(map(at, curve.points))
    bottom = MARGIN + HEIGHT
    return (
        f'<text x="{left}" y="{MARGIN - 12}" font-weight="bold">{curve.name}: {cost:.3g} ms</text>\n'
        f'<path d="M{left},{MARGIN} V{bottom} H{left + WIDTH}" fill="none" stroke="#888"/>\n'
        f'<path d="M{at((0, 0))} L{at((size, cost))}" stroke="#bbb" stroke-dasharray="4"/>\n'
        f'<polyline points="{points}" fill="none" stroke="#14507a" stroke-width="2"/>\n{dots}'
        f'<text x="{left}" y="{bottom + 18}">0</text>\n'
        f'<text x="{left + WIDTH}" y="{bottom + 18}" text-anchor="end">{size:,} {curve.unit}</text>\n'
    )


def main() -> int:
    """Measure, tell, and draw if that is asked for; 1 if a curve is steeper than straight."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth")
    parser.add_argument("--draw", metavar="FILE", help="draw the curves as SVG")
    file = parser.parse_args().draw
    curves = []
    steep = 0
    for curve in measured():
        more, costs = curve.growth
        steep += costs > STRAIGHT * more
        points = ", ".join(f"{size:,}: {cost:.3g} ms" for size, cost in curve.points)
        print(
            f"{curve.name} by {curve.unit}: {points}; {more:.0f} times as many cost {costs:.3g} times as much"
        )
        curves.append(curve)
    if file:
        Path(file).write_text(drawn(curves), encoding="utf-8")
    return int(steep > 0)


if __name__ == "__main__":
    sys.exit(main())
