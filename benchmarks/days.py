"""Whether a recorder of many days loses or changes a sample, keeps what is to go, or grows.

    python -m benchmarks.days [DAYS]

The recorder's own loop, files, trends and retention run with clocks that go as fast as it works: a sample of
a simulated guest each minute.  Once a day the wall clock is set back by two hours, once a year forward and
back again after ten minutes, and the machine sleeps for three hours; the recorder is ended and begins again.
The last two days are to be kept.

Each sample of the days that are kept must be in a file as it was taken, each file must be whole, no day that
is over for longer may be there, and the memory at the end must be that after the second day.
"""

from __future__ import annotations

import sys
import tempfile
from array import array
from collections import Counter
from typing import TYPE_CHECKING, Final

from benchmarks.memory import resident
from tests.recorder.clocks import Clocks
from tests.store.machine import told
from zmon.base.clock import DAY, HOUR, MINUTE, SECOND
from zmon.lab.guest_fleet import GuestFleet
from zmon.recorder.recording_loop import Orders, Plan, RecordingLoop, Service
from zmon.recorder.retention import RetentionRule
from zmon.recorder.roll import Roll
from zmon.sample import Instant
from zmon.store.check import find_damage
from zmon.store.day import days
from zmon.store.reader import Recording
from zmon.trends.rollup import recording_with_trends

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.sample import Sample
    from zmon.store.writer import Writer

DAYS: Final = 10
KEPT: Final = 2 * DAY
YEAR: Final = 365 * DAY
GROWTH: Final = 1.05
"""Times the memory after the second day that counts as flat."""


def happen(clocks: Clocks, minutes: range) -> None:
    """Let happen what happens in some minutes of the steady clock, at the same time of each day."""
    for minute in (number % (24 * 60) for number in minutes):
        if minute == 5 * 60:
            clocks.stepped -= 2 * HOUR
        elif minute == 9 * 60:
            clocks.stepped += YEAR
        elif minute == 9 * 60 + 10:
            clocks.stepped -= YEAR
        elif minute == 15 * 60:
            clocks.slept += 3 * HOUR
        elif minute == 20 * 60:
            clocks.stepped += 2 * HOUR


def digest(sample: Sample) -> int:
    """Return a number that stands for all parts of a sample, however its frames are ordered."""
    *parts, frames = told(sample)
    return hash(repr((*parts, sorted(frames.items()))))


class Guest:
    """A simulated guest that is sampled by these clocks, and what each sample was."""

    def __init__(self, clocks: Clocks, number_of_days: int) -> None:
        self._clocks = clocks
        self._samples: Iterator[Sample] = GuestFleet(1, number_of_days * DAY / SECOND * 2).samples(1)
        self.steady, self.utc, self.digests = array("q"), array("q"), array("q")
        """Of each sample: both clocks, and the digest; in few bytes, as the recorder's memory is measured."""
        self.writer: Writer | None = None

    def take(self) -> Sample:
        """Return the next sample, as of now; its rows keep their distance from it."""
        if self.writer is not None:
            self.writer.settle()  # the trends have a minute for it, which here is none
        drawn = next(self._samples)
        at = Instant(self._clocks.utc(), self._clocks.now, "boot")
        moved = at.steady - drawn.at.steady
        frames = {
            name: frame.but(times=[moment + moved for moment in frame.times])
            for name, frame in drawn.frames.items()
        }
        sample = drawn._replace(at=at, frames=frames)
        for column, value in ((self.steady, at.steady), (self.utc, at.utc), (self.digests, digest(sample))):
            column.append(value)
        return sample


def recorded(folder: str) -> tuple[dict[int, int], list[str]]:
    """Return the digests of all samples in all files by their steady clock, and what is damaged."""
    digests: dict[int, int] = {}
    damage: list[str] = []
    for file in days(folder).days:
        recording = Recording(file.path)
        damage += [str(part) for part in find_damage(recording)]
        digests |= {
            sample.at.steady: digest(sample) for sample in map(recording.sample, range(len(recording)))
        }
        recording.close()
    return digests, damage


def main() -> int:
    """Record; 1 if anything is not as it should be."""
    many = int(sys.argv[1]) if len(sys.argv) > 1 else DAYS
    clocks, said, memory = Clocks(), Counter[str](), list[float]()
    guest = Guest(clocks, many)

    def say(text: str) -> None:
        said[text] += 1

    def opened(path: str) -> Writer:
        guest.writer = recording_with_trends(path, durable=False)
        return guest.writer

    minute = 0

    def passed() -> None:
        nonlocal minute
        before, minute = minute, clocks.now // MINUTE
        happen(clocks, range(before + 1, minute + 1))

    clocks.during = passed
    with tempfile.TemporaryDirectory() as folder:
        plan = Plan(folder, MINUTE, RetentionRule(keep=KEPT), length=DAY)
        for day in range(1, many + 1):
            roll = Roll(folder, opened, say)
            RecordingLoop(plan, guest.take, roll, clocks, Orders(), Service({}), say).run()
            memory.append(resident())
            print(f"day {day}: {len(guest.utc):,} samples, {memory[-1]:.0f} MiB", flush=True)
        digests, damage = recorded(folder)
        present = days(folder).days
    now = clocks.utc()
    taken = {
        steady: (utc, value)
        for steady, utc, value in zip(guest.steady, guest.utc, guest.digests, strict=True)
    }
    wanted = {steady for steady, (utc, _) in taken.items() if end_of_day(utc) + KEPT > now}
    faults = {
        "lost": len(wanted - digests.keys()),
        "changed": sum(value != taken[steady][1] for steady, value in digests.items()),
        "damaged": len(damage),
        "kept too long": sum(end_of_day(taken[steady][0]) + KEPT < now - DAY for steady in digests),
        "grown": int(many > 2 and memory[-1] > memory[1] * GROWTH),
    }
    for text, count in said.most_common():
        print(f"{count:6}  {text.replace(folder, '')}")
    print(
        f"{len(taken):,} samples of {many} days: {len(wanted):,} to be kept, {len(present)} files left;"
        f" {faults}; wanted: 0 of each"
    )
    return int(any(faults.values()))


def end_of_day(utc: int) -> int:
    """Return when the day of a time of the wall ends, in UTC."""
    return utc // DAY * DAY + DAY


if __name__ == "__main__":
    sys.exit(main())
