"""Guests of one box wait behind one another's requests, and each is counted for itself."""

from __future__ import annotations

import pytest

from zmon.lab.dice import Dice
from zmon.lab.guest_engine import GuestEngine
from zmon.lab.guest_fleet import SCANNER, guest_plan
from zmon.lab.model import Scenario, Stream
from zmon.lab.scenario import load_scenario
from zmon.lab.shared_box import SharedBox, SharedPhase, SharingEngine
from zmon.lab.simulation import interval_counts

LENGTH = 10e6
"""Microseconds."""
BUSY = guest_plan(SCANNER, 600.0).in_phase(1)
QUIET = guest_plan(1, 600.0).in_phase(1)
LCU_6 = 6
VOLUMES = [place for place, volume in enumerate(BUSY.box.volumes) if volume.lcu == LCU_6]


def ran(*plans: Scenario) -> SharedBox:
    """Return a box after some seconds with the loads of the second half of each plan."""
    shared = SharedBox(plans[0].box)
    for number, plan in enumerate(plans):
        SharingEngine(shared, plan, plan.phases[1].streams, Dice(number))
    shared.run(LENGTH)
    shared.run(LENGTH)
    return shared


def response(guest: GuestEngine) -> float:
    """Return the mean response time of a guest on LCU 6, in microseconds."""
    disks = [guest.disks[place] for place in VOLUMES]
    times = sum(disk.read_time + disk.write_time for disk in disks)
    return times / sum(disk.reads + disk.writes for disk in disks)


def test_one_guest_alone_has_the_box_for_itself() -> None:
    """It does to the last bit what it does in a simulation of its own."""
    (guest,) = ran(BUSY).guests
    alone = GuestEngine(BUSY, BUSY.phases[1].streams, Dice(0))
    alone.run(LENGTH)
    alone.run(LENGTH)
    nothing = [0.0] * len(alone.units)
    assert interval_counts(guest, nothing) == interval_counts(alone, nothing)


def test_a_guest_waits_for_what_another_one_asks() -> None:
    """On the LCU that the other one fills; its own load is the same."""
    beside_quiet, _ = ran(QUIET, QUIET).guests
    beside_busy, _ = ran(QUIET, BUSY).guests
    assert response(beside_busy) > 5 * response(beside_quiet)


def test_an_lcu_does_not_move_more_than_it_can_however_many_ask() -> None:
    """Three guests that each fill it alone have a third of it each."""
    guests = ran(BUSY, BUSY, BUSY).guests
    moved = [
        sum(guest.disks[place].read_bytes + guest.disks[place].write_bytes for place in VOLUMES)
        for guest in guests
    ]
    can = BUSY.box.lcus[LCU_6].speed * LENGTH
    assert 0.95 * can < sum(moved) <= 1.01 * can  # what was begun before the interval ends in it
    assert [each / sum(moved) for each in moved] == pytest.approx([1 / 3] * 3, abs=0.05)


def test_paths_carry_what_the_guests_ask_for_together() -> None:
    """No request is lost and none is counted twice."""
    shared = ran(QUIET, BUSY, QUIET)
    asked = sum(disk.read_bytes + disk.write_bytes for guest in shared.guests for disk in guest.disks)
    assert sum(map(sum, (group.bytes for group in shared.groups))) == asked


def test_a_guest_that_is_idle_adds_nothing() -> None:
    """The others do to the last bit what they do without it."""
    idle = QUIET._replace(phases=(QUIET.phases[0], QUIET.phases[1]._replace(streams=())))
    nothing = [0.0] * len(BUSY.box.lcus)
    (one,), (other, _) = ran(BUSY).guests, ran(BUSY, idle).guests
    assert interval_counts(one, nothing) == interval_counts(other, nothing)


def test_intervals_of_a_phase_come_together() -> None:
    """Each guest has as many, and they are the same in every run."""
    plans = [plan._replace(step=1.0, warm=1.0) for plan in (BUSY, QUIET)]
    first, second = (SharedPhase(plans, 1, 3).intervals() for _ in range(2))
    assert first == second
    assert [len(each) for each in first] == [3, 3]


def test_aliases_of_a_pool_belong_to_one_guest() -> None:
    """A box that lends them is refused."""
    with pytest.raises(ValueError, match="share no aliases"):
        SharedBox(load_scenario("hyperpav-20").box)


def test_loads_are_streams() -> None:
    """The scanner has the queries beside its users, the others have users alone."""
    assert [type(load) for load in QUIET.phases[1].streams] == [Stream]
    assert len(BUSY.phases[1].streams) > len(BUSY.phases[0].streams) == 1
