"""A scenario of the laboratory as a tape: its samples are simulated when they are asked for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from zmon.lab.counting import SECOND, Counters
from zmon.lab.course import Course
from zmon.lab.scenario import load_scenario
from zmon.session.numbered import NumberedTape
from zmon.session.splice import SplicedTape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.lab.plan import Plan
    from zmon.sample import Sample
    from zmon.session.tape import Tape

PREFIX: Final = "lab:"
"""How the name of such a source begins."""
KEPT: Final = 512
"""So many samples are remembered."""
MARKED: Final = 32
"""Counters are remembered at each so many samples, and counted on from there when one goes back."""
HOUR: Final = 3600


class LabTape(NumberedTape):
    """The samples of a scenario; the same in every run and on every machine."""

    refusal = "a scenario of the laboratory takes no notes: they go into a recording of it"

    def __init__(self, plan: Plan) -> None:
        """Stand before the first sample; nothing is simulated yet."""
        super().__init__()
        self.plan = plan
        self.name = f"{PREFIX}{plan.name}"
        self._course = Course(plan)
        self._counters = Counters(plan)
        self._marks = [self._counters.copy()]
        self._samples: dict[int, Sample] = {}

    def __len__(self) -> int:
        return len(self._course) + 1

    def _sample(self, place: int) -> Sample:
        """Return a sample, the first being 0; forwards it costs one interval."""
        found = self._samples.get(place)
        if found is None:
            self._go(place)
            found = self._samples[place] = self._counters.sample()
            if len(self._samples) > KEPT:
                del self._samples[next(iter(self._samples))]
        return found

    def _go(self, place: int) -> None:
        """Have the counters be those of a sample."""
        mark = min(place // MARKED, len(self._marks) - 1)
        if not mark * MARKED <= self._counters.number <= place:
            self._counters = self._marks[mark].copy()
        while self._counters.number < place:
            self._counters.add(self._course.slice(self._counters.number))
            if self._counters.number == len(self._marks) * MARKED:
                self._marks.append(self._counters.copy())

    def _time(self, place: int) -> int:
        return self.plan.begin * SECOND + round(place * self.plan.step * SECOND)

    def _at(self, utc: int) -> int:
        steps = int((utc - self.plan.begin * SECOND) / (self.plan.step * SECOND))
        steps += self._time(steps + 1) <= utc  # times are rounded to ns
        return min(steps, len(self) - 1) if utc >= self._time(0) else -1


def open_lab(source: str) -> Tape:
    """Return the tape of `lab:NAME`, or of several scenarios one after the other: `lab:NAME+NAME`.

    A name may be the path of a scenario file of the user's own, `lab:./mine.toml`.

    Raises:
        ScenarioError: there is no such scenario, or it cannot be used.
        OSError: a file cannot be read.
    """
    name = source.removeprefix(PREFIX)
    words = [name] if os.path.exists(name) else name.split("+")
    plans = [load_scenario(word) for word in words]
    return LabTape(plans[0]) if len(plans) == 1 else SplicedTape([LabTape(plan) for plan in laid(plans)])


def laid(plans: Sequence[Plan]) -> list[Plan]:
    """Lay scenarios one after the other: one that would begin too early begins with the next full hour."""
    found: list[Plan] = []
    earliest = 0
    for plan in plans:
        begin = max(plan.begin, earliest)
        found.append(plan._replace(begin=begin))
        last = begin + len(Course(plan)) * plan.step
        earliest = (int(last) // HOUR + 1) * HOUR
    return found
