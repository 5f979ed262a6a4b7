"""A storage box that several guests share: their engines in one simulation, each with a Linux of its own.

Control units, their arrays and channel paths are the same for all guests, so a request of one waits behind
those of the others.  Disks, processors, loads and what is counted are each guest's own.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count
from threading import Lock
from typing import TYPE_CHECKING, Any

from zmon.lab.dice import Dice
from zmon.lab.engine_state import LcuState, PathGroupState
from zmon.lab.guest_engine import GuestEngine
from zmon.lab.simulation import MICROSECONDS, interval_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.lab.engine_state import DiskState, Request
    from zmon.lab.model import Load, Scenario, StorageBox
    from zmon.lab.simulation import IntervalCounts


class SharedBox:
    """A box at work for several guests, whose engines run by one clock."""

    def __init__(self, box: StorageBox) -> None:
        """Begin at time 0 with no guest.

        Raises:
            ValueError: LCUs lend aliases, or Linux chooses the paths; both belong to one guest.
        """
        if any(lcu.aliases for lcu in box.lcus) or any(group.policy != "any" for group in box.paths):
            raise ValueError("guests share no aliases, and no paths that Linux chooses")
        self.now = 0.0
        self.groups = [PathGroupState(paths) for paths in box.paths]
        self.units = [LcuState(lcu, self.groups[lcu.paths], [], lcu.ranks) for lcu in box.lcus]
        self.events: list[tuple[float, int, Callable[[Any], None], Any]] = []
        self.order = count(1)
        self.owners: dict[DiskState, SharingEngine] = {}
        self.guests: list[SharingEngine] = []

    def run(self, length: float) -> None:
        """Simulate further microseconds for all guests, counting anew."""
        end = self.now + length
        for guest in self.guests:
            guest.begin()
        events = self.events
        while events and events[0][0] < end:
            self.now, _number, action, what = heappop(events)
            action(what)
        self.now = end
        for guest in self.guests:
            guest.end()

    def answer(self, request: Request) -> None:
        """End a request on its path, whoever's request was before it there and started it."""
        self.owners[request.disk].answer(request)


class SharingEngine(GuestEngine):
    """One of several guests of a box: its Linux, its disks and its load."""

    def __init__(self, shared: SharedBox, plan: Scenario, loads: Sequence[Load], dice: Dice) -> None:
        """Join the box at time 0 with all customers at their first step."""
        self.shared = shared
        super().__init__(plan, loads, dice)
        for time, _number, action, what in self._events:
            heappush(shared.events, (time, next(shared.order), action, what))
        self._events, self._order = shared.events, shared.order
        self._answer = shared.answer
        shared.owners.update(dict.fromkeys(self.disks, self))
        shared.guests.append(self)

    @property
    def now(self) -> float:
        """The time of the box, in microseconds."""
        return self.shared.now

    @now.setter
    def now(self, time: float) -> None:
        self.shared.now = time

    def _place(self) -> None:
        super()._place()
        self.groups, self.units = self.shared.groups, self.shared.units
        for disk, volume in zip(self.disks, self.box.volumes, strict=True):
            disk.lcu = self.units[volume.lcu]

    def run(self, length: float) -> None:
        """Simulate further microseconds for all guests of the box."""
        self.shared.run(length)

    def begin(self) -> None:
        """Count anew."""
        self._clear()

    def end(self) -> None:
        """Count what goes on up to this moment."""
        self._settle()

    def answer(self, request: Request) -> None:
        """End a request of this guest on its path."""
        self._end(request)


class SharedPhase:
    """One phase of several guests of a box, whose plans differ in their loads only."""

    def __init__(self, plans: Sequence[Scenario], phase: int, most: int) -> None:
        """Simulate nothing yet, and later `most` intervals."""
        self._plans, self._phase, self._most = plans, phase, most
        self._intervals: list[list[IntervalCounts]] = []
        self._lock = Lock()

    def intervals(self) -> list[list[IntervalCounts]]:
        """Return the intervals of each guest."""
        with self._lock:
            if not self._intervals:
                self._intervals = self._simulated()
        return self._intervals

    def _simulated(self) -> list[list[IntervalCounts]]:
        plans, phase = self._plans, self._phase
        shared = SharedBox(plans[0].in_phase(phase).box)
        for place, plan in enumerate(plans):
            dice = Dice((plan.seed * 1009 + phase) * 1009 + place)
            SharingEngine(shared, plan.in_phase(phase), plan.phases[phase].streams, dice)
        counts_of_plans: list[list[IntervalCounts]] = [[] for _ in plans]
        step = plans[0].step * MICROSECONDS
        shared.run(plans[0].warm * MICROSECONDS)
        for _ in range(self._most):
            guests = shared.guests
            before = [guests[0].backlog(unit) for unit in shared.units]
            shared.run(step)
            for counts, guest in zip(counts_of_plans, guests, strict=True):
                counts.append(interval_counts(guest, before))
        return counts_of_plans


class GuestRun:
    """The part of one guest in a phase of a shared box."""

    def __init__(self, shared: SharedPhase, guest: int) -> None:
        """Simulate nothing yet."""
        self._shared, self._guest = shared, guest

    def first(self, count: int | None = None) -> list[IntervalCounts]:  # noqa: ARG002 - all come together
        """Return all intervals."""
        return self._shared.intervals()[self._guest]

    def first_look(self, count: int) -> None:
        """Return nothing: there is no first look at a shared box, whose guests have no screens."""
