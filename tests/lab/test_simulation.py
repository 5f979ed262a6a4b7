"""The course of a scenario: phases one after the other, of which a part is simulated and the rest drawn."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.lab.plans import brief, small
from zmon.lab import simulation
from zmon.lab.simulation import Simulation

pytestmark = pytest.mark.usefixtures("anew")
INTERVALS, DRAWN = 40, 7
COURSE = Simulation(small(INTERVALS, DRAWN))
"""Simulated once for all tests that only look at it."""


def test_phases_lie_one_after_the_other() -> None:
    """It is as long as they are together."""
    assert len(COURSE) == INTERVALS + 10
    assert [COURSE.phase(number) for number in (0, INTERVALS - 1, INTERVALS, len(COURSE) - 1)] == [0, 0, 1, 1]


@pytest.mark.parametrize("number", [-1, INTERVALS + 10, 10**9])
def test_beyond_its_ends_there_is_nothing(number: int) -> None:
    """It says how long it is."""
    with pytest.raises(IndexError, match="small has 50 intervals"):
        COURSE.interval(number)


def test_the_first_intervals_of_a_phase_are_simulated() -> None:
    """One after the other, as they follow from each other."""
    assert [COURSE.interval(number) for number in range(DRAWN)] == COURSE.simulated(0)
    assert len(COURSE.simulated(0)) == DRAWN


def test_the_others_are_drawn_from_them() -> None:
    """Each a whole one, and all of them at some time."""
    drawn = {COURSE.simulated(0).index(COURSE.interval(number)) for number in range(DRAWN, INTERVALS)}

    assert drawn == set(range(DRAWN))


def test_no_more_is_simulated_than_there_is() -> None:
    """A phase that is shorter than what would be simulated ends where it ends."""
    assert len(Simulation(small(3, 60)).simulated(0)) == 3


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, INTERVALS + 9), min_size=1, max_size=30))
def test_the_order_of_asking_does_not_matter(numbers: list[int]) -> None:
    """An interval is the same whenever it is asked for, and whatever was asked before."""
    fresh = Simulation(small(INTERVALS, DRAWN))

    assert [fresh.interval(number) for number in numbers] == [COURSE.interval(number) for number in numbers]


def test_a_phase_is_at_least_one_interval() -> None:
    """However short it is said to be."""
    plan = small()
    short = plan._replace(phases=(plan.phases[0]._replace(seconds=0.001),))

    assert len(Simulation(short)) == 1


def test_another_seed_has_another_course() -> None:
    """Or it would be no seed."""
    other = Simulation(small(INTERVALS, DRAWN, seed=6))

    assert [other.interval(number) for number in range(9)] != [COURSE.interval(number) for number in range(9)]


def test_a_phase_does_not_depend_on_those_before_it() -> None:
    """It is simulated when it is first asked for, alone."""
    assert Simulation(small(INTERVALS, DRAWN)).interval(INTERVALS) == COURSE.interval(INTERVALS)
    assert Simulation(small(1, DRAWN)).interval(1) == COURSE.interval(INTERVALS)


# a first look


@pytest.mark.parametrize("looked", [1, 300, 10**9])
@pytest.mark.parametrize(
    "name", ["small", "guest-swapping", "volume-hangs", "fcp-path-slow", "dm-queue", "small-stripes"]
)
def test_a_first_look_changes_no_interval(name: str, looked: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the last bit, whether it takes all of the time before a phase is counted or hardly any of it."""
    monkeypatch.setattr(simulation, "LOOKED", looked)
    monkeypatch.setattr(simulation, "SHORT", 0)
    plan = small() if name == "small" else brief(name)
    seen, unseen = Simulation(plan), Simulation(plan)
    last = len(seen) - 1

    look = seen.first_look(last)

    assert look is not None
    assert 0.0 < look.seconds <= plan.warm / 2
    assert seen.interval(last) == unseen.interval(last)


def test_a_first_look_is_what_is_counted_in_the_later_half_of_what_was_simulated() -> None:
    """Its figures are about those of the intervals behind it."""
    plan = small()._replace(warm=64.0)
    course = Simulation(plan)
    look = course.first_look(INTERVALS)
    assert look is not None

    whole = [course.interval(number) for number in range(INTERVALS, INTERVALS + 10)]
    rate = sum(one.block.reads for each in whole for one in each.answered) / (10 * plan.step)
    seen = sum(one.block.reads for one in look.counts.answered) / look.seconds
    assert seen == pytest.approx(rate, rel=0.1)


def test_there_is_no_first_look_where_the_interval_is_there_as_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor a second one, nor one of a phase that was simulated, or that is counted from its begin."""
    course = Simulation(small())
    assert course.first_look(0) is None

    monkeypatch.setattr(simulation, "SHORT", 0)
    assert Simulation(small()._replace(warm=0.0)).first_look(0) is None
    course = Simulation(small())
    course.interval(0)
    assert course.first_look(1) is None
    assert course.first_look(INTERVALS) is not None
    assert course.first_look(INTERVALS) is None
